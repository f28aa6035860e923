"""Finding the words of a task on a screen.

An exact label beats a longer one that contains it (购物车 over 加入购物车), a row beats the title
of the page, and a slip of OCR is forgiven where the word is long enough to tell. A label is never
found in a text that says less (清空购物车 is not 购物车), nor in another command (加入购物车).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from server.model.demo.screen import Screen, Text

EXACT = 100.0
SYNONYM = 97.0
TITLE_PENALTY = 30.0
LEAST_SCORE = 55.0

_SAME = (
    ("设置", "settings"),
    ("蓝牙", "bluetooth"),
    ("wlan", "wifi", "无线网络", "无线局域网"),
    ("显示", "display", "显示与亮度"),
    ("深色模式", "darkmode", "darktheme", "深色主题"),
    ("声音", "sound", "声音与振动"),
    ("电池", "battery"),
    ("关于手机", "aboutphone", "关于本机"),
    ("定位", "location", "位置信息"),
    ("飞行模式", "airplanemode"),
    ("便签", "notes", "备忘录"),
    ("联系人", "contacts", "通讯录"),
    ("时钟", "clock"),
    ("微信", "wechat"),
    ("商城", "shop"),
    ("相册", "gallery", "图库"),
    ("浏览器", "browser"),
    ("保存", "save", "完成", "done", "存储"),
    ("发送", "send"),
    ("删除", "delete"),
    ("取消", "cancel"),
    ("确定", "ok", "确认", "confirm", "好", "好的"),
    ("搜索", "search", "查找"),
    ("加入购物车", "addtocart", "加入购物袋", "添加到购物车"),
    ("型号", "model", "设备型号", "手机型号", "机型"),
    ("标题", "title"),
    ("姓名", "name", "名字"),
    ("电话", "phone", "phonenumber", "手机", "手机号", "电话号码"),
    ("新建", "new", "添加", "add", "create", "新增", "创建", "+"),
)
KNOWN_APP = re.compile(
    r"设置|便签|备忘录|联系人|通讯录|时钟|微信|商城|相册|图库|浏览器|相机|电话|短信|日历|计算器|地图|支付宝|淘宝|抖音"
    r"|settings|notes|contacts|clock|wechat|shop|gallery|photos|browser|chrome|camera|phone|messages|calendar"
    r"|calculator|maps|files",
    re.IGNORECASE,
)
_NOUNS = (
    ("便签", "笔记", "备忘录", "note"),
    ("联系人", "contact"),
    ("闹钟", "alarm"),
    ("日程", "event"),
    ("文件夹", "folder"),
)
"""What can be made new, by kind."""
_ADDING = re.compile(
    r"(?:新建|添加|新增|创建|new|add|create|\+)(?:an?(?=[a-z]))?(?:一?[个条张篇项份位])?(?:new)?"
    rf"(?P<noun>{'|'.join(noun for kind in _NOUNS for noun in kind)})?"
)
_ANOTHER_ACT = re.compile(
    r"加入|添加|新建|新增|创建|清空|删除|移除|取消|关闭|打开|编辑|分享|保存|发送|忘记|停用"
    r"|\b(?:add|new|create|clear|empty|delete|remove|cancel|close|edit|share|save|send|forget"
    r"|disable|turn)\b",
    re.IGNORECASE,
)
"""Words that make a text on the screen another command than the label that it contains."""
_TELLING = set(
    "上下左右前后内外大小多少加减增降进出来去开关新旧有无男女买卖日月年一二三四五六七八九十"
)
"""Signs that are never taken for a slip of OCR: another one means something else."""
_TAILS = re.compile(
    r"(?:的)?(?:闹钟|开关|功能|联系人|商品|文章|会话|聊天|笔记|便签)$|\s+(?:alarm|switch)$"
)


@dataclass(frozen=True, slots=True)
class Match:
    """A text that may be the label, and how well it fits (0-100)."""

    text: Text
    score: float
    is_title: bool = False

    @property
    def is_exact(self) -> bool:
        return self.score >= SYNONYM - TITLE_PENALTY if self.is_title else self.score >= SYNONYM


def normalise(words: str) -> str:
    """Fold width and case; drop spaces and what OCR adds or loses: punctuation, a back arrow."""
    folded = re.sub(r"(?<![\d:])(\d:\d\d)(?![\d:])", r"0\1", _fold(words))  # 7:00 is 07:00
    return re.sub(r"[\s\-–—_·•,，.。…'\"“”‘’「」()\[\]<>‹›«»←→|!?:;、/](?!\d)", "", folded)


def means_adding(label: str) -> bool:
    """Whether the label asks for something new and no more: then a round plus button will do."""
    return _ADDING.fullmatch(normalise(label)) is not None


def names_what_was_added(screen: Screen, label: str) -> bool:
    """Whether a screen speaks of the thing that a label like "新建联系人" makes new."""
    found = _ADDING.fullmatch(normalise(label))
    if found is None or found["noun"] is None:
        return True
    kind = next(kind for kind in _NOUNS if found["noun"] in kind)
    return any(noun in normalise(text.text) for text in screen.content for noun in kind)


def names_switch(label: str, text: str) -> bool:
    """Whether a text names the switch that a label means: 蓝牙, 开启蓝牙, Use Bluetooth."""
    name = re.sub(r"^(?:使用|开启|启用|use|enable)|开关$", "", normalise(text))
    return any(score_label(variant, name) >= SYNONYM for variant in _variants(label))


def find_labels(screen: Screen, label: str) -> list[Match]:
    """Everything on the screen that may be meant by a label, best first."""
    matches = []
    for text in screen.content:
        score = max((score_label(v, text.text) for v in _variants(label)), default=0.0)
        is_title = screen.is_in_top_bar(text) and text.box.x < screen.width_px * 0.7
        if is_title:
            score -= TITLE_PENALTY
        if score >= LEAST_SCORE or (is_title and score >= LEAST_SCORE - TITLE_PENALTY / 2):
            matches.append(Match(text, score, is_title))
    return sorted(matches, key=lambda m: (-m.score, m.text.box.top, m.text.box.left))


def score_label(label: str, text: str) -> float:
    """How well a text on the screen fits a label: 0-100."""
    wanted, seen = normalise(label), normalise(text)
    if not wanted or not seen:
        return 0.0
    if wanted == seen:
        return EXACT
    if any(wanted in same and seen in same for same in _SAME):
        return SYNONYM
    if _contains(text, label, seen, wanted):
        return 60.0 + 30.0 * len(wanted) / len(seen)
    return float(fuzz.ratio(wanted, seen)) * 0.9 if _differs_by_a_slip(label, text) else 0.0


def says(screen: Screen, text: str) -> bool:
    """Whether a longer text can be read on the screen, perhaps over several lines."""
    wanted = normalise(text).replace(" ", "")
    if not wanted:
        return False
    # OCR leaves spaces out, also those before a number: 交电费 71 is read as 交电费71.
    seen = "".join(normalise(t.text) for t in screen.content).replace(" ", "")
    if wanted in seen:
        return True
    near = fuzz.partial_ratio_alignment(wanted, seen)
    if len(wanted) < 4 or len(seen) < len(wanted) or near is None or near.score < 85.0:
        return False
    return _numbers(wanted) == _numbers(seen[near.dest_start : near.dest_end])


def says_typed(screen: Screen, text: str) -> bool:
    """Whether a text that was just typed can be read: the caret may hide its last character.

    A phone types a text whole or not at all, so what is read but for its end was typed.
    """
    if says(screen, text):
        return True
    begin = normalise(text).replace(" ", "")[:-1]
    return len(begin) >= 3 and any(
        normalise(line.text).replace(" ", "").endswith(begin) for line in screen.content
    )


def says_twice(screen: Screen, text: str) -> bool:
    """Whether a text stands there and at once again, as one that was typed twice."""
    wanted = normalise(text).replace(" ", "")
    again = wanted + wanted[: max(2, len(wanted) - 1)]
    return len(wanted) >= 2 and any(
        again in normalise(line.text).replace(" ", "") for line in screen.content
    )


def _variants(label: str) -> list[str]:
    """The label, and what is left of it without the noun: "08:30的闹钟" is written as "08:30"."""
    shorter = _TAILS.sub("", label)
    if _ANOTHER_ACT.match(shorter) and not means_adding(shorter):
        return [label]
    return [v for v in dict.fromkeys((label, shorter)) if normalise(v)]


def _contains(text: str, label: str, seen: str, wanted: str) -> bool:
    """Whether a text is the label and something more, at the borders of words and numbers."""
    if wanted not in seen:
        return False
    label = _fold(label)
    signs = r"\s*".join(re.escape(sign) for sign in label if not sign.isspace())
    before = r"(?<![a-z0-9])" if label.lstrip()[:1].isascii() else ""
    after = r"(?![a-z0-9])" if label.rstrip()[-1:].isascii() else ""
    found = re.search(before + signs + after, _fold(text))
    if found is None:
        return False
    rest = f"{_fold(text)[: found.start()]} {_fold(text)[found.end() :]}"
    return _ANOTHER_ACT.search(rest) is None


def _differs_by_a_slip(label: str, text: str) -> bool:
    """Whether OCR may have read the label as this text: one sign of a long word is another one."""
    wanted, seen = _words(label), _words(text)
    if len(wanted) != len(seen) or _numbers(label) != _numbers(text):
        return False
    return all(_is_slip(one, other) for one, other in zip(wanted, seen, strict=True))


def _is_slip(wanted: str, seen: str) -> bool:
    if wanted == seen:
        return True
    if _is_han(wanted):
        pairs = [{a, b} for a, b in zip(wanted, seen, strict=False) if a != b]
        same_length = len(wanted) == len(seen) >= 3
        return same_length and len(pairs) == 1 and not pairs[0] & _TELLING
    near = Levenshtein.distance(wanted, seen) <= 1
    return near and min(len(wanted), len(seen)) >= 5 and wanted[0] == seen[0]


def _words(text: str) -> list[str]:
    return [word for word in map(normalise, text.split()) if word]


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", normalise(text))


def _fold(words: str) -> str:
    return unicodedata.normalize("NFKC", words).casefold()


def _is_han(words: str) -> bool:
    return re.search("[\u4e00-\u9fff]", words) is not None
