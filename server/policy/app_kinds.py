"""What kind of app a package is, by exact name where it is known, by its parts where it is not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

AppKind = Literal[
    "trusted", "launcher", "settings", "permission", "installer", "store", "bank", "wallet",
    "credentials", "chat", "mail", "shop", "notes", "dialer", "terminal", "gallery", "clock",
    "browser", "other",
]  # fmt: skip

# Apps whose touches can do no harm: they are never read, and cost nothing.
TRUSTED = (
    "com.google.android.calculator com.android.calculator2 com.miui.calculator "
    "com.huawei.calculator"
    " com.coloros.calculator com.sec.android.app.popupcalculator com.android.bbkcalculator"
    " com.miui.weather2 com.coloros.weather2 com.vivo.weather com.sec.android.daemonapp"
    " com.huawei.android.totemweather com.google.android.apps.weather com.miui.compass"
)
CREDENTIALS = (
    "com.google.android.apps.authenticator2 com.azure.authenticator com.authy.authy "
    "com.x8bit.bitwarden"
    " com.lastpass.lpandroid com.onepassword.android com.agilebits.onepassword com.dashlane"
    " com.kunzisoft.keepass.free com.kunzisoft.keepass.libre keepass2android.keepass2android"
    " com.beemdevelopment.aegis com.duosecurity.duomobile com.okta.android.auth "
    "com.callpod.android_apps.keeper"
    " proton.android.pass com.nordpass.android.app.password.manager com.siber.roboform com.enpass"
    " io.enpass.app com.yubico.yubioath com.lastpass.authenticator com.salesforce.authenticator"
)
WALLETS = (
    "com.eg.android.AlipayGphone hk.alipay.wallet com.unionpay com.paypal.android.p2pmobile "
    "com.venmo"
    " com.google.android.apps.walletnfcrel com.google.android.apps.nbu.paisa.user com.squareup.cash"
    " com.samsung.android.spay com.samsung.android.spaymini com.miui.tsmclient com.mipay.wallet"
    " com.huawei.wallet com.coinbase.android com.binance.dev io.metamask com.wallet.crypto.trustapp"
    " com.transferwise.android com.revolut.revolut com.zellepay.zelle com.jd.jrapp "
    "com.robinhood.android"
)
BANKS = (
    "com.icbc com.chinamworks.main com.chinamworld.main com.chinamworld.bocmbci cmb.pb "
    "com.android.bankabc"
    " com.bankcomm.Bankcomm com.psbc.mobilebank cn.com.spdb.mobilebank.per com.cib.cibmb "
    "com.ecitic.bank.mobile"
    " com.cmbc.cc.mbank com.pingan.paces.ccms com.cebbank.mobile.cemb com.hxb.mobile.client "
    "com.chase.sig.android"
    " com.bankofamerica.cashpromobile com.infonow.bofa com.wf.wellsfargomobile com.citi.citimobile"
    " com.konylabs.capitalone uk.co.hsbc.hsbcukmobilebanking "
    "com.barclays.android.barclaysmobilebanking"
    " com.starlingbank.android co.uk.getmondo de.number26.android com.schwab.mobile "
    "com.usaa.mobile.android.usaa"
)
_EXACT: Mapping[AppKind, str] = {
    "trusted": TRUSTED,
    "credentials": CREDENTIALS,
    "wallet": WALLETS,
    "bank": BANKS,
    "launcher": (
        "com.android.launcher3 com.google.android.apps.nexuslauncher com.miui.home "
        "com.sec.android.app.launcher"
        " com.huawei.android.launcher com.oppo.launcher com.bbk.launcher2 com.android.launcher "
        "com.hihonor.android.launcher"
    ),
    "settings": (
        "com.android.settings com.miui.securitycenter com.huawei.systemmanager "
        "com.coloros.safecenter"
        " com.coloros.phonemanager com.iqoo.secure com.samsung.accessibility "
        "com.android.settings.intelligence"
        " com.samsung.android.lool com.oplus.safecenter com.vivo.permissionmanager "
        "com.hihonor.systemmanager"
        " com.google.android.gms"
    ),
    "permission": (
        "com.android.permissioncontroller com.google.android.permissioncontroller "
        "com.lbe.security.miui"
        " com.samsung.android.permissioncontroller com.coloros.securitypermission "
        "com.android.vpndialogs"
        " com.oplus.securitypermission com.huawei.permissionmanager"
    ),
    "installer": (
        "com.android.packageinstaller com.google.android.packageinstaller com.miui.packageinstaller"
        " com.samsung.android.packageinstaller com.oplus.packageinstaller "
        "com.huawei.packageinstaller"
        " com.vivo.packageinstaller com.android.packageinstaller.overlay"
    ),
    "store": (
        "com.android.vending com.xiaomi.market com.huawei.appmarket com.heytap.market "
        "com.oppo.market"
        " com.bbk.appstore com.sec.android.app.samsungapps com.tencent.android.qqdownloader "
        "com.amazon.venezia"
        " org.fdroid.fdroid com.wandoujia.phoenix2 com.coolapk.market com.qihoo.appstore "
        "com.hihonor.appmarket"
    ),
    "chat": (
        "com.tencent.mm com.tencent.mobileqq com.whatsapp com.whatsapp.w4b "
        "org.telegram.messenger com.facebook.orca"
        " com.viber.voip jp.naver.line.android com.discord com.Slack com.alibaba.android.rimet "
        "com.tencent.wework"
        " com.ss.android.lark com.skype.raider org.thoughtcrime.securesms com.kakao.talk "
        "com.microsoft.teams"
        " com.google.android.apps.messaging com.android.mms com.samsung.android.messaging "
        "com.android.messaging"
        " com.snapchat.android com.tencent.tim com.google.android.apps.dynamite"
    ),
    "mail": (
        "com.google.android.gm com.microsoft.office.outlook com.yahoo.mobile.client.android.mail "
        "com.netease.mail"
        " com.tencent.androidqqmail com.android.email com.samsung.android.email.provider "
        "com.fsck.k9"
        " ch.protonmail.android com.netease.mobimail"
    ),
    "shop": (
        "com.taobao.taobao com.tmall.wireless com.jingdong.app.mall com.xunmeng.pinduoduo "
        "com.sankuai.meituan"
        " me.ele com.dianping.v1 com.amazon.mShop.android.shopping com.ebay.mobile "
        "com.walmart.android"
        " com.shopee.app com.alibaba.aliexpresshd com.einnovation.temu com.zzkko com.ubercab "
        "com.ubercab.eats"
        " com.sdu.didi.psnger com.dd.doordash ctrip.android.view com.booking com.airbnb.android "
        "com.Qunar"
        " com.MobileTicket com.taobao.idlefish com.achievo.vipshop com.starbucks.mobilecard"
    ),
    "notes": (
        "com.android.notes com.miui.notes com.samsung.android.app.notes com.huawei.notepad "
        "com.coloros.note"
        " com.google.android.keep com.evernote com.microsoft.office.onenote com.todoist "
        "com.ticktick.task"
        " cn.ticktick.task com.google.android.apps.tasks com.microsoft.todos notion.id "
        "com.simplemobiletools.notes"
        " com.android.calendar com.google.android.calendar"
    ),
    "dialer": (
        "com.google.android.dialer com.samsung.android.dialer com.android.dialer com.android.phone"
        " com.android.incallui com.android.server.telecom"
    ),
    "terminal": (
        "com.termux jackpal.androidterm com.offsec.nhterm org.connectbot "
        "com.server.auditor.ssh.client"
        " com.sonelli.juicessh yarolegovich.materialterminal"
    ),
    "gallery": (
        "com.android.gallery3d com.miui.gallery com.sec.android.gallery3d "
        "com.google.android.apps.photos"
        " com.huawei.photos com.coloros.gallery3d com.vivo.gallery "
        "com.google.android.apps.nbu.files"
        " com.android.fileexplorer com.mi.android.globalFileexplorer com.sec.android.app.myfiles"
        " com.huawei.filemanager com.coloros.filemanager com.google.android.documentsui "
        "com.android.documentsui"
    ),
    "clock": (
        "com.google.android.deskclock com.android.deskclock com.sec.android.app.clockpackage"
        " com.huawei.deskclock com.coloros.alarmclock com.android.BBKClock"
    ),
    "browser": (
        "com.android.chrome com.android.browser com.mi.globalbrowser com.sec.android.app.sbrowser"
        " com.huawei.browser com.heytap.browser com.vivo.browser org.mozilla.firefox "
        "com.microsoft.emmx"
        " com.opera.browser com.brave.browser com.UCMobile com.tencent.mtt com.quark.browser"
    ),
}  # fmt: skip
_BY_NAME: Mapping[str, AppKind] = {
    package: kind for kind, packages in _EXACT.items() for package in packages.split()
}
_BY_PART: tuple[tuple[AppKind, re.Pattern[str]], ...] = (
    ("permission", re.compile(r"permissioncontroller|permissionmanager")),
    ("installer", re.compile(r"packageinstaller")),
    ("credentials", re.compile(r"authenticator|passwordmanager|keepass|passwordsafe|\.vault\b")),
    ("bank", re.compile(r"bank(?!note)|credit_?union|mbank")),
    (
        "wallet",
        re.compile(r"wallet|(?<![a-z])e?pay(?![a-z])|fintech|securities|crypto|broker|stocks?\b"),
    ),
    ("launcher", re.compile(r"launcher")),
    ("settings", re.compile(r"\.settings$|securitycenter|safecenter")),
    ("store", re.compile(r"appstore|appmarket|\.vending|app_?store")),
    ("dialer", re.compile(r"dialer|incallui")),
    ("mail", re.compile(r"mail")),
    ("chat", re.compile(r"messeng|messaging|\.chat|chat\b|\bmms\b|\.sms")),
    ("shop", re.compile(r"shop|mall|\bstore\b|market|food|deliver|taxi|ride|hotel|travel|ticket")),
    ("notes", re.compile(r"notes?\b|notepad|memo\b|todo|tasks\b|calendar")),
    ("terminal", re.compile(r"term(?:inal|ux)\b|\.ssh|sshclient|\bshell\b")),
    ("gallery", re.compile(r"gallery|photos|album|fileexplorer|filemanager|myfiles")),
    ("clock", re.compile(r"clock|alarm")),
    ("browser", re.compile(r"browser")),
)  # fmt: skip


def kind_of(package: str | None) -> AppKind:
    """The kind of an app; `other` where its name tells nothing. Only exact names are trusted."""
    if not package:
        return "other"
    known = _BY_NAME.get(package)
    if known is not None:
        return known
    name = package.lower()
    return next((kind for kind, pattern in _BY_PART if pattern.search(name)), "other")


def known_packages() -> frozenset[str]:
    return frozenset(_BY_NAME)
