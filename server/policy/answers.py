"""Words of buttons that answer, look around or are harmless in themselves, and amounts of money.

Plain regular patterns for whole plain labels (`server.policy.wording`).
"""

from __future__ import annotations

import re

_MONEY = (
    r"\d[\d,]* ?(?:coins?|gems?|diamonds?|gold bars?|credits?|金币|钻石|点券|元宝|\w{0,2}币)(?!\w)"
    r"|(?:(?:us|hk|nt|a|c|s)?[$€£¥₩₹]|rmb|cny|usd|hkd|twd|eur|gbp|jpy) ?\d[\d,]*(?:\.\d{1,2})?"
    r"|\d[\d,]*(?:\.\d{1,2})? ?(?:元|块|万元|円|usd|cny|rmb|eur|gbp|dollars?|yuan|bucks)"
)
MONEY = re.compile(_MONEY)
DIALOG_YES = re.compile(
    r"(?:ok(?:ay)?|yes|yep|yeah|sure|confirm(?:ed)?|continue|proceed|accept|agree|i agree|i "
    r"understand|go ahead"
    r"|next|done|finish|complete|apply|activate|enable|turn on|start|go|let's go|do it|got it"
    r"|understood|i'm sure"
    r"|i accept|approve|sounds good|submit|save|slide|swipe|hold|tap here|click here|here"
    r"|absolutely|alright|review"
    r"|确定|确认|好的?|是的?|行|继续|下一步|完成|同意|我同意|知道了|我知道了|我已知晓|我已了解"
    r"|提交|接受|立即开启|开启|没问题"
    r"|可以|对|嗯|坚持|就这样|仍要继续|仍然继续|同意并继续|确认无误|没错|开始|去吧|走起|点这里"
    r"|点击这里|启用|立即体验|马上体验"
    r"|领取|立即领取|免费领取|打开|保存|批准|核对无误|已核对|我要|冲|安排|好哒|朕知道了|了解"
    r"|必须的|滑动|长按|应用|接受|通过|仍然保留|同意并加入|accept all|i consent|keep anyway|join"
    r"|(?:yes|ok|confirm|agree|accept)\b.*|all good.*|looks good.*|好的?[,，!！].*|好.{0,6}"
    r"|确[定认].{0,8}|是的?[,，].*)"
)
"""What a button says that only means yes: what for stands elsewhere on the screen."""
DIALOG_NO = re.compile(
    r"(?:no|nope|no,? thanks?|not? now|cancel|back|go back|close|dismiss|later|maybe later|skip"
    r"|deny|don'?t allow|do not allow"
    r"|don't|never|decline|reject|block|keep(?: (?!anyway)[\w ]+)?|not yet|ignore|undo|stay(?: "
    r".*)?|exit|remind me later"
    r"|ask (?:me )?later|ask every time|x|×|✕|✖|return|navigate up|nevermind|never mind|abort"
    r"|give up|nah|.{1,20} later"
    r"|stop|wait|leave meeting"
    r"|(?:don't|do not|not|never|no,?) (?:now|install|send|delete|remove|pay|buy|share|save "
    r"password|accept|agree|continue|update"
    r"|sign in|log in|subscribe|transfer|post|call|order|book|yet|interested|today|thank you)(?: "
    r"\w+)?|i'?ll (?:wait|think).*"
    r"|取消|返回|关闭|关掉|暂不.*|以后再说|稍后.*|下次.*|不用了?|不了|拒绝|不允许|禁止|不同意|否"
    r"|不|我?再(?:想|看|等|睇).{0,2}|唔.{1,3}|留着|暂缓|有异议|停止.{0,4}|断开.{0,4}|接着.{1,3}|先?不(?!保存).{1,6}了?|保留.{0,4}"
    r"|继续(?:编辑|等待)|返回.{1,4}|留下|跳过|忽略|不要.*|不需要|算了.*|残忍拒绝|放弃(?:优惠)?|退出|以后|撤销|后退|收起"
    r"|暂时不.*|不感兴趣|每次询问|点错了|回去|再看看"
    r"|取消(?:登录|安装|支付|付款|转账|发送|上传|下载|授权|拨打|更新|删除|操作)|保持(?:隐藏|私密|关闭|现状"
    r"|不变)|转到上一层级|上一步"
    r"|cancelar|no permitir|ahora no|キャンセル|許可しない|いいえ|戻る|許可不|许可しない)"
)
"""What a button says that only means no."""
_THINGS_EN = r"(?: (?:[\w'&-]+)){0,4}"
LOOKS_AROUND = re.compile(
    r"(?:view|review|make available|see|show|hide|open|read|browse|explore|discover|look|preview"
    r"|compare|expand|collapse|learn|edit|change|adjust"
    r"|customi[sz]e|rename|forgot|attach|quote|select all|undo|redo|filter|sort|search|find|zoom"
    r"|rotate|crop|mute|unmute|play|pause|resume|replay|shuffle|repeat|rewind"
    r"|like|unlike|love|bookmark|favou?rite|pin|star|follow|track|copy|refresh|reload|retry|try "
    r"again|scan|print|translate"
    r"|listen|watch|visit|go to|manage|check|get directions|navigate|compose|write|contact"
    r"|snooze|archive|mark(?: as)?|rate"
    r"|add to|move to|save (?:as )?(?:an? )?(?:drafts?|for later|job|post)|ask an?|jump to"
    r"|continue (?:shopping|reading|watching|browsing)|back to)"
    + _THINGS_EN
    + r"|(?:home|menu|more(?: options| info| details| actions)?|settings|profile|me|my.*|account"
    r"|overview|accounts|activity"
    r"|history|records?|details?|statements?|balance|cards?|all|filters?|sort(?: by.*)?"
    r"|help(?:.*)?|support|notifications?|messages?"
    r"|inbox|contacts?|about.*|faq|tabs?|refresh|markets?|news|wallet|assets?|insights?"
    r"|analytics|calendar"
    r"|month|week|today|tomorrow|yesterday|year|day|language|english|chinese|chats?|calls"
    r"|photos?|albums?|videos?|music|maps?|explore"
    r"|library|downloads?|feed|trending|popular|new|recent|nearby|saved|favou?rites|categories"
    r"|deals|offers|cart|bag|basket|orders"
    r"|trips|tickets|payments?|transfers?|cards|rewards|points|coupons?|promo.*|terms.*"
    r"|privacy.*|version.*|size.*|colou?r.*|quantity.*"
    r"|directions|route|start navigation|start timer|start workout|stop|timer|alarm|stopwatch"
    r"|lap|previous|up|down|left|right"
    r"|next (?:page|month|week|day|song|track|episode)|page \d+|.* tab|.* page|no results"
    r"|loading.*|read(?:ing)? .*|customer service"
    r"|contact us|feedback|clear cache|comments?\W*\d+\W*|register|sign up)"
    r"|(?:查看|浏览|打开|显示|隐藏|阅读|播放|暂停|搜索|查找|筛选|排序|切换|编辑|修改|更改|更换|新建"
    r"|(?:加|放)入(?:购物[车袋]|收藏|歌单|书架|清单)|收藏|点赞|关注|喜欢|复制|刷新"
    r"|重试|扫描|扫一扫|翻译|收听|观看|进入|前往|去看|去逛|逛逛|了解|展开|收起|放大|缩小|旋转"
    r"|裁剪|静音|下一[首页集章个]|上一[首页集章个]|继续(?:阅读|播放|观看|逛|浏览)"
    r"|忘记|其他|暂存|存[为成]?草稿|储存|截图|想看|提醒|全选|多选|反选|引用|附件|存草稿|退格|写|录音|拍照|拍摄|打印|导航|联系|咨询|管理"
    r"|标记|置顶|归档|换一[批换]|检查|计算|比较|预览|定位|听|看|读|记).{0,12}"
    r"|(?:首页|主页|菜单|更多|设置|我的?|我的.*|账户|账单|明细|详情|余额|卡包|全部|全部.{0,4}"
    r"|帮助.*|客服.*|消息|通知|通讯录|联系人|关于.*|行情|资讯|发现|钱包"
    r"|资产|理财|基金|股票|信用卡|贷款|生活|财富|银行卡|总资产|收入|支出|日历|本[月周年]"
    r"|上[月周年]|今[天日]|昨[天日]|明[天日]|历史.*|.*记录|优惠券?|领?优惠.{0,4}|积分|地址.*|规则"
    r"|.{1,8}(?:明细|详情|说明|历史|账单|规则|攻略|榜|列表|专区|频道|分类|页面)|推荐|附近|热门"
    r"|最新|同城|直播|视频|图片|相册|音乐|地图|路线|公交|地铁|步行|驾车|骑行|购物车|订单|分类"
    r"|会员中心|个人中心|服务|反馈.*|客服|上一步|前一.|后一.|规格|颜色.*|尺码.*|数量.*|评价.*"
    r"|.*币?种|语言|简体中文|英文|计时|秒表|闹钟|倒计时|开始计时|开始导航|开始跑步|计次|停止"
    r"|评论\W*\d+|.{0,4}方式|清[除理]缓存|查询|注册)"
    r"|[\d\W]+|[a-z]|\d+ ?(?:gb|mb|kg|g|km|m|min|h|ml|cm|个|件|份|元|月|日|天|年|点|分钟?|小时"
    r"|次|人)?|x{0,3}[sml]|.{1,30}\d{1,2}:\d{2}.*"
)
"""Words of what only looks around, or changes what is as easily changed back."""
SOFT = re.compile(
    r"(?:choose|select|pick|save|add|create|apply|use|set|start|share|reply|comment|chat|message"
    r"|download|export|import|record|take"
    r"|load|switch(?: to)?|turn (?:on|off)|skip|new|get|join|update|upload|connect|continue|next)"
    + _THINGS_EN
    + r"|(?:选择|选好了|保存|添加|加入|应用|使用|设置|分享|回复|评论|下载|导出|导入|录制|开始"
    r"|切换到|创建|新增|上传|连接|领|换|去).{0,8}"
)
"""Words of what is harmless in itself, and may be the last step where it stands."""
ANSWERS_TEXT = re.compile(r"(?:reply|comment|message|chat|share|回复|评论|发?消息|分享)(?: .*)?")
"""Words that send what was written; where nothing was, they open the place to write."""
STORE_ACTS = re.compile(
    r"(?:get|install|update(?: all)?|download|buy|open beta|获取|取得|安装|下载|更新|全部更新"
    r"|立即获取|一键升级|升级|入手|インストール|obtener|instalar)"
)
"""What the button of an app store says."""
REFUSES = re.compile(
    r"(?:decline|reject|refuse|deny request|maybe|tentative|拒绝|驳回|不同意|婉拒|退回|谢绝"
    r"|待定)(?: .*)?"
)
"""A no that is itself sent to somebody, where an invitation or a request is answered."""
CONSENT = re.compile(
    r"\bby (?:\w+ )?(?:tapping|selecting|clicking|pressing|continuing|choosing|signing|swiping)"
    r"|you (?:hereby )?(?:agree|authori[sz]e|declare|consent|confirm|accept|commit)\b"
    r"|即(?:表示|视为|代表|同意|开通|授权)|视为(?:同意|接受)|我已知悉|真实性|承担(?:一切|全部)?责任"
)
"""A notice that a touch is a statement, whatever the button says."""
KEEPS = re.compile(r"(?:keep|stay|continue)\b.*|(?:继续|保留|接着).*")
"""Words of a no, and of whoever goes on with what costs money."""
NAMES_NO = re.compile(
    r"\b(?:cancel|no thanks|not now|close|leave|skip|decline)\b|取消|关闭|不同意|暂不|拒绝"
)
RENEWS = re.compile(
    r"(?:is|be|are|get) charged|then (?:us|hk|nt)?[$€£¥₹]|第\d+天起|代?扣 ?\d|auto-?recharge"
    r"|card will be|余额支付|renews?\b|auto-?renew|(?:/|per |a ) ?(?:day|week|wk|month|mo|year"
    r"|yr)\b"
    r"|(?:元|块|\d) ?[/每] ?(?:天|日|周|月|季|年)|次[日周月年]起|自动续|每[日周月年].{0,6}(?:元|扣)"
)
"""Terms of what is paid again and again."""
BEGINS = re.compile(r"(?:start|use|get|join|request|apply|switch)\b|(?:开始|领|加入|使用)")
"""Soft words that begin what a page with a price sells."""
HOLDS = re.compile(r"\bhold\b|长按|按住")
PHONE_NUMBER = re.compile(r"\+?[\d ()*\-]{7,}")
IS_ASKED = re.compile(r"(?:\?|？|吗)\W*$")
ANSWERS = re.compile(
    r"offers?\b|requests?\b|asks? for|invit\w+|rsvp|going\?|attend|meeting|organi[sz]er"
    r"|request(?:ed|er)? (?:from|by|to)"
    r"|approval|applicant|审批|申请人|邀请|报销|请假"
    r"|会议|参加|出席|日程邀约|好友申请|验证消息"
)
