"""The words of each class of risk, in Chinese (simplified) and English, as plain regular patterns.

They are matched on plain texts (`server.policy.wording`). `acts` are what a button says that does
it; `not_acts` are phrases that hold such a word and do something else (`payment history`); `asks`
are what a question or a notice says around a button that only says `OK`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from server.policy.decision import RiskClass


@dataclass(frozen=True, slots=True)
class ClassWords:
    """One class's words in one language each; patterns without anchors."""

    acts_en: str
    acts_zh: str
    not_acts_en: str
    not_acts_zh: str
    asks_en: str = r"(?!)"
    asks_zh: str = r"(?!)"


_MEMBER_EN = r"(?:premium|pro|plus|vip|membership|subscription|plan|ad-free|gold|prime)"
_MY = r"(?:(?:my|your|the|this|an?|these|all|selected) )*"
_BOOKED = (
    r"(?:orders?|bookings?|reservations?|appointments?|rides?|trips?|tickets?|seats?|rooms?"
    r"|tables?|flights?|taxis?|cars?|cabs?|pick-?ups?|deliver(?:y|ies)|uber ?x?|visits?|stays?)"
)

CLASS_WORDS: Mapping[RiskClass, ClassWords] = {
    "pay": ClassWords(
        acts_en=(
            r"pay(?:s|ing)?|(?:make|confirm|submit|complete|authori[sz]e|approve|process|finish)"
            rf"(?: and)? {_MY}(?:payment|purchase|checkout)|purchas(?:e|ing)|check ?out|buy(?:ing)?"
            r"|subscrib(?:e|ing)|renew|top[- ]?up|recharge|donat(?:e|ing)|repay|settle|invest"
            r"|(?:place )?bid|bet|charge|remove ads|unlock|get the deal|claim (?:offer|deal)"
            rf"|(?:go|get|join|try|start|upgrade to|switch to|become an?|activate|unlock) {_MY}"
            rf"(?:\S+ )?{_MEMBER_EN}|upgrade|(?:start|begin|try|get|claim|activate) {_MY}"
            r"(?:[\w-]+ ){0,3}(?:free )?trial|try (?:it )?(?:for )?free|(?:send|leave|give) "
            r"(?:an? )?(?:tip|gift|red packet)|sell|redeem|deposit|enable auto-?pay"
        ),
        acts_zh=(
            r"支付|付款|付钱|付费|买单|结账|结算|购买|抢购|秒杀|充值|续费|续订|订阅|开通|缴费|缴纳|交费"
            r"|还款|打赏|捐款|捐赠|扣款|扣费|红包|塞钱|升级(?:会员|vip|套餐|专业版|高级版)|试用"
            r"|代付|投保|加仓|买入|申购|认购|赎回|卖出|投资|出价|竞拍|兑换|下注|赠送|送礼|加入会员"
            r"|成为会员|解锁|免密|免费领取会员|立即抢|马上抢|去买|付定金|付尾款|刷卡|收银台|首月.{0,4}元"
            r"|\d+元.{0,2}(?:开通|购|抢|试)|确认收货|交押金|续期"
        ),
        not_acts_en=(
            r"pay(?:ment)? (?:methods?|options?|history|settings|details|info(?:rmation)?|status|code"
            r"|plans?|stubs?|cards?|accounts?|later options|calendar|dates?|rates?|terms)|payments"
            r"|paying with|pay from|restore purchases?|(?:proceed|go|continue) to check ?out|ways? to pay|how to pay|pay attention|payrolls?|(?:google|apple|samsung|g|mi|huawei) ?"
            r"pay|buy(?:er|ers|ing guide|ing list)|(?:top[- ]?up|purchase|recharge|donation|billing) "
            r"(?:history|records?)|purchases|subscriptions|subscribers|subscribed|bill ?pay"
            r"|upgrade (?:guide|notes)|phone unlock|unlock (?:phone|screen|device|with)|bidding"
            r"|charge (?:level|battery)|shopping list|things to buy|to buy|redeemed|paying guests"
            r"|settle in|alphabet|better|(?:free )?trial (?:terms|info)"
        ),
        not_acts_zh=(
            r"支付宝|(?:支付|付款)(?:方式|设置|管理|记录|码|密码|成功|中心|完成|助手|账单|详情|时间"
            r"|安全|说明|服务|渠道|失败|结果|凭证|卡)|收付款|[已待未需代]支付|[已待未需]付款|人付款|人已?购买"
            r"|已购买?|购买(?:记录|须知|说明|清单|日期|渠道)|(?:充值|缴费|还款|捐赠|兑换|打赏|订阅|开通|投资"
            r"|红包|续费|购买|结算|试用)(?:记录|历史|列表|计划|日期?|规则|说明|攻略|中心|提醒|单|期限|状态)"
            r"|订阅号|[已我]的?订阅|货到付款|已开通|未开通|开通城市|投资(?:者|组合|理财资讯)|解锁(?:手机|屏幕|方式)"
            r"|(?:付款|还款|扣款|支付|充值|缴费)(?:账户|账号|银行卡|卡|对象|人|日)|恢复购买|去?结算(?:\W*\d+\W*)?$|付费(?:内容|专区|榜)|红包封面|购买力|免费试用规则|试用装|结算页面|支付页|卖出价|买入价"
        ),
        asks_en=(
            r"payment|purchases?|checkout|charged?|billed|reload|add money|total|amount due|subscription|trial|per month"
            r"|/ ?mo(?:nth)?\b|/ ?y(?:ea)?r\b|auto-?renew\w*|price|fee"
        ),
        asks_zh=(
            r"支付|付款|扣款|扣费|实付|应付|合计|总计|总价|会员|续费|自动续|订阅|元/[月年]|收费|费用|押金|账单"
        ),
    ),
    "transfer": ClassWords(
        acts_en=(
            r"transfer(?:ring)?|send (?:money|funds|cash|crypto|payment)|(?:send|pay) ?(?:us|hk|nt)?[$€£¥]"
            r"|wire|remit|withdraw|cash out|move (?:money|funds)|borrow|lend|request loan"
            r"|get (?:the |my )?loan|accept loan"
        ),
        acts_zh=r"转账|汇款|转钱|提现|转出|转入|打款|划转|付给|借款|借钱|去借|放款|转给|转帐|取现",
        not_acts_en=(
            r"transfer (?:history|details|limits?|status|records?|settings|files?|data|guide|fees?)"
            r"|transfers|transferred|(?:file|data|photo) transfer|withdrawals?|wireless|bank transfer info"
        ),
        not_acts_zh=(
            r"(?:转账|汇款|提现|转出|转入|借款)(?:记录|限额|成功|设置|详情|明细|历史|说明|规则|失败|到账|进度"
            r"|时间|助手)|已转账|文件传输"
        ),
        asks_en=r"transfer|send money|you send|gets|recipient|payee|beneficiary|withdrawal|send money|loan|iban",
        asks_zh=r"转账|汇款|收款(?:人|方|账户|账号)|提现|转数快|到账|借款|转给|付款账户",
    ),
    "order": ClassWords(
        acts_en=(
            rf"(?:place|submit|confirm|complete|finali[sz]e|make|send|request|book|reserve|schedule) "
            rf"{_MY}(?:\S+ )?{_BOOKED}|(?:re)?order|order again|(?:pre-?)?book|reserve|rent"
            rf"|cancel {_MY}(?:\S+ )?{_BOOKED}|(?:request|get) {_MY}refund|return {_MY}items?"
            r"|call (?:a )?(?:taxi|cab|ride)|request(?: \w+)? ?(?:ride|now)|enrol+"
        ),
        acts_zh=(
            r"提交订单|下单|确认订单|预订|预定|订购|预约|拼单|参团|开团|叫车|打车|呼叫.{0,4}车|确认呼叫"
            r"|确认上车|立即用车|用车|挂号|抢票|购票|订票|订房|订座|退款|取消(?:订单|预订|预约|行程|用车)"
            r"|改签|退票|退货|报名|点餐|寄件|订单提交|去拼|抢单|租借|租车|开锁用车"
        ),
        not_acts_en=(
            r"orders? (?:history|details?|status|summary|number|id|info|list|by|tracking|confirmation|#"
            r"|placed)|(?:my|your|view|track|see|all|past|recent|sort) orders?|in order|orders"
            r"|bookmark\w*|book (?:list|club|store|shelf|details|reviews?)|books|reading a book"
            r"|return policy|rent(?:al)? (?:guide|details)|bookings|reservations|buy order list"
            r"|ordered|booked"
        ),
        not_acts_zh=(
            r"(?:我的|全部|查看|历史|待付款?)(?:订单|预约|预订)|订单(?:详情|号|编号|列表|状态|中心|信息)"
            r"|(?:预订|预约|报名|退款|退票|改签|挂号)(?:须知|记录|说明|规则|政策|进度|详情|流程|成功|时间)"
            r"|已预约|已下单|已报名|下单时间|[不可支]?支持退款|无理由退货"
        ),
        asks_en=r"your order|booking|reservation|pick-?up|fare|itinerary|cancel (?:the|your|this) order",
        asks_zh=r"订单|预订|预约|行程|下单|退款|报名",
    ),
    "delete": ClassWords(
        acts_en=(
            r"delet(?:e|es|ing)|eras(?:e|ing)|remov(?:e|ing)|wip(?:e|ing)|uninstall(?:ing)?|discard"
            r"|(?:move|send|put)(?: \w+)? (?:to|in(?:to)?) (?:the )?(?:trash|(?:recycle )?bin)|trash"
            r"|empty(?: \w+)? (?:trash|bin|cart|folder)|empty|(?:factory )?reset|unsubscribe|unfriend"
            r"|format (?:\w+ )?(?:sd|card|storage|disk|drive|phone|usb)\b.*|purge|shred|destroy|clear|force stop|disable|free up.*|unsend|recall"
            r"|(?:leave|exit|quit|disband|dissolve) (?:the |this )?(?:group|chat|channel|server|team"
            r"|conversation|room)|(?:close|deactivate|terminate|delete|disable) (?:my |the |this |your )?"
            rf"account|cancel {_MY}(?:\S+ )?(?:subscription|membership|plan|account|policy|service)"
            r"|forget (?:this )?(?:network|device|password)|unpair|revoke|overwrite|don't save|unlink"
            r"|replace (?:file|existing|all)|throw away|get rid of|restore (?:factory|default)s?.*"
        ),
        acts_zh=(
            r"删除|删掉|清空|清除|清理|移除|卸载|注销|销毁|抹掉|擦除|格式化|恢复出厂|重置|还原|退群"
            r"|退出(?:该|此|本)?(?:群聊?|群组|团队|公会)|解散|丢弃|舍弃|放弃(?:编辑|草稿|修改|更改)|取消订阅|退订"
            r"|取消(?:会员|套餐|自动续费|服务)|关闭账[户号]|解绑|移[到至入](?:回收站|废纸篓)|放入回收站|粉碎"
            r"|删好友|取消配对|忽略(?:此|该)?网络|不保存|永久|覆盖|撤回|扔掉|清掉|解除绑定|停用(?:账[户号])?|强行停止|强制停止|收回|释放(?:实例|空间)?|腾出空间"
        ),
        not_acts_en=(
            r"(?:recently |permanently )?deleted|^to delete\b|clear (?:app )?cache|undelete|undo delete|clear (?:search|text|query|input|filters?"
            r"|fields?|selection|sky|skies|sunny|night|button|and \w+|entry|formatting|view)|clearly"
            r"|remove (?:filters?|formatting|from favou?rites|bookmark|like)|reset (?:filters?|zoom|view"
            r"|timer|stopwatch|lap|search|sort|scale)|empty (?:state|list|inbox|view|text)|removed"
            r"|uninstalled|clearance|discarded|deletion policy|reset time|format text|how to \w+"
        ),
        not_acts_zh=(
            r"最近删除|已删除|清[除理]缓存|删除(?:线|记录|的项目|历史)|(?:清除|清空|删除)(?:搜索|文字|输入|内容框|筛选|关键[词字]|条件"
            r"|格式|已选)|重置(?:筛选|条件|缩放|视图|计时|秒表|搜索|时间)|防误删|清理(?:建议|记录)|还原度|已清理"
            r"|永久(?:会员|免费|有效)|覆盖(?:范围|率)|已撤回|撤回了|怎么删除|如何删除|卸载记录"
        ),
        asks_en=(
            r"delet(?:e|ed|ing|ion)|eras(?:e|ed|ing)|remov(?:e|ed|ing|al)|uninstall|discard(?:ed)?"
            r"|permanently|(?:cannot|can't|can not) be (?:undone|recovered|restored|reversed)|wiped?"
            r"|free up|storage full|lost|irreversibl[ey]|clear(?:ed)? (?:all|data|history|cache)|reset|unsubscribe|leave (?:the |this )?group"
            r"|moved to (?:the )?(?:trash|bin)|no longer be|cancel (?:your |the )?(?:subscription|membership)"
            r"|gone forever|start over"
        ),
        asks_zh=(
            r"删除|清空|清除|移除|卸载|注销|恢复出厂|(?:无法|不可|不能|不会?再)(?:恢复|撤销|找回|还原|撤回|逆)|永久"
            r"|格式化|抹掉|丢失|退出(?:该|此|本)?群|解散|重置|取消订阅|退订|解绑|放弃|回收站|清理|覆盖|一去不"
        ),
    ),
    "install": ClassWords(
        acts_en=(
            r"(?:re)?install(?:ing)?|update(?: now| all| app| system| software| & restart)?|sideload"
            r"|download (?:and|&) install|download (?:anyway|apk)|restart (?:and|&|to|now to) (?:install|update)"
            r"|allow from this source|get (?:the )?app|open apk|flash"
        ),
        acts_zh=(
            r"安装|^更新$|(?:立即|马上|现在|全部|一键|版本|系统|软件|应用)更新|更新(?:全部|并|到|版本|系统|应用|软件)|立即升级"
            r"|马上升级|系统升级|升级(?:到|并|系统|版本|应用)|下载(?:并安装|安装|apk|app|应用)|仍要下载|仍然下载"
            r"|未知来源|重启并(?:更新|升级)|继续下载"
        ),
        not_acts_en=(
            r"installed|installments?|(?:last )?updated?(?: on| at|:).*|updates|update (?:profile|address|photo|info"
            r"|list|status|location|cart|details|picture|bio|number|settings|history|password|log|notes|time|quantity"
            r"|card|payment)|auto-?update.*|check for updates?|no update|installation guide|uninstall\w*"
        ),
        not_acts_zh=(
            r"已安装|安装(?:包管理|记录|完成|教程|说明|成功|时间)|更新(?:日志|记录|时间|说明|头像|资料|地址|状态|动态|内容"
            r"|于|历史|提醒|位置)|已更新|检查更新|自动更新|取消安装|升级(?:会员|vip|攻略)|分期"
        ),
        asks_en=r"install|unknown (?:apps?|sources?)|apk|software update|update available|new version",
        asks_zh=r"安装|未知(?:来源|应用)|apk|新版本|系统更新|软件更新|更新包",
    ),
    "permission": ClassWords(
        acts_en=(
            r"allow(?: (?:all(?: the time)?|always|once|only.*|while.*|this time|access|notifications?|anyway"
            r"|all photos|limited access|permissions?|location|camera|microphone|contacts|tracking|full access"
            r"|management of all files|.{0,20}access))?|always allow|while using(?: the)? app|only this time"
            r"|grant(?: \w+){0,2}|permit|authori[sz]e(?: app| access)?|give (?:access|permission)|start now"
            r"|(?:turn|switch) on (?:location|notifications?)|enable (?:location|notifications?|access.*)"
            r"|select photos and videos|activate(?: this)?(?: device)?(?: admin\w*)?(?: app)?"
        ),
        acts_zh=(
            r"允许|始终允许|仅在?使用.{0,8}|仅限?本次.{0,6}|仅限?这一次|授权|授予|去授权|去设置权限|开启(?:权限|定位|通知)"
            r"|打开(?:权限|定位权限|通知权限)|一律允许|同意并允许|使用时允许|立即开始"
        ),
        not_acts_en=(
            r"(?:don't|do not|never|not) allow|allow(?:ed|ance|list)|ask every time|deny|(?:no )?grants"
            r"|authori[sz]ed|activated"
        ),
        not_acts_zh=r"不允许|禁止|拒绝|已允许|已授权|不授权|取消授权|允许列表|授权(?:记录|管理|说明|书)|不再允许",
        asks_en=(
            r"access (?:to )?(?:your |this |the |photos|files|contacts|camera|location|media|device)"
            r"|(?:would like|wants) to|permissions?|record audio|send you notifications|take pictures"
            r"|(?:wants?|requests?|requesting|asks for) access|consent|recorded|biometric|health data|microphone|device'?s? location|start recording|casting|device admin|draw over"
        ),
        asks_zh=(
            r"权限|摄像头|麦克风|授权|读取|获取你|获取您|(?:访问|获取|读取|使用)(?:你|您|此|该|设备|手机)?的?(?:位置|照片|相册|相机|摄像头|麦克风|通讯录|联系人|存储|文件"
            r"|短信|通话|日历|设备|信息|媒体)|发送通知|录音|拍摄照片|悬浮窗|设备管理|录制屏幕|申请获取"
        ),
    ),
    "send": ClassWords(
        acts_en=(
            r"(?:re)?send(?:ing)?|post|publish|tweet|submit|forward|broadcast|call(?: now| back| again)?|dial"
            r"|(?:video|voice|audio|emergency|phone|start|make|place) ?(?:a )?(?:video |voice )?call|sms|text now|go live"
            r"|start (?:live|stream\w*|broadcast\w*)|share (?:now|post|to .*|with .*|location|live location"
            r"|screen|publicly)|add friend|send (?:friend )?request|apply(?: now)?|sign (?:and|&) \w+|invite|rsvp"
            r"|file (?:a )?report|e-?mail it|release|upload(?: now| video| photo)?|reply all|hold to talk|comment"
            r"|join (?:call|meeting)|accept (?:the )?(?:offer|invitation|contract)|e-?sign|sign (?:document|contract)"
        ),
        acts_zh=(
            r"发送|发出|发布|发表|发帖|发微博|发朋友圈|提交|群发|转发|拨打|呼叫|拨号|打电话|语音通话|视频通话|音视频通话"
            r"|发起通话|通话|开播|开始直播|投递|发送申请|添加到通讯录|加好友|添加好友|投票|分享[到给至]|分享位置"
            r"|共享(?:实时)?位置|送出|寄出|传送|发给|举报|签署|邀请|按住说话|上传|发消息给|一键发|推送|回电|重拨|公开"
        ),
        not_acts_en=(
            r"sent|sender|posts?(?:ed| office|al|er|s)|posts|postpone|postcode|call (?:log|history|settings|recording"
            r"|forwarding|waiting|list|details|info)|calls|missed call|recent calls?|called|comments|submitted"
            r"|(?:re)?send (?:code|otp|verification.*|feedback)|forwarded|uploads|uploaded|invites|published|call of \w+"
            r"|apply (?:filters?|theme|coupon|changes|wallpaper|promo.*|code|effect|style)|add (?:a )?comment"
            r"|write (?:a )?comment|view comments?|release notes|released|callback request list|post-.*"
        ),
        not_acts_zh=(
            r"已发送|发送(?:失败|记录|验证码|中|时间|设置)|未发送|发布(?:时间|会|者|于|日期|记录)|已发布|通话(?:记录|录音|设置"
            r"|详情|时长|中)|提交(?:订单|记录|时间|成功)|已提交|转发(?:量|数|设置)|上传(?:记录|列表|中)|已上传|投票(?:结果|规则)"
            r"|公开(?:课|赛|信息|资料)|呼叫(?:转移|等待|.{0,4}车)|确认呼叫|邀请(?:记录|码|函)|推送(?:设置|通知)|骚扰拦截"
        ),
        asks_en=(
            r"(?:will be|to be) (?:sent|posted|published|shared)|new (?:post|tweet|story|message|review|comment)|caption"
            r"|who can (?:see|view)|visible to|audience|share(?= \W)|share (?:with|your location|my location)|organi[sz]er|people with access|invit\w+|rsvp|approval"
            r"|everyone (?:can|will)|public(?:ly)?|live location"
        ),
        asks_zh=(
            r"发送|发布|发表|群发|拨打|呼叫|提交|公开|通话|转发|审批|申请人|报销|邀请|谁可以看|所有人可见|大家|实时位置|共享位置|位置共享|投递"
        ),
    ),
    "sign_in": ClassWords(
        acts_en=(
            r"log ?-?(?:me )?in|sign ?-?(?:me )?in|sign ?-?up|register|create (?:an |new |my )?account"
            r"|(?:continue|sign in|log in|sign up) (?:with|using|as) .*|verify(?: \w+)?|(?:get|send|resend) (?:\w+ )?(?:otp|code)"
            r"|authenticate|i'?m not a robot|(?:use|enter) (?:pass(?:word|code|key)|pin|fingerprint)|submit code"
            r"|approve sign-?in|yes,? it'?s me|unlock vault"
        ),
        acts_zh=(
            r"登录|登入|登陆|注册|我不是机器人|安全验证|人机验证|完成验证|提交验证|立即验证|验证并|开始验证|去验证"
            r"|获取.{0,4}验证码|发送.{0,4}验证码|重新获取验证码|使用(?:密码|指纹|面容)|是我本人|确认登录"
        ),
        not_acts_en=(
            r"signed in|logged in|other (?:ways|options).*|another way.*|forgot.*|trouble .*|need help.*|(?:sign|log)-? ?in (?:options?|history|activity|help|settings|records?|devices?)"
            r"|register(?:ed|s)|verified|verification (?:history|guide)|cash register|sign ?out|log ?out"
        ),
        not_acts_zh=(
            r"其他.{0,4}登录.{0,2}|忘记密码|已登录|登录(?:记录|设备|管理|历史|日志|方式|保护|设置|时间)|退出登录|最近登录|注册(?:时间|资本|协议|地址)|未登录"
            r"|登录注册协议"
        ),
        asks_en=(
            r"(?:log|sign) ?in|password|passcode|verification code|one-time|\botp\b|captcha|not a robot|two-factor"
            r"|new device|is this you|was this you"
        ),
        asks_zh=r"登录|密码|验证码|人机验证|安全验证|滑块|新设备|本人操作|异地",
    ),
    "security": ClassWords(
        acts_en=(
            r"(?:usb|wireless) debugging|oem unlock\w*|developer (?:options|mode)|build number"
            r"|(?:change|set|set up|remove|turn off|disable|reset|add|edit|create|update) (?:\w+ )?(?:screen lock|pin"
            r"|password|passcode|pattern|lock|fingerprint|face ?id|face unlock|passkey|2fa|two-(?:step|factor).*)"
            r"|screen lock|device admin.*|install unknown apps|unknown sources|play protect.*|find my (?:device|phone)"
            r"|(?:install|add) (?:a )?certificate|ca certificate|trust(?: agents?| this computer| certificate)"
            r"|(?:turn|switch) off (?:play protect|find my.*|encryption|firewall|protection|screen lock|2-step.*|two.*)"
            r"|disable (?:play protect|protection|security|verification|lock)|root|unlock bootloader|sim (?:card )?lock"
            r"|two-(?:step|factor) (?:verification|authentication)|2-step verification|app lock|screen pinning"
            r"|use service|talkback|accessibility service|notification access|usage access|display over other apps"
            r"|mock location.*|set (?:as )?default(?: sms)?(?: app)?|(?:unlock|open)(?: \w+){0,3} (?:door|gate|garage|car)|disarm|share (?:my )?location.*|always-on vpn|add vpn|connect vpn|stay signed in"
        ),
        acts_zh=(
            r"(?:usb|无线)调试|oem解锁|开发者(?:选项|模式)|版本号|锁屏密码|屏幕锁|锁屏(?:方式|解锁)|设备管理(?:器|应用|员)"
            r"|未知(?:来源|应用)|查找(?:我的)?(?:设备|手机)|信任(?:代理|此电脑|证书)|安装证书|凭据存储|sim卡锁"
            r"|(?:修改|更改|设置|重置|关闭|删除|移除|取消|添加|录入|更换|绑定|换绑)(?:\w{0,4})(?:密码|指纹|人脸|面容|图案|pin码?|验证"
            r"|手机号|密保|安全保护|锁屏|邮箱)|两步验证|双重(?:验证|认证)|二次验证|应用锁|使用情况访问|悬浮窗|显示在其他应用"
            r"|通知使用权|特殊应用权限|模拟位置|纯净模式|无障碍服务|talkback|使用服务|设为默认(?:应用|短信|电话)?"
            r"|关闭(?:查找|防护|保护|加密|验证|防火墙|纯净)|指纹(?:管理|解锁)?|人脸(?:识别|解锁|数据)|添加vpn|始终开启的vpn|开锁|开门|解除(?:防护|警戒|布防)|撤防|远程(?:开|控制|协助)"
        ),
        not_acts_en=r"root vegetables|grass ?root\w*|(?:show|hide|forgot) password|password (?:tips|guide)",
        not_acts_zh=r"(?:显示|隐藏|忘记)密码|密码(?:提示|说明)",
        asks_en=(
            r"debugging|developer|device admin|accessibility|screen lock|protection|security|vulnerab\w+|trust"
            r"|remote(?:ly)? control|control your|see your screen|door|lock|garage|alarm system|unlimited allowance"
            r"|certificate|encryption|full control"
        ),
        asks_zh=(
            r"调试|开发者|设备管理|无障碍|锁屏|安全风险|防护|证书|完全控制|加密|远程(?:控制|协助)|控制(?:本|您|你)的?(?:机|手机|设备)"
            r"|看到你的屏幕|屏幕共享|共享屏幕|门锁|开锁|双重验证"
        ),
    ),
}

_MONEY = (
    r"(?:(?:us|hk|nt|a|c|s)?[$€£¥₩₹]|rmb|cny|usd|hkd|twd|eur|gbp|jpy) ?\d[\d,]*(?:\.\d{1,2})?"
    r"|\d[\d,]*(?:\.\d{1,2})? ?(?:元|块|万元|円|usd|cny|rmb|eur|gbp|dollars?|yuan|bucks)"
)
MONEY = re.compile(_MONEY)
DIALOG_YES = re.compile(
    r"(?:ok(?:ay)?|yes|yep|yeah|sure|confirm(?:ed)?|continue|proceed|accept|agree|i agree|i understand|go ahead"
    r"|next|done|finish|complete|apply|activate|enable|turn on|start|go|let's go|do it|got it|understood|i'm sure"
    r"|i accept|approve|sounds good|submit|save|slide|swipe|hold|tap here|click here|here|absolutely|alright|review"
    r"|确定|确认|好的?|是的?|行|继续|下一步|完成|同意|我同意|知道了|我知道了|我已知晓|我已了解|提交|接受|立即开启|开启|没问题"
    r"|可以|对|嗯|坚持|就这样|仍要继续|仍然继续|同意并继续|确认无误|没错|开始|去吧|走起|点这里|点击这里|启用|立即体验|马上体验"
    r"|领取|立即领取|免费领取|打开|保存|批准|核对无误|已核对|我要|冲|安排|好哒|朕知道了|了解|必须的|滑动|长按|应用|接受|通过|仍然保留|同意并加入|accept all|i consent|keep anyway|join|(?:yes|ok|confirm|agree|accept)\b.*|all good.*|looks good.*|好的?[,，!！].*|好.{0,6}|确[定认].{0,8}|是的?[,，].*)"
)
"""What a button says that only means yes: what for stands elsewhere on the screen."""
DIALOG_NO = re.compile(
    r"(?:no|nope|no,? thanks?|not? now|cancel|back|go back|close|dismiss|later|maybe later|skip|deny|don'?t allow|do not allow"
    r"|don't|never|decline|reject|block|keep(?: (?!anyway)[\w ]+)?|not yet|ignore|undo|stay(?: .*)?|exit|remind me later"
    r"|ask (?:me )?later|ask every time|x|×|✕|✖|return|navigate up|nevermind|never mind|abort|stop|wait|leave meeting"
    r"|(?:don't|do not|not|never|no,?) (?:now|install|send|delete|remove|pay|buy|share|save password|accept|agree|continue|update"
    r"|sign in|log in|subscribe|transfer|post|call|order|book|yet|interested|today|thank you)(?: \w+)?|i'?ll (?:wait|think).*"
    r"|取消|返回|关闭|关掉|暂不.*|以后再说|稍后.*|下次.*|不用了?|不了|拒绝|不允许|禁止|不同意|否|不|再想想|我再想想|先?不.{1,6}了?|保留"
    r"|继续编辑|留下|跳过|忽略|不要.*|不需要|算了.*|残忍拒绝|放弃|退出|以后|撤销|后退|收起|暂时不.*|不感兴趣|每次询问|点错了|回去|再看看"
    r"|取消(?:登录|安装|支付|付款|转账|发送|上传|下载|授权|拨打|更新|删除|操作)|保持(?:关闭|现状|不变)|转到上一层级|上一步"
    r"|cancelar|no permitir|ahora no|キャンセル|許可しない|いいえ|戻る|許可不|许可しない)"
)
"""What a button says that only means no."""
_THINGS_EN = r"(?: (?:[\w'&-]+)){0,4}"
LOOKS_AROUND = re.compile(
    r"(?:view|see|show|hide|open|read|browse|explore|discover|look|preview|compare|expand|collapse|learn|edit|change|adjust"
    r"|customi[sz]e|rename|forgot|attach|quote|select all|undo|redo|filter|sort|search|find|zoom|rotate|crop|mute|unmute|play|pause|resume|replay|shuffle|repeat|rewind"
    r"|like|unlike|love|bookmark|favou?rite|pin|star|follow|track|copy|refresh|reload|retry|try again|scan|print|translate"
    r"|listen|watch|visit|go to|manage|check|get directions|navigate|compose|write|contact|snooze|archive|mark(?: as)?|rate"
    r"|add to|move to|jump to|continue (?:shopping|reading|watching|browsing)|back to)"
    + _THINGS_EN
    + r"|(?:home|menu|more(?: options| info| details| actions)?|settings|profile|me|my.*|account|overview|accounts|activity"
    r"|history|records?|details?|statements?|balance|cards?|all|filters?|sort(?: by.*)?|help(?:.*)?|support|notifications?|messages?"
    r"|inbox|contacts?|about.*|faq|tabs?|refresh|markets?|news|wallet|assets?|insights?|analytics|calendar"
    r"|month|week|today|tomorrow|yesterday|year|day|language|english|chinese|chats?|calls|photos?|albums?|videos?|music|maps?|explore"
    r"|library|downloads?|feed|trending|popular|new|recent|nearby|saved|favou?rites|categories|deals|offers|cart|bag|basket|orders"
    r"|trips|tickets|payments?|transfers?|cards|rewards|points|coupons?|promo.*|terms.*|privacy.*|version.*|size.*|colou?r.*|quantity.*"
    r"|directions|route|start navigation|start timer|start workout|stop|timer|alarm|stopwatch|lap|previous|up|down|left|right"
    r"|next (?:page|month|week|day|song|track|episode)|page \d+|.* tab|.* page|no results|loading.*|read(?:ing)? .*|customer service"
    r"|contact us|feedback|clear cache|comments?\W*\d+\W*|register|sign up)"
    r"|(?:查看|浏览|打开|显示|隐藏|阅读|播放|暂停|搜索|查找|筛选|排序|切换|编辑|修改|更改|新建|加入(?:购物车|收藏|歌单|书架|清单)|收藏|点赞|关注|喜欢|复制|刷新"
    r"|重试|扫描|扫一扫|翻译|收听|观看|进入|前往|去看|去逛|逛逛|了解|展开|收起|放大|缩小|旋转|裁剪|静音|下一[首页集章个]|上一[首页集章个]|继续(?:阅读|播放|观看|逛|浏览)"
    r"|忘记|其他|全选|多选|反选|引用|附件|存草稿|退格|写|录音|拍照|拍摄|打印|导航|联系|咨询|管理|标记|置顶|归档|换一[批换]|检查|计算|比较|预览|定位|听|看|读|记).{0,12}"
    r"|(?:首页|主页|菜单|更多|设置|我的?|我的.*|账户|账单|明细|详情|余额|卡包|全部|全部.{0,4}|帮助.*|客服.*|消息|通知|通讯录|联系人|关于.*|行情|资讯|发现|钱包"
    r"|资产|理财|基金|股票|信用卡|贷款|生活|财富|银行卡|总资产|收入|支出|日历|本[月周年]|上[月周年]|今[天日]|昨[天日]|明[天日]|历史.*|.*记录|优惠券?|领?优惠.{0,4}|积分|地址.*|规则"
    r"|.{1,8}(?:明细|详情|说明|历史|账单|规则|攻略|榜|列表|专区|频道|分类|页面)|推荐|附近|热门|最新|同城|直播|视频|图片|相册|音乐|地图|路线|公交|地铁|步行|驾车|骑行|购物车|订单|分类"
    r"|会员中心|个人中心|服务|反馈.*|客服|上一步|前一.|后一.|规格|颜色.*|尺码.*|数量.*|评价.*|.*币?种|语言|简体中文|英文|计时|秒表|闹钟|倒计时|开始计时|开始导航|开始跑步|计次|停止|评论\W*\d+|.{0,4}方式|清[除理]缓存|查询|注册)"
    r"|[\d\W]+|[a-z]|\d+ ?(?:gb|mb|kg|g|km|m|min|h|ml|cm|个|件|份|元|月|日|天|年|点|分钟?|小时|次|人)?|x{0,3}[sml]|.{1,30}\d{1,2}:\d{2}.*"
)
"""Words of what only looks around, or changes what is as easily changed back."""
SOFT = re.compile(
    r"(?:choose|select|pick|save|add|create|apply|use|set|start|share|reply|comment|chat|message|download|export|import|record|take"
    r"|load|switch(?: to)?|turn (?:on|off)|skip|new|get|join|update|upload|connect|continue|next)"
    + _THINGS_EN
    + r"|(?:选择|选好了|保存|添加|加入|应用|使用|设置|分享|回复|评论|下载|导出|导入|录制|开始|切换到|创建|新增|上传|连接|领|换|去).{0,8}"
)
"""Words of what is harmless in itself, and may be the last step where it stands."""
ANSWERS_TEXT = re.compile(r"(?:reply|comment|message|chat|share|回复|评论|发?消息|分享)(?: .*)?")
"""Words that send what was written, where something was written, and else open the place to write."""
STORE_ACTS = re.compile(r"(?:get|install|update(?: all)?|download|buy|open beta|获取|取得|安装|下载|更新|全部更新|立即获取|一键升级|升级|入手|インストール|obtener|instalar)")
"""What the button of an app store says."""
REFUSES = re.compile(r"(?:decline|reject|refuse|deny request|maybe|tentative|拒绝|驳回|不同意|婉拒|退回|谢绝|待定)(?: .*)?")
"""A no that is itself sent to somebody, where an invitation or a request is answered."""
ANSWERS = re.compile(
    r"invit\w+|rsvp|going\?|attend|meeting|organi[sz]er|request(?:ed|er)? (?:from|by|to)|approval|applicant|审批|申请人|邀请|报销|请假"
    r"|会议|参加|出席|日程邀约|好友申请|验证消息"
)
