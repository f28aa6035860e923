"""Pages of the phone's settings where its safety is decided: those, not settings as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from server.policy.answers import DIALOG_NO
from server.policy.app_kinds import AppKind
from server.policy.decision import Finding
from server.policy.labels import read_label
from server.policy.screen import ScreenView, Touched
from server.policy.wording import joined

# On a page with such a title everything but the way back is a security setting.
_PAGES = re.compile(
    r"(?:developer options|usb debugging|wireless debugging|screen lock|choose (?:a )?screen "
    r"lock|lock screen password"
    r"|device admin(?: apps)?|device administrators?|install unknown apps|unknown sources"
    r"|credential storage|vpn"
    r"|encryption(?: & credentials)?|trust agents|fingerprint(?: manager| unlock)?|face unlock"
    r"|face (?:id|recognition)"
    r"|accessibility|downloaded apps|sim card lock|play protect(?: settings)?|find my device|app "
    r"lock|special app access"
    r"|notification access|usage access|display over other apps|default (?:sms|phone|browser)? "
    r"?apps?|passwords?.*"
    r"|2-step verification|two-factor authentication|passkeys?|install certificate.*|smart lock"
    r"|extend unlock"
    r"|开发者?选项|usb调试|无线调试|屏幕锁定?|锁屏密码|锁屏方式|选择锁屏方式|设备管理(?:器"
    r"|应用)?|激活设备管理器.*|未知(?:来源|应用).*"
    r"|安装未知应用|凭据存储|加密(?:与凭据)?|信任代理|指纹(?:管理|解锁|与密码)?|人脸(?:识别|解锁"
    r"|管理)?|面容.*|无障碍(?:服务)?|已下载的(?:应用|服务)"
    r"|sim卡锁定?|查找(?:我的)?(?:设备|手机)|应用锁|特殊应用权限|通知使用权|使用情况访问权限"
    r"|显示在其他应用的?上层|悬浮窗|默认应用"
    r"|密码与安全|密码和安全|两步验证|双重验证|安装证书|密码与生物识别|生物识别和密码|vpn设置)"
)
# On those pages these rows only change how things look, or lead further.
_HARMLESS = re.compile(
    r"(?:.*(?:font|display|text) size.*|.*(?:color|colour) (?:correction|inversion)|.*dark "
    r"(?:theme|mode).*|captions?.*"
    r"|magnification|high contrast text|color and motion|display size and text|audio (?:balance"
    r"|adjustment)|search.*|more options"
    r"|.*字体.*|.*显示大小.*|.*颜色(?:校正|反转).*|.*深色.*|字幕.*|放大.*|高对比度.*|搜索.*|更多.*)"
)
# In settings these rows are security settings on whatever page they stand.
_LEAST_STRENGTH = 2


def find_security(kind: AppKind, screen: ScreenView, touched: Touched) -> Iterator[Finding]:
    """A security setting of the phone, by its page's title or by its own words."""
    if kind != "settings" or touched.kind in ("nothing", "field"):
        return
    words = [read_label(text) for text in touched.labels or touched.beside]
    if any(DIALOG_NO.fullmatch(read.plain) for read in words):
        return
    if words and all(_HARMLESS.fullmatch(read.plain) for read in words[:1]):
        return
    title = joined(screen.title).strip(" .:")
    if _PAGES.fullmatch(title) and touched.kind != "text" and not _is_title(screen, touched):
        yield Finding("security", "security_page", f"“{touched.name}” on the page “{screen.title}”")
        return
    for read in words:
        if read.acts.get("security", 0) >= _LEAST_STRENGTH and not _is_title(screen, touched):
            yield Finding("security", "security_setting", f"“{read.text}” in the settings")
            return


def _is_title(screen: ScreenView, touched: Touched) -> bool:
    node = touched.node
    return (
        node is not None
        and node.bounds.bottom < 0.14 * screen.height_px
        and touched.kind in ("text", "icon")
    )
