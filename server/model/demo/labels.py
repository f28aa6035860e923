"""Finding the words of a task on a screen.

An exact label beats a longer one that contains it (购物车 over 加入购物车), a row beats the title
of the page, and a slip of OCR is forgiven where the word is long enough to tell.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from rapidfuzz import fuzz

from server.model.demo.screen import Screen, Text

EXACT = 100.0
SYNONYM = 97.0
TITLE_PENALTY = 30.0
LEAST_SCORE = 55.0
LEAST_FUZZY = 80.0

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
    ("加入购物车", "addtocart", "加入购物袋"),
    ("型号", "model", "设备型号", "机型"),
    ("新建", "new", "添加", "add", "create", "新增", "创建", "+"),
)
_ADDING = ("新建", "添加", "新增", "创建", "new", "add", "create", "+")
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
    """Fold width and case; drop spaces and the punctuation that OCR adds or loses."""
    folded = unicodedata.normalize("NFKC", words).casefold()
    return re.sub(r"[\s\-–—_·•,，.。…'\"“”‘’「」()\[\]<>›»|!?:;、/](?!\d)", "", folded)


def means_adding(label: str) -> bool:
    """Whether the label asks for something new: then a round plus button will do."""
    return any(normalise(label).startswith(word) for word in _ADDING)


def find_labels(screen: Screen, label: str) -> list[Match]:
    """Everything on the screen that may be meant by a label, best first."""
    matches = []
    for text in screen.content:
        score = max(score_label(variant, text.text) for variant in _variants(label))
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
    if len(seen) >= 3 and len(seen) >= 0.6 * len(wanted) and seen in wanted:
        return 40.0 + 40.0 * len(seen) / len(wanted)
    shortest = 3 if _is_han(wanted) else 5
    if min(len(wanted), len(seen)) < shortest:
        return 0.0
    likeness = float(fuzz.ratio(wanted, seen))
    least = 100.0 * (1 - 1.01 / len(wanted)) if _is_han(wanted) else LEAST_FUZZY
    return likeness * 0.9 if likeness >= min(least, LEAST_FUZZY) else 0.0


def says(screen: Screen, text: str) -> bool:
    """Whether a longer text can be read on the screen, perhaps over several lines."""
    wanted = normalise(text)
    if not wanted:
        return False
    seen = "".join(normalise(t.text) for t in screen.content)
    if wanted in seen:
        return True
    return len(wanted) >= 4 and float(fuzz.partial_ratio(wanted, seen)) >= 85.0


def _variants(label: str) -> list[str]:
    shorter = _TAILS.sub("", label)
    of_what = label.rpartition("的")[2]
    return [v for v in dict.fromkeys((label, shorter, of_what)) if normalise(v)]


def _contains(text: str, label: str, seen: str, wanted: str) -> bool:
    if wanted not in seen:
        return False
    if wanted.isascii() and wanted.isalnum():
        return (
            re.search(rf"(?<![a-z0-9]){re.escape(label.strip())}(?![a-z0-9])", text, re.I)
            is not None
        )
    return True


def _is_han(words: str) -> bool:
    return re.search("[\u4e00-\u9fff]", words) is not None
