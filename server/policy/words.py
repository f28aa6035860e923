"""The words of each class of risk, in Chinese (simplified) and English, as plain regular patterns.

They are matched on plain texts (`server.policy.wording`). `acts` are what a button says that does
it; `not_acts` are phrases that hold such a word and do something else (`payment history`); `asks`
are what a question or a notice says around a button that only says `OK`.
"""

from __future__ import annotations

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
            r"|(?:add|load) (?:money|funds|cash|wallet|credit)|use (?:\d+ )?(?:credits?|coins?"
            r"|gems?)"
        ),
        acts_zh=(
            r"支付|付款|付钱|付费|买单|结账|结算|购买|抢购|秒杀|充值|续费|续订|订阅|开通|缴费"
            r"|缴纳|交费"
            r"|还款|打赏|捐款|捐赠|扣款|扣费|红包|塞钱|升级(?:会员|vip|套餐|专业版|高级版)|试用"
            r"|代付|投保|加仓|买入|申购|认购|赎回|卖出|投资|出价|竞拍|兑换|下注|赠送|送礼|加入会员"
            r"|成为会员|解锁|免密|免费领取会员|立即抢|马上抢|去买|付定金|付尾款|刷卡|收银台|增值|(?:数据|国际)漫游"
            r"|首月.{0,4}元"
            r"|\d+元.{0,2}(?:开通|购|抢|试)|确认收货|交押金|续期"
        ),
        not_acts_en=(
            r"pay(?:ing|s)? (?:with|from|using|via)$|pay(?:ment)? (?:methods?|options?|history"
            r"|settings|details|info(?:rmation)?|status"
            r"|code"
            r"|plans?|stubs?|cards?|accounts?|later options|calendar|dates?|rates?|terms)|payments"
            r"|paying with|pay from|restore purchases?|(?:proceed|go|continue) to check ?out"
            r"|ways? to pay|how to pay|pay attention|payrolls?|(?:google|apple|samsung|g|mi"
            r"|huawei) ?"
            r"pay|buy(?:er|ers|ing guide|ing list)|(?:top[- ]?up|purchase|recharge|donation"
            r"|billing) "
            r"(?:history|records?)|purchases|subscriptions|subscribers|subscribed|bill ?pay"
            r"|upgrade (?:guide|notes)|phone unlock|unlock (?:phone|screen|device|with)|bidding"
            r"|charge (?:level|battery)|shopping list|things to buy|to buy|redeemed|paying guests"
            r"|settle in|alphabet|better|(?:free )?trial (?:terms|info)"
        ),
        not_acts_zh=(
            r"支付宝|(?:支付|付款)(?:方式|设置|管理|记录|码|密码|成功|中心|完成|助手|账单|详情|时间"
            r"|安全|说明|服务|渠道|失败|结果|凭证|卡)|收付款|[已待未需代]支付|[已待未需]付款"
            r"|人付款|人已?购买"
            r"|已购买?|购买(?:记录|须知|说明|清单|日期|渠道)|(?:充值|缴费|还款|捐赠|兑换|打赏"
            r"|订阅|开通|投资"
            r"|红包|续费|购买|结算|试用)(?:记录|历史|列表|计划|日期?|规则|说明|攻略|中心|提醒|单"
            r"|期限|状态)"
            r"|订阅号|[已我]的?订阅|货到付款|已开通|未开通|开通城市|投资(?:者|组合|理财资讯)"
            r"|解锁(?:手机|屏幕|方式)"
            r"|(?:付款|还款|扣款|支付|充值|缴费)(?:账户|户口|账号|银行卡|卡|对象|人|日)|恢复购买|前往结账|去结账"
            r"|去?结算(?:\W*\d+\W*)?$|付费(?:内容|专区|榜)|红包封面|购买力|免费试用规则|试用装"
            r"|结算页面|支付页|卖出价|买入价"
        ),
        asks_en=(
            r"payment|purchases?|checkout|charged?|billed|reload|add money|total|amount due"
            r"|subscription|trial|per month"
            r"|/ ?w(?:ee)?k\b|/ ?mo(?:nth)?\b|/ ?y(?:ea)?r\b|roaming|costs?|deposit"
            r"|auto-?renew\w*|price|fee"
        ),
        asks_zh=(
            r"支付|付款|扣款|扣费|实付|应付|合计|总计|总价|会员|续费|自动续|订阅|元/[月年]|收费"
            r"|费用|押金|账单"
        ),
    ),
    "transfer": ClassWords(
        acts_en=(
            r"transfer(?:ring)?|send (?:money|funds|cash|crypto|payment)|(?:send|pay) ?(?:us|hk"
            r"|nt)?[$€£¥]"
            r"|wire|remit|withdraw|cash out|move (?:money|funds)|borrow|lend|request loan"
            r"|(?:issue|give) (?:an? )?refund|remind"
            r"|get (?:the |my )?loan|accept loan"
        ),
        acts_zh=r"转账|汇款|转钱|提现|转出|转入|打款|划转|付给|借款|借钱|去借|放款|转给|转帐|取现|提取",
        not_acts_en=(
            r"transfer (?:history|details|limits?|status|records?|settings|files?|data|guide|fees?)"
            r"|transfers|transferred|(?:file|data|photo) transfer|withdrawals?|wireless|bank "
            r"transfer info"
        ),
        not_acts_zh=(
            r"(?:转账|汇款|提现|转出|转入|借款)(?:记录|限额|成功|设置|详情|明细|历史|说明|规则"
            r"|失败|到账|进度"
            r"|时间|助手)|已转账|文件传输"
        ),
        asks_en=(
            r"transfer|send money|you send|gets|recipient|payee|beneficiary|withdrawal"
            r"|trade offer|you give|send "
            r"money|loan|iban"
        ),
        asks_zh=r"转账|汇款|收款(?:人|方|账户|账号)|提现|转数快|到账|借款|转给|付款账户",
    ),
    "order": ClassWords(
        acts_en=(
            rf"(?:place|submit|confirm|complete|finali[sz]e|make|send|request|book|reserve"
            rf"|schedule) "
            rf"{_MY}(?:\S+ )?{_BOOKED}|(?:re)?order|order again|(?:pre-?)?book|reserve|rent"
            rf"|cancel {_MY}(?:\S+ )?{_BOOKED}|(?:request|get) {_MY}refund|return {_MY}items?"
            r"|call (?:a )?(?:taxi|cab|ride)|request(?: \w+)? ?(?:ride|now)|enrol+"
        ),
        acts_zh=(
            r"提交订单|下单|确认订单|预订|预定|订购|预约|拼单|参团|开团|叫车|打车|呼叫.{0,4}车"
            r"|确认呼叫"
            r"|确认上车|立即用车|用车|挂号|抢票|购票|订票|订房|订座|退款|取消(?:订单|预订|预约"
            r"|行程|用车)"
            r"|改签|退票|退货|退保|取号|选座|办理|报名|点餐|寄件|订单提交|去拼|抢单|租借|租车|开锁用车"
        ),
        not_acts_en=(
            r"orders? (?:history|details?|status|summary|number|id|info|list|by|tracking"
            r"|confirmation|#"
            r"|placed)|(?:my|your|view|track|see|all|past|recent|sort) orders?|in order|orders"
            r"|bookmark\w*|book (?:list|club|store|shelf|details|reviews?)|books|reading a book"
            r"|return policy|rent(?:al)? (?:guide|details)|bookings|reservations|buy order list"
            r"|ordered|booked"
        ),
        not_acts_zh=(
            r"(?:我的|全部|查看|历史|待付款?)(?:订单|预约|预订)|订单(?:详情|号|编号|列表|状态"
            r"|中心|信息)"
            r"|(?:预订|预约|报名|退款|退票|改签|挂号)(?:须知|记录|说明|规则|政策|进度|详情|流程"
            r"|成功|时间)"
            r"|已预约|已下单|已报名|下单时间|[不可支]?支持退款|无理由退货"
        ),
        asks_en=(
            r"your order|check-?in|boarding|draw|raffle|refund\w*|booking|reservation|pick-?up"
            r"|fare|itinerary|cancel (?:the|your|this) "
            r"order"
        ),
        asks_zh=r"订单|预订|预约|行程|下单|退款|报名|挂号|选座|就诊|退保|接单|打车|用车|航班|改期",
    ),
    "delete": ClassWords(
        acts_en=(
            r"delet(?:e|es|ing)|eras(?:e|ing)|remov(?:e|ing)|wip(?:e|ing)|uninstall(?:ing)?|discard"
            r"|(?:move|send|put)(?: \w+)? (?:to|in(?:to)?) (?:the )?(?:trash|(?:recycle )?bin)"
            r"|trash"
            r"|empty(?: \w+)? (?:trash|bin|cart|folder)|empty|(?:factory )?reset|unsubscribe"
            r"|unfriend"
            r"|format (?:\w+ )?(?:sd|card|storage|disk|drive|phone|usb)\b.*|purge|shred|destroy"
            r"|clear|force stop|disable|free up.*|unsend|recall"
            r"|(?:leave|exit|quit|disband|dissolve) (?:the |this )?(?:group|chat|channel|server"
            r"|team"
            r"|conversation|room)|(?:close|deactivate|terminate|delete|disable) (?:my |the |this "
            r"|your )?"
            rf"account|cancel {_MY}(?:\S+ )?(?:subscription|membership|plan|account|policy|service)"
            r"|forget (?:this )?(?:network|device|password)|unpair|revoke|overwrite|don't save"
            r"|unlink|bin it|drop(?: table)?"
            r"|replace (?:file|existing|all)|throw away|get rid of|restore (?:factory"
            r"|default)s?.*|merge|terminate"
        ),
        acts_zh=(
            r"删除|删掉|清空|清除|清理|移除|卸载|注销|销毁|抹掉|擦除|格式化|恢复出厂|重置|还原|退群"
            r"|退出(?:该|此|本)?(?:群聊?|群组|团队|公会)|解散|丢弃|舍弃|放弃(?:编辑|草稿|修改"
            r"|更改)|取消订阅|退订"
            r"|取消(?:会员|套餐|自动续费|服务)|关闭账[户号]|解绑|移[到至入](?:回收站|废纸篓)"
            r"|放入回收站|粉碎"
            r"|删好友|取消配对|忽略(?:此|该)?网络|不保存|永久|覆盖|撤回|扔掉|清掉|解除绑定"
            r"|停用(?:账[户号])?|强行停止|强制停止|收回|释放(?:实例|空间)?|腾出空间|合并|下架|替换"
        ),
        not_acts_en=(
            r"(?:recently |permanently )?deleted|^to delete\b|clear (?:app )?cache|undelete|undo "
            r"delete|clear (?:search|text|query|input|filters?"
            r"|fields?|selection|sky|skies|sunny|night|button|and \w+|entry|formatting|view)"
            r"|clearly"
            r"|remove (?:filters?|formatting|from favou?rites|bookmark|like)|reset (?:filters?"
            r"|zoom|view"
            r"|timer|stopwatch|lap|search|sort|scale)|empty (?:state|list|inbox|view|text)|removed"
            r"|uninstalled|clearance|discarded|deletion policy|reset time|format text|how to \w+"
        ),
        not_acts_zh=(
            r"最近删除|已删除|清[除理]缓存|删除(?:线|记录|的项目|历史)|(?:清除|清空|删除)(?:搜索"
            r"|文字|输入|内容框|筛选|关键[词字]|条件"
            r"|格式|已选)|重置(?:筛选|条件|缩放|视图|计时|秒表|搜索|时间)|防误删|清理(?:建议"
            r"|记录)|还原度|已清理"
            r"|永久(?:会员|免费|有效)|覆盖(?:范围|率)|已撤回|撤回了|怎么删除|如何删除|卸载记录"
        ),
        asks_en=(
            r"delet(?:e|ed|ing|ion)|eras(?:e|ed|ing)|remov(?:e|ed|ing|al)|uninstall|discard(?:ed)?"
            r"|permanently|(?:cannot|can't|can not) be (?:undone|recovered|restored|reversed)"
            r"|wiped?"
            r"|free up|storage full|lost|irreversibl[ey]|clear(?:ed)? (?:all|data|history|cache)"
            r"|reset|unsubscribe|leave (?:the |this )?group"
            r"|moved to (?:the )?(?:trash|bin)|no longer be|cancel (?:your |the "
            r")?(?:subscription|membership)"
            r"|gone forever|start over|(?:be|is|are) (?:replaced|overwritten|merged)|can(?:not"
            r"|'t) be "
            r"(?:changed|returned|cancelled|withdrawn|refunded|reversed)|non-?refundable"
            r"|unsaved|ends your \w+|minimum term"
        ),
        asks_zh=(
            r"删除|清空|清除|移除|卸载|注销|恢复出厂|(?:无法|不可|不能|不会?再)(?:恢复|撤销|拆分|更改|取消|退|找回"
            r"|还原|撤回|逆)|永久"
            r"|格式化|抹掉|丢失|退出(?:该|此|本)?群|解散|重置|取消订阅|退订|解绑|放弃|回收站"
            r"|清理|覆盖|一去不"
        ),
    ),
    "install": ClassWords(
        acts_en=(
            r"(?:re)?install(?:ing)?|update(?: now| all| app| system| software| & restart)?"
            r"|sideload"
            r"|download (?:and|&) install|download (?:anyway|apk)|restart (?:and|&|to|now to) "
            r"(?:install|update)"
            r"|allow from this source|get (?:the )?app|open apk|flash (?:rom|firmware|image"
            r"|recovery)"
        ),
        acts_zh=(
            r"安装|^更新$|(?:立即|马上|现在|全部|一键|版本|系统|软件|应用)更新|更新(?:全部|并|到"
            r"|版本|系统|应用|软件)|立即升级"
            r"|马上升级|系统升级|升级(?:到|并|系统|版本|应用)|下载(?:并安装|安装|apk|app|应用)"
            r"|仍要下载|仍然下载"
            r"|未知来源|重启并(?:更新|升级)|继续下载"
        ),
        not_acts_en=(
            r"installed|installments?|(?:last )?updated?(?: on| at|:).*|updates|update "
            r"(?:profile|address|photo|info"
            r"|list|status|location|cart|details|picture|bio|number|settings|history|password"
            r"|log|notes|time|quantity"
            r"|card|payment)|auto-?update.*|check for updates?|no update|installation guide"
            r"|uninstall\w*"
        ),
        not_acts_zh=(
            r"已安装|安装(?:包管理|记录|完成|教程|说明|成功|时间)|更新(?:日志|记录|时间|说明"
            r"|头像|资料|地址|状态|动态|内容"
            r"|于|历史|提醒|位置)|已更新|检查更新|自动更新|取消安装|升级(?:会员|vip|攻略)|分期"
        ),
        asks_en=(
            r"install|unknown (?:apps?|sources?)|apk|software update|update available|new version"
        ),
        asks_zh=r"安装|未知(?:来源|应用)|apk|新版本|系统更新|软件更新|更新包",
    ),
    "permission": ClassWords(
        acts_en=(
            r"allow(?: (?:all(?: the time)?|always|once|only.*|while.*|this time|access"
            r"|notifications?|anyway"
            r"|all photos|limited access|permissions?|location|camera|microphone|contacts"
            r"|tracking|full access"
            r"|management of all files|.{0,20}access))?|always allow|while using(?: the)? app"
            r"|only this time"
            r"|grant(?: \w+){0,2}|permit|authori[sz]e(?: app| access)?|give (?:access"
            r"|permission)|start now"
            r"|(?:turn|switch) on (?:location|notifications?)|enable (?:location|notifications?"
            r"|access.*)"
            r"|select photos and videos|activate(?: this)?(?: device)?(?: admin\w*)?(?: app)?"
        ),
        acts_zh=(
            r"允许|始终允许|仅在?使用.{0,8}|仅限?本次.{0,6}|仅限?这一次|授权|授予|去授权"
            r"|去设置权限|开启(?:权限|定位|通知)"
            r"|打开(?:权限|定位权限|通知权限)|一律允许|同意并允许|使用时允许|立即开始"
        ),
        not_acts_en=(
            r"(?:don't|do not|never|not) allow|allow(?:ed|ance|list)|ask every time|deny|(?:no "
            r")?grants"
            r"|authori[sz]ed|activated"
        ),
        not_acts_zh=(
            r"不允许|禁止|拒绝|已允许|已授权|不授权|取消授权|允许列表|授权(?:记录|管理|说明|书)"
            r"|不再允许"
        ),
        asks_en=(
            r"access (?:to )?(?:your |this |the |photos|files|contacts|camera|location|media"
            r"|device)"
            r"|(?:would like|wants) to|permissions?|record audio|send you notifications|take "
            r"pictures"
            r"|(?:wants?|requests?|requesting|asks for) access|consent|recorded|biometric|health "
            r"data|microphone|device'?s? location|start recording|casting|device admin|draw over"
        ),
        asks_zh=(
            r"权限|摄像头|麦克风|授权|读取|获取你|获取您|(?:访问|获取|读取|使用)(?:你|您|此|该"
            r"|设备|手机)?的?(?:位置|照片|相册|相机|摄像头|麦克风|通讯录|联系人|存储|文件"
            r"|短信|通话|日历|设备|信息|媒体)|发送通知|录音|拍摄照片|悬浮窗|设备管理|录制屏幕"
            r"|申请获取"
        ),
    ),
    "send": ClassWords(
        acts_en=(
            r"(?:re)?send(?:ing)?|post|publish|tweet|submit|forward|broadcast|call(?: now| back| "
            r"again)?|dial"
            r"|(?:video|voice|audio|emergency|phone|start|make|place) ?(?:a )?(?:video |voice "
            r")?call|sms|text now|go live"
            r"|start (?:live|stream\w*|broadcast\w*)|share (?:now|post|to .*|with .*|location"
            r"|live location"
            r"|screen|publicly)|add friend|send (?:friend )?request|apply(?: now)?|sign (?:and"
            r"|&) \w+|invite|rsvp"
            r"|file (?:a )?report|e-?mail it|upload(?: now| video| photo)?|reply all"
            r"|hold to (?:talk|record)(?: and send)?"
            r"|join (?:call|meeting)|accept (?:the )?(?:offer|invitation|contract)|e-?sign|sign "
            r"(?:document|contract)"
        ),
        acts_zh=(
            r"发送|发出|发布|发表|发帖|发微博|发朋友圈|提交|群发|转发|拨打|呼叫|拨号|打电话"
            r"|语音通话|视频通话|音视频通话"
            r"|发起通话|通话|开播|开始直播|投递|发送申请|添加到通讯录|加好友|添加好友|投票"
            r"|分享[到给至]|分享位置"
            r"|共享(?:实时)?位置|送出|寄出|传送|发给|举报|签署|邀请|按住说话|上传|发消息给"
            r"|一键发|申报|立即沟通|回拨|打招呼|推送|回电|重拨|公开"
        ),
        not_acts_en=(
            r"sent|sender|posts?(?:ed| office|al|er|s)|posts|postpone|postcode|call (?:log"
            r"|history|settings|recording"
            r"|forwarding|waiting|list|details|info)|calls|missed call|recent calls?|called"
            r"|comments|submitted"
            r"|(?:re)?send (?:code|otp|verification.*|feedback)|forwarded|uploads|uploaded"
            r"|invites|published|call of \w+"
            r"|apply (?:filters?|theme|coupon|changes|wallpaper|promo.*|code|effect|style)|add "
            r"(?:a )?comment"
            r"|write (?:a )?comment|view comments?|release notes|released|callback request list"
            r"|post-.*"
        ),
        not_acts_zh=(
            r"已发送|发送(?:失败|记录|验证码|中|时间|设置)|未发送|发布(?:时间|会|者|于|日期"
            r"|记录)|已发布|通话(?:记录|录音|设置"
            r"|详情|时长|中)|提交(?:订单|记录|时间|成功)|已提交|转发(?:量|数|设置)|上传(?:记录"
            r"|列表|中)|已上传|投票(?:结果|规则)"
            r"|公开(?:课|赛|信息|资料)|呼叫(?:转移|等待|.{0,4}车)|确认呼叫|邀请(?:记录|码|函)"
            r"|推送(?:设置|通知)|骚扰拦截"
        ),
        asks_en=(
            r"(?:will be|to be) (?:sent|posted|published|shared)|new (?:post|tweet|story|message"
            r"|review|comment)|caption"
            r"|who can (?:see|view)|visible to|audience|share(?= \W)|share (?:with|your location"
            r"|my location)|organi[sz]er|people with access|invit\w+|rsvp|approval|application"
            r"|file a claim|will see|who (?:hears|sees)|\d recipients|\bas you\b|phone ?book"
            r"|contacts? (?:will|to)"
            r"|everyone (?:can|will)|public(?:ly)?|live location"
        ),
        asks_zh=(
            r"发送|发布|发表|群发|拨打|呼叫|提交|公开|通话|转发|审批|申请人|报销|邀请|谁可以看"
            r"|所有人可见|大家|实时位置|共享位置|位置共享|投递|申报|接收人|贴文|评价|通讯录|以你的身份"
        ),
    ),
    "sign_in": ClassWords(
        acts_en=(
            r"log ?-?(?:me )?in|sign ?-?(?:me )?in|sign ?-?up|register|create (?:an |new |my "
            r")?account"
            r"|(?:continue|sign in|log in|sign up) (?:with|using|as) .*|verify(?: \w+)?|(?:get"
            r"|send|resend) (?:\w+ )?(?:otp|code)"
            r"|authenticate|i'?m not a robot|(?:use|enter) (?:pass(?:word|code|key)|pin"
            r"|fingerprint)|submit code"
            r"|approve sign-?in|yes,? it'?s me|unlock vault"
        ),
        acts_zh=(
            r"登录|登入|登陆|注册|我不是机器人|安全验证|人机验证|完成验证|提交验证|立即验证"
            r"|验证并|开始验证|去验证"
            r"|获取.{0,4}验证码|发送.{0,4}验证码|重新获取验证码|使用(?:密码|指纹|面容)|是我本人"
            r"|确认登录"
        ),
        not_acts_en=(
            r"signed in|logged in|other (?:ways|options).*|another way.*|forgot.*|trouble .*"
            r"|need help.*|(?:sign|log)-? ?in (?:options?|history|activity|help|settings"
            r"|records?|devices?)"
            r"|register(?:ed|s)|verified|verification (?:history|guide)|cash register|sign ?out"
            r"|log ?out"
        ),
        not_acts_zh=(
            r"其他.{0,4}登录.{0,2}|忘记密码|已登录|登录(?:记录|设备|管理|历史|日志|方式|保护"
            r"|设置|时间)|退出登录|最近登录|注册(?:时间|资本|协议|地址)|未登录"
            r"|登录注册协议"
        ),
        asks_en=(
            r"(?:log|sign) ?in|password|passcode|verification code|one-time|\botp\b|captcha|not "
            r"a robot|two-factor"
            r"|new device|is this you|was this you"
        ),
        asks_zh=r"登录|密码|验证码|人机验证|安全验证|滑块|新设备|本人操作|异地",
    ),
    "security": ClassWords(
        acts_en=(
            r"(?:usb|wireless) debugging|oem unlock\w*|developer (?:options|mode)|build number"
            r"|(?:change|set|set up|remove|turn off|disable|reset|add|edit|create|update) (?:\w+ "
            r")?(?:screen lock|pin"
            r"|password|passcode|pattern|lock|fingerprint|face ?id|face unlock|passkey|2fa"
            r"|two-(?:step|factor).*)"
            r"|screen lock|device admin.*|install unknown apps|unknown sources|play protect.*"
            r"|find my (?:device|phone)"
            r"|(?:install|add) (?:a )?certificate|ca certificate|trust(?: agents?| this computer"
            r"| certificate)"
            r"|(?:turn|switch) off (?:play protect|find my.*|encryption|firewall|protection"
            r"|screen lock|2-step.*|two.*)"
            r"|disable (?:play protect|protection|security|verification|lock)|root|unlock "
            r"bootloader|sim (?:card )?lock"
            r"|two-(?:step|factor) (?:verification|authentication)|2-step verification|app lock"
            r"|screen pinning"
            r"|use service|talkback|accessibility service|notification access|usage access"
            r"|display over other apps"
            r"|mock location.*|set (?:as )?default(?: sms)?(?: app)?|(?:unlock|open)(?: "
            r"\w+){0,3} (?:door|gate|garage|car)|disarm|share (?:my )?location.*|always-on vpn"
            r"|(?:show|reveal|view|copy|export|back ?up) (?:\w+ ){0,2}(?:phrase|private key"
            r"|seed|recovery \w+)"
            r"|(?:start|stop|remote start) engine|remote start|(?:arm|disarm"
            r"|off-grid)(?: \w+)?|app approvals"
            r"|spending limits?|guard\w*|lock sim\w*|transfer (?:sim|esim)"
            r"|add vpn|connect vpn|stay signed in"
        ),
        acts_zh=(
            r"(?:usb|无线)调试|oem解锁|开发者(?:选项|模式)|版本号|锁屏密码|屏幕锁|锁屏(?:方式"
            r"|解锁)|设备管理(?:器|应用|员)"
            r"|未知(?:来源|应用)|查找(?:我的)?(?:设备|手机)|信任(?:代理|此电脑|证书)|安装证书"
            r"|凭据存储|sim卡锁"
            r"|(?:修改|更改|设置|重置|关闭|删除|移除|取消|添加|录入|更换|绑定"
            r"|换绑)(?:\w{0,4})(?:密码|指纹|人脸|面容|图案|pin码?|验证"
            r"|手机号|密保|安全保护|锁屏|邮箱)|两步验证|双重(?:验证|认证)|二次验证|应用锁"
            r"|使用情况访问|悬浮窗|显示在其他应用"
            r"|通知使用权|特殊应用权限|模拟位置|纯净模式|无障碍服务|talkback|使用服务"
            r"|设为默认(?:应用|短信|电话)?"
            r"|关闭(?:查找|防护|保护|加密|验证|防火墙|纯净)|指纹(?:管理|解锁)?|人脸(?:识别|解锁"
            r"|数据)|添加vpn|始终开启的vpn|开锁|开门|解除(?:防护|警戒|布防)|撤防|自启动|(?:后台|关联)(?:运行|启动)|消费限制|家长控制|青少年模式|远程(?:开|控制"
            r"|协助)"
        ),
        not_acts_en=(
            r"root vegetables|grass ?root\w*|(?:show|hide|forgot) password|password (?:tips"
            r"|guide)"
        ),
        not_acts_zh=r"(?:显示|隐藏|忘记)密码|密码(?:提示|说明)",
        asks_en=(
            r"debugging|developer|device admin|accessibility|screen lock|protection|security"
            r"|vulnerab\w+|trust"
            r"|remote(?:ly)? control|control your|see your screen|door|lock|garage|alarm system"
            r"|unlimited allowance|(?:secret|seed|recovery) phrase|private key"
            r"|will stop working|e-?sim\b|disarmed?"
            r"|remote start|approve all content|off-grid"
            r"|certificate|encryption|full control"
        ),
        asks_zh=(
            r"调试|开发者|设备管理|无障碍|锁屏|安全风险|防护|证书|完全控制|加密|远程(?:控制"
            r"|协助)|控制(?:本|您|你)的?(?:机|手机|设备)"
            r"|看到你的屏幕|屏幕共享|共享屏幕|门锁|开锁|双重验证|助记词|私钥|自启动|停止工作|指纹|人脸|消费限制"
        ),
    ),
}
