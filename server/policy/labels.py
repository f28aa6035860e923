"""Reading one label: which class of act its words name, and how surely they name it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from server.policy.answers import DIALOG_NO, DIALOG_YES, MONEY
from server.policy.decision import RiskClass
from server.policy.wording import joined, unmasked
from server.policy.words import CLASS_WORDS, ClassWords

Strength = Literal[1, 2, 3]
"""3: the label is the act (`Delete`, `Pay now ¥99`); 2: a short label that says it; 1: a longer
text that holds the word."""
SHORT_WORDS_EN = 6
SHORT_CHARS_ZH = 12
LONG_WORDS_EN = 14
LONG_CHARS_ZH = 32

_HAN = re.compile(r"[\u3400-\u9fff]")
_EDGES = re.compile(r"^[^\w$€£¥+]+|[^\w$€£¥%)]+$")
_COUNTS = re.compile(r"[(\[【（]\s*[\d.,xX×/ ]*(?:s|秒)?\s*[)\]】）]|[×x]\s?\d+\b")
_NUMBERS = re.compile(r"\d[\d.,:]*%?")
_NEGATED = re.compile(
    r"\b(?:don'?t|do not|never|no need to|cannot|can't|without|not|stop|avoid)\b(?!.*\b(?:cancel"
    r"|stop)\b)"
)

_NAMES_PLACE = re.compile(
    r".{1,24}(?:记录|须知|说明|规则|明细|详情|攻略|指南|介绍|凭证|历史|帮助|协议|条款|政策|设置|件人)"
    r"|.{1,40} (?:history|details?|info(?:rmation)?|policy|faqs?|guide|help|terms|rules|tips"
    r"|records?|log|instructions|receipts?|statements?|summary|settings|options)"
    r"|.+\.(?:pdf|jpe?g|png|gif|docx?|xlsx?|pptx?|txt|zip|mp[34]|apk)"
)
"""Names of pages, papers and files: they are opened, whatever they are about."""
_SETS = re.compile(r"(?:options|settings|设置)$")
_BEFORE_EN = (
    r"(?:yes|ok|okay|sure|please|i|we|i'll|i want to|want to|confirm|agree|accept|continue|proceed"
    r"|tap|click|press|slide|swipe|drag|hold|press and hold|double[- ]tap|double[- ]click|go "
    r"ahead|really"
    r"|just|now|let's|review|save|authorize|verify|finish|quick|quickly|one[- ]tap|one[- ]click"
    r"|instant"
    r"|instantly|still|next|and|&|to|then|i agree|i understand|understood|securely|force"
    r"|permanently|go"
    r"|got it|great|approve|the|an?|my|your|button|fast|smart|auto)"
)
_AFTER_EN = (
    r"(?:now|all|it|them|this|these|those|that|selected|forever|permanently|anyway|for|me"
    r"|everyone|everything"
    r"|here|today|again|my|the|your|an?|to|from|with|of|on|in|and|&|immediately|instantly"
    r"|securely|quickly|only"
    r"|total|amount|full|rest|both|or|at|by|via|using|into|back|plus|please|confirm|continue"
    r"|free|up|out|off|first"
    r"|messages?|conversations?|chats?|threads?|notes?|items?|files?|photos?|videos?|pictures?"
    r"|images?|contacts?"
    r"|events?|alarms?|accounts?|drafts?|history|data|cache|storage|folders?|albums?|posts?"
    r"|comments?|e-?mails?|mails?"
    r"|records?|entries|entry|tasks?|lists?|apps?|app|group|device|profile|cart|trash|bin|logs?"
    r"|downloads?|page|book"
    r"|order|purchase|payment|bill|fare|ticket|seat|booking|money|funds|request|reply|code|link"
    r"|location|report"
    r"|card|wallet|balance|bank|plan|month|year|trial|days?|offer|deal|tip|gift|form|review"
    r"|story|tweet|reminder"
    r"|update|updates|software|system|password|pin|everyone's|person|user|friend|member|song"
    r"|playlist|bookmark|notebook"
    r"|recording|recordings|memo|memos|document|documents|key|keys|channel|subscription"
    r"|membership|sms|text)"
)
_BEFORE_ZH = (
    r"(?:确认|确定|立即|马上|现在|一键|同意|并|我要|我想|去|点击|点|批量|全部|永久|彻底|直接"
    r"|免费|仍然|仍要|仍|继续|是的?|好的?|滑动|长按"
    r"|向右|右滑|左滑|滑|按住|双击|请|快速|极速|优惠|安全|强制|自动|全额|先|再|还是|就|来|开始"
    r"|完成|核对无误|确认无误|阅读|已|授权|放心|坚持|选择|即可|以及|和|快|闪电|智能|重新|手动|只"
    r"|仅|整个)"
)
_AFTER_ZH = (
    r"(?:吧|了|此|该|这[条个些张篇]?|本|当前|所选|选中的?|已选|条|个|张|项|件|篇|笔|人|元|份"
    r"|笔记|便签|备忘录?|联系人|聊天|会话|对话|消息|信息"
    r"|短信|邮件|照片|图片|视频|文件夹?|记录|账号|账户|订单|好友|全部|所有|数据|缓存|应用|程序"
    r"|软件|系统|版本|日程|闹钟|任务|列表|群聊?|相册"
    r"|动态|评论|帖子|作品|草稿|历史|内容|设备|商品|购物车|回收站|给|好友|对方|他|她|ta|并|且"
    r"|支付|付款|提交|发送|删除|退出|安装|登录|确认"
    r"|会员|套餐|服务|自动续费|体验|月|年|季|天|现在|立即|一下|到|至|银行卡|零钱|余额|金额|快捷"
    r"|微信|支付宝|指纹|面容|用|使用|下|单|密码"
    r"|申请|表单|资料|报告|问卷|位置|文件|表情|红包|朋友圈|微博|笔|手机|电话|语音|不可恢复|永久"
    r"|录音|歌单|书签|收藏|地址|卡|标签|清单|待办|行程|预约|课程|车|快车|专车|票)"
)


@dataclass(frozen=True, slots=True)
class ReadLabel:
    """What one label says.

    Attributes:
        text: The label as it stands on the screen.
        plain: As it reads.
        acts: Each class that it names, with the strength.
        is_yes: It only means yes.
        is_no: It only means no.
        amount: An amount of money in it, or "".
        names_place: It holds an act's word and means something else (`payment history`).
    """

    text: str
    plain: str
    acts: Mapping[RiskClass, Strength]
    is_yes: bool
    is_no: bool
    amount: str
    names_place: bool = False


@dataclass(frozen=True, slots=True)
class _Patterns:
    acts: re.Pattern[str]
    nots: re.Pattern[str]
    exact: re.Pattern[str]
    leads: re.Pattern[str]
    asks: re.Pattern[str]


def _compile(words: ClassWords) -> _Patterns:
    act_en, act_zh = rf"(?:{words.acts_en})", rf"(?:{words.acts_zh})"
    return _Patterns(
        acts=re.compile(rf"\b{act_en}(?!\w)|{act_zh}"),
        nots=re.compile(rf"\b(?:{words.not_acts_en})(?!\w)|(?:{words.not_acts_zh})"),
        exact=re.compile(
            rf"(?:{_BEFORE_EN}[ ,.!:]+)*{act_en}(?:[ ,.!:]+{_AFTER_EN})*"
            rf"|(?:{_BEFORE_ZH}|\W)*{act_zh}(?:{act_zh}|{_AFTER_ZH}|\W)*"
        ),
        leads=re.compile(rf"(?:{_BEFORE_EN}[ ,.!:]+)*{act_en}(?!\w)"),
        asks=re.compile(
            rf"\b(?:{words.acts_en}|{words.asks_en})(?!\w)|(?:{words.acts_zh}|{words.asks_zh})"
        ),
    )


_PATTERNS: Mapping[RiskClass, _Patterns] = {
    risk: _compile(words) for risk, words in CLASS_WORDS.items()
}


@lru_cache(maxsize=4096)
def read_label(text: str) -> ReadLabel:
    """Which acts a label names."""
    seen = joined(text)
    bare = _bare(seen)
    amount = MONEY.search(seen)
    is_no = bool(DIALOG_NO.fullmatch(bare))
    acts: dict[RiskClass, Strength] = {}
    is_place = bool(_NAMES_PLACE.fullmatch(bare)) and not amount
    if not is_no:
        for variant in dict.fromkeys((seen, unmasked(seen))):
            for risk, patterns in _PATTERNS.items():
                strength = _strength(variant, patterns)
                if is_place and risk != "delete" and not _SETS.search(bare):
                    continue  # `Clear history` and `Developer options` are more than pages
                if strength is not None and strength > acts.get(risk, 0):
                    acts[risk] = strength
    return ReadLabel(
        text=text,
        plain=bare,
        acts=acts,
        is_yes=bool(DIALOG_YES.fullmatch(bare)),
        is_no=is_no,
        amount=amount[0] if amount else "",
        names_place=(is_place and not acts)
        or (not acts and any(p.nots.fullmatch(bare) for p in _PATTERNS.values())),
    )


@lru_cache(maxsize=4096)
def asks_about(text: str) -> frozenset[RiskClass]:
    """The classes that a question, a title or a notice is about."""
    seen = joined(text)
    found: set[RiskClass] = set()
    for risk, patterns in _PATTERNS.items():
        if patterns.asks.search(patterns.nots.sub(" ", seen)):
            found.add(risk)
    return frozenset(found)


def _bare(seen: str) -> str:
    """Without amounts, counts and the marks around the words."""
    bare = _COUNTS.sub(" ", MONEY.sub(" ", seen))
    return " ".join(_EDGES.sub("", bare).split())


def _strength(seen: str, patterns: _Patterns) -> Strength | None:
    cleaned = patterns.nots.sub(" ~ ", seen)
    found = patterns.acts.search(cleaned)
    if found is None:
        return None
    is_chinese = bool(_HAN.search(seen))
    count = len(seen.split())
    if len(seen) > LONG_CHARS_ZH if is_chinese else count > LONG_WORDS_EN or len(seen) > 120:
        return None  # a text, not a label; it also bounds what the patterns below may cost
    bare = " ".join(_EDGES.sub("", _NUMBERS.sub(" ", _bare(cleaned))).split())
    if patterns.exact.fullmatch(bare):
        return 3
    if is_chinese:
        return 2 if len(seen) <= SHORT_CHARS_ZH else 1
    if _NEGATED.search(seen):
        return None
    if count <= SHORT_WORDS_EN and patterns.leads.match(bare):
        return 2
    return 1
