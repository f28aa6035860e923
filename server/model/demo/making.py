"""Clauses that make something new: a tap, the fields to fill, and saving, which is always meant."""

from __future__ import annotations

import re
from itertools import pairwise

from server.model.demo.clauses import Ask, Clause, Fill, Language, Tap, Unknown
from server.model.demo.labels import means_adding

_MAKING = re.compile(r"(?:新建|添加|新增|创建)\S|(?:new|create|add) \S", re.IGNORECASE)
_SAVE = re.compile(r"保存|存储|完成|确定|save|done|ok", re.IGNORECASE)
_PHONE = re.compile(r"\+?\d[\d-]{2,}\d")
_CONTACT_WORDS = re.compile(
    r"姓名|名字|名为|名叫|叫做?|手机号|手机|电话|号码|[是为和：:，,]"
    r"|\b(?:named|called|with|and|the|name|phone|number|is)\b",
    re.IGNORECASE,
)
_TITLE_WORDS = re.compile(
    r"(?:标题(?:是|为|叫)?|名为|名叫|叫做?|titled|called|named|with (?:the )?title)\s*[：:]?\s*",
    re.IGNORECASE,
)
_APART = re.compile(r"[\s：:“\"「]|标题|名为|名叫|叫|姓名|电话")
"""What must stand between a noun and words that are to be typed."""


def make_new(verb: str, before: str, noun: str, after: str, whole: str) -> list[Clause]:
    """Something new; words that tell what shall stand in it are typed into its fields.

    "新建联系人 张三 13800000000" is a tap and two fields. Words for which no field is known make
    the whole clause unknown: an empty form is not what was asked for.

    Args:
        verb: 新建, add, ...
        before: Words between the verb and the noun.
        noun: What is made.
        after: Words behind the noun.
        whole: The whole clause.
    """
    before = before.strip().removesuffix("的")
    label = f"{verb}{'' if _is_chinese(noun) else ' '}{noun}"
    if not before and not after:
        return [Tap(label)]
    told = _TITLE_WORDS.match(before) or _CONTACT_WORDS.match(before)
    if (before and (after or not told)) or (after and not _APART.match(after)):
        return [Unknown(whole)]
    fields = _fields(noun, (before or after).strip(" ：:"))
    return [Tap(label), *fields] if fields else [Unknown(whole)]


def is_making(words: str, clauses: list[Clause]) -> bool:
    """Whether a piece of a task, read as these clauses, makes something new."""
    first = clauses[0]
    return _MAKING.match(words) is not None and isinstance(first, Tap) and means_adding(first.label)


def with_saving(clauses: list[Clause], made: list[int], language: Language) -> list[Clause]:
    """What is made new must also be saved: where the task does not say so, it is meant."""
    whole = list(clauses)
    for begin, end in reversed(list(pairwise([*made, len(clauses)]))):
        if any(isinstance(c, Tap) and _SAVE.fullmatch(c.label) for c in clauses[begin:end]):
            continue
        filled = begin + 1
        while filled < end and isinstance(clauses[filled], Fill | Ask):
            filled += 1
        whole.insert(filled, Tap("保存" if language == "zh" else "Save"))
    return whole


def _fields(noun: str, words: str) -> list[Fill]:
    chinese = _is_chinese(noun)
    if noun in ("便签", "笔记", "备忘录") or noun.lower() == "note":
        text = _TITLE_WORDS.sub("", words, count=1)
        if not text or re.search(r"内容|正文|标题|\b(?:body|content|title|saying)\b", text, re.I):
            return []
        if text == words:
            return [Fill(text)]
        return [Fill(text, "named", "标题" if chinese else "Title")]
    if noun != "联系人" and noun.lower() != "contact":
        return []
    phones = _PHONE.findall(words)
    names = _CONTACT_WORDS.sub(" ", _PHONE.sub(" ", words)).split()
    if len(phones) > 1 or len(names) > (1 if chinese else 3) or re.search(r"\d", "".join(names)):
        return []
    fields = [Fill(" ".join(names), "named", "姓名" if chinese else "Name")] if names else []
    return [*fields, *(Fill(phone, "named", "电话" if chinese else "Phone") for phone in phones)]


def _is_chinese(words: str) -> bool:
    return re.search("[\u4e00-\u9fff]", words) is not None
