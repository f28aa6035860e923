"""Reading a task: plain words, Chinese or English, into a list of clauses.

"打开设置，进入蓝牙，关闭蓝牙" is three clauses. Quoted text is never cut or read as a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from server.model.demo.clauses import (
    Ask,
    Clause,
    Direction,
    Enter,
    FieldKind,
    Fill,
    Flip,
    GoBack,
    GoHome,
    Language,
    Open,
    Pause,
    Scroll,
    ScrollTo,
    Submit,
    Tap,
    TapKind,
    Tell,
    Unknown,
)
from server.model.demo.labels import KNOWN_APP
from server.model.demo.making import is_making, make_new, with_saving

_VERB_ZH = (
    "打开|进入|点击|点按|点一下|点开|点|轻触|单击|双击|长按|按|选择|选中|勾选|输入|填写|填入|滑动|滑到"
    "|下滑|上滑|向[上下左右]|往[上下左右]|关闭|关掉|开启|启用|禁用|停用|返回|回到|后退|等待|等|告诉|告知"
    "|新建|添加|新增|创建|保存|发送|发|删除|搜索|查找|询问|问我|给|把|将|在|确认|确定|取消|加入|提交|启动"
    "|运行|编辑|分享"
)
_VERB_EN = (
    "open|launch|start|go|tap|click|press|select|choose|type|enter|input|write|fill|scroll|swipe"
    "|turn|switch|enable|disable|wait|tell|report|create|add|save|send|delete|search|find|ask|long"
    "|double|return|submit|confirm|cancel|share|edit|new"
)
_SEPARATOR = re.compile(
    rf"[，,；;。！!？?\n]+|->|→|\.(?=\s|$)"
    rf"|然后再|然后|接着|之后|随后|最后|(?:再|并且|并|后)(?=(?:{_VERB_ZH}))"
    rf"|\b(?:and\s+)?(?:then|after\s+that|finally)\b|\band\b(?=\s+(?:{_VERB_EN})\b)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"^(?:请你|请|麻烦你|麻烦|帮我|帮忙|首先|先|再|并且|并|还要|也"
    r"|完成后|做完后|操作完成|完成$|做完$|结束$"
    r"|(?:please|first|now|also|can you|could you|once done|to)\b"
    r"|when (?:you are |you're |it is |it's )?(?:done|finished)\b)\s*",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"“([^”]*)”|\"([^\"]*)\"|「([^」]*)」|『([^』]*)』|‘([^’]*)’|(?<!\w)'([^']*)'(?!\w)"
)
_HELD = re.compile("\ue000(\\d+)\ue001")
_NOUN = re.compile(
    r"(?:的)?(?:页面|界面|按钮|选项卡|选项|图标|标签页|标签|应用程序|应用|菜单|一栏|这一项)$"
    r"|\s+(?:page|button|option|tab|icon|app|screen|menu|entry)$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|my|a|an)\s+", re.IGNORECASE)
_ANSWER = re.compile(r"(?:我的)(?:回答|答案|回复)|my (?:answer|reply)", re.IGNORECASE)
_ORDINALS_ZH = "一二三四五六七八九十"
_ORDINALS_EN = ("first", "second", "third", "fourth", "fifth", "sixth")

Restore = Callable[[str], str]
Reader = Callable[["re.Match[str]", Restore], "list[Clause]"]


def language_of(task: str) -> Language:
    """Chinese if there is any Han character outside quotes."""
    outside = _QUOTED.sub("", task)
    return "zh" if re.search("[\u4e00-\u9fff]", outside or task) else "en"


def read_task(task: str) -> list[Clause]:
    """Cut a task into clauses, in order; what is not understood is an `Unknown`."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(next(group for group in match.groups() if group is not None))
        return f"\ue000{len(held) - 1}\ue001"

    def restore(words: str) -> str:
        return _HELD.sub(lambda m: held[int(m.group(1))], words).strip()

    clauses: list[Clause] = []
    made: list[int] = []
    for piece in _SEPARATOR.split(_QUOTED.sub(hold, task)):
        words = _without_fillers(piece)
        if words:
            read = _read_piece(words, restore)
            if is_making(words, read):
                made.append(len(clauses))
            clauses.extend(read)
    return with_saving(clauses, made, language_of(task))


def clean_label(words: str) -> str:
    """A label without articles and without the noun that names a kind of control."""
    label = _ARTICLE.sub("", words.strip(" \t　:：的"))
    return _NOUN.sub("", label).strip() or label


def _without_fillers(piece: str) -> str:
    words = piece.strip(" \t　:：")
    while (shorter := _FILLER.sub("", words, count=1).strip(" \t　:：")) != words:
        words = shorter
    return words


def _read_piece(words: str, restore: Restore) -> list[Clause]:
    for pattern, reader in _FORMS:
        match = pattern.fullmatch(words)
        if match is not None:
            return reader(match, restore)
    return [Unknown(restore(words))]


def _open(match: re.Match[str], restore: Restore) -> list[Clause]:
    label = restore(match["label"])
    return _nth(label) or [Open(clean_label(label))]


def _enter(match: re.Match[str], restore: Restore) -> list[Clause]:
    label = restore(match["label"])
    return _nth(label) or [Enter(clean_label(label))]


def _tap(how: TapKind) -> Reader:
    def read(match: re.Match[str], restore: Restore) -> list[Clause]:
        label = restore(match["label"])
        return _nth(label, how) or [Tap(clean_label(label), how=how)]

    return read


def _button(match: re.Match[str], restore: Restore) -> list[Clause]:
    """ "save it" means the button Save."""
    label = re.sub(r"\s+(?:it|this|that|the \w+)$", "", restore(match["label"]), flags=re.I)
    return [Tap(clean_label(label))]


def _make(match: re.Match[str], restore: Restore) -> list[Clause]:
    apart = " " if match["after"][:1] in (" ", ":", "：", "\ue000") else ""
    after = apart + restore(match["after"])
    before = restore(match["before"])
    return make_new(match["verb"], before, match["noun"], after.rstrip(), restore(match[0]))


def _start(match: re.Match[str], restore: Restore) -> list[Clause]:
    """An app is started by opening it; a timer is not."""
    label = clean_label(restore(match["label"]))
    return [Open(label) if KNOWN_APP.fullmatch(label) else Unknown(restore(match[0]))]


def _nth(label: str, how: TapKind = "tap") -> list[Clause] | None:
    found = re.fullmatch(rf"第([{_ORDINALS_ZH}]|\d+)[个条项张篇位](.*)", label)
    if found is not None:
        word = found[1]
        nth = int(word) if word.isdigit() else _ORDINALS_ZH.index(word) + 1
        return [Tap(found[2].strip(), nth, how)]
    english = "|".join(_ORDINALS_EN)
    found = re.fullmatch(
        rf"(?:the )?({english}|\d+(?=st|nd|rd|th))(?:st|nd|rd|th)? (.*)", label, re.I
    )
    if found is None:
        return None
    word = found[1].lower()
    nth = int(word) if word.isdigit() else _ORDINALS_EN.index(word) + 1
    return [Tap(found[2].strip(), nth, how)]


def _flip(on: bool | None = None) -> Reader:
    def read(match: re.Match[str], restore: Restore) -> list[Clause]:
        state = match["state"].lower() if on is None else ""
        target = state in ("on", "打开", "开启", "启用") if on is None else on
        labels = re.split(r"、|和|与|\s+and\s+", match["label"])
        return [Flip(_switch_label(restore(label)), target) for label in labels if label.strip()]

    return read


def _switch_label(words: str) -> str:
    shorter = re.sub(r"(?:的)?开关$|\s+(?:switch|toggle)$", "", words.strip(), flags=re.I)
    return clean_label(shorter)


def _fill(match: re.Match[str], restore: Restore) -> list[Clause]:
    label = restore(match.groupdict().get("label") or "")
    label = clean_label(re.sub(r"(?:输入框|框|栏|\s+(?:field|box|bar))$", "", label, flags=re.I))
    field: FieldKind = "named" if label else "any"
    if re.fullmatch(r"搜索|search", label, re.IGNORECASE):
        field, label = "search", ""
    return [Fill(_text(match, restore), field, label)]


def _search(match: re.Match[str], restore: Restore) -> list[Clause]:
    return [Fill(_text(match, restore), "search"), Submit()]


def _send(button: str) -> Reader:
    def read(match: re.Match[str], restore: Restore) -> list[Clause]:
        who = clean_label(restore(match["who"]))
        return [Tap(who, exact=True), Fill(_text(match, restore), "message"), Tap(button)]

    return read


def _text(match: re.Match[str], restore: Restore) -> str | None:
    text = restore(match["text"])
    return None if _ANSWER.fullmatch(text) else text


def _inside(match: re.Match[str], restore: Restore) -> list[Clause]:
    rest = _without_fillers(match.groupdict().get("rest") or "")
    return [
        Open(clean_label(restore(match["label"]))),
        *(_read_piece(rest, restore) if rest else []),
    ]


def _scroll(match: re.Match[str], restore: Restore) -> list[Clause]:
    sides: dict[str, Direction] = {
        **{"上": "up", "下": "down", "左": "left", "右": "right"},
        **{"up": "up", "down": "down", "left": "left", "right": "right"},
    }
    return [Scroll(sides.get((match.groupdict().get("side") or "down").lower(), "down"))]


def _scroll_to_end(side: Direction) -> Reader:
    return lambda match, restore: [Scroll(side, to_end=True)]


def _labelled(kind: Callable[[str], Clause]) -> Reader:
    return lambda match, restore: [kind(clean_label(restore(match["label"])))]


def _plain(clause: Clause) -> Reader:
    return lambda match, restore: [clause]


def _form(pattern: str, reader: Reader) -> tuple[re.Pattern[str], Reader]:
    quoted = _HELD.pattern.replace("(", "").replace(")", "")
    return re.compile(pattern.replace("QUOTED", quoted), re.IGNORECASE), reader


_SLIDE_ZH = r"(?:向[上下]|往[上下])?(?:滑动|滑|滚动|翻)"
_TYPE_ZH = r"(?:输入|填写|填入|写上|写下|写)(?:文字|内容)?[：:]?\s*"
_FORMS: list[tuple[re.Pattern[str], Reader]] = [
    # Going home and back.
    _form(r"(?:返回|回到|回)(?:手机)?(?:桌面|主屏幕|主屏|主界面)", _plain(GoHome())),
    _form(r"按(?:一下)?(?:home|主屏)键", _plain(GoHome())),
    _form(r"(?:go|return)(?: back)? (?:home|to (?:the )?home ?screen)", _plain(GoHome())),
    _form(r"press (?:the )?home(?: button| key)?", _plain(GoHome())),
    _form(
        r"(?:返回|后退)(?:到)?(?:上一页|上一级|上一层|上一?个页面|前一页|一次|一下)?",
        _plain(GoBack()),
    ),
    _form(r"按(?:一下)?返回键", _plain(GoBack())),
    _form(r"(?:go|navigate) back(?: once)?|press (?:the )?back(?: button| key)?", _plain(GoBack())),
    # Waiting.
    _form(r"(?:等待|等)\s*(?P<s>\d+(?:\.\d+)?)\s*秒钟?", lambda m, r: [Pause(float(m["s"]))]),
    _form(
        r"wait(?: for)? (?P<s>\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)",
        lambda m, r: [Pause(float(m["s"]))],
    ),
    # Telling and asking.
    _form(
        r"(?:告诉我|告知我|报告|读出)(?P<label>.+?)(?:是什么|是多少|是啥|的值|有哪些)?",
        _labelled(Tell),
    ),
    _form(r"(?:tell me|report|read out) (?:what )?(?P<label>.+?)(?: is)?", _labelled(Tell)),
    _form(r"(?:询问我|询问|问我|问一下我)[：:]?(?P<q>.+)", lambda m, r: [Ask(r(m["q"]))]),
    _form(r"ask me (?:for |about )?(?P<q>.+)", lambda m, r: [Ask(r(m["q"]))]),
    # Searching and sending.
    _form(r"(?:搜索|查找|搜一下|搜)(?:一下)?[：:]?\s*(?P<text>.+)", _search),
    _form(r"search(?: for)? (?P<text>.+)", _search),
    _form(
        r"(?:给|向)(?P<who>.+?)(?:发送|发|说)(?:一条)?(?:消息|信息)?[：:]?\s*(?P<text>.+)",
        _send("发送"),
    ),
    _form(r"send (?:a message )?(?P<text>QUOTED) to (?P<who>.+)", _send("Send")),
    _form(
        r"send (?P<who>(?!QUOTED).+?) (?:(?:a|the) message )?(?:saying )?(?P<text>QUOTED)",
        _send("Send"),
    ),
    # Typing.
    _form(r"(?:在|往)(?P<label>.+?)(?:中|里面|里|内|上)?" + _TYPE_ZH + "(?P<text>.+)", _fill),
    _form(_TYPE_ZH + r"(?P<text>.+)", _fill),
    _form(r"(?:type|enter|input|write) (?P<text>QUOTED) (?:in|into|as) (?P<label>.+)", _fill),
    _form(r"(?:type|enter|input|write)(?: the text)? (?P<text>QUOTED)", _fill),
    _form(r"(?:type|input|write) (?P<text>.+?) (?:in|into) (?P<label>.+)", _fill),
    _form(r"(?:type|input|write) (?P<text>.+)", _fill),
    _form(r"(?:fill in|fill) (?P<label>.+?) with (?P<text>.+)", _fill),
    _form(r"in (?P<label>.+?) (?:type|enter|input|write) (?P<text>.+)", _fill),
    # Switches.
    _form(
        r"(?:把|将)(?P<label>.+?)(?:的开关)?(?P<state>打开|开启|启用|关闭|关掉|关上|禁用|停用)(?:掉|了)?",
        _flip(),
    ),
    _form(r"(?:关闭|关掉|关上|禁用|停用)(?P<label>.+)", _flip(False)),
    _form(r"(?:开启|启用)(?P<label>.+)", _flip(True)),
    _form(r"打开(?P<label>.+?)的?开关", _flip(True)),
    _form(r"(?:turn|switch) (?P<state>on|off) (?P<label>.+)", _flip()),
    _form(r"(?:turn|switch) (?P<label>.+?) (?P<state>on|off)", _flip()),
    _form(r"enable (?P<label>.+)", _flip(True)),
    _form(r"disable (?P<label>.+)", _flip(False)),
    # Scrolling.
    _form(
        r"(?:一直)?" + _SLIDE_ZH + r"(?:到|至)(?:页面)?最?(?:底部|底|末尾)", _scroll_to_end("down")
    ),
    _form(r"(?:一直)?" + _SLIDE_ZH + r"(?:到|至)(?:页面)?最?(?:顶部|顶)", _scroll_to_end("up")),
    _form(
        r"scroll (?:all the way )?(?:down )?to the (?:very )?(?:bottom|end)", _scroll_to_end("down")
    ),
    _form(r"scroll (?:all the way )?(?:up )?to the (?:very )?top", _scroll_to_end("up")),
    _form(_SLIDE_ZH + r"(?:到|至|找到)(?P<label>.+)", _labelled(ScrollTo)),
    _form(
        r"(?:scroll|swipe)(?: down| up)? (?:to|until you see) (?P<label>.+)", _labelled(ScrollTo)
    ),
    _form(r"find (?P<label>.+)", _labelled(ScrollTo)),
    _form(
        r"(?:向|往)?(?P<side>[上下左右])(?:滑动|滑|滚动|翻)(?:一下|一次|一页|页面|屏幕)?", _scroll
    ),
    _form(r"滑动(?:一下|页面|屏幕)?", _scroll),
    _form(
        r"(?:scroll|swipe)(?: (?P<side>up|down|left|right))?(?: once| a bit| the page)?", _scroll
    ),
    # Apps, pages, taps.
    _form(r"在(?P<label>.+?)(?:应用)?(?:中|里面|里|内|上)(?P<rest>.+)", _inside),
    _form(r"in (?:the )?(?P<label>\S+(?: \S+)?)", _inside),
    _form(r"打开(?P<label>.+)", _open),
    _form(r"(?:open|launch)(?: up)? (?P<label>.+)", _open),
    _form(r"(?:启动|运行)(?P<label>.+)", _start),
    _form(r"start(?: up)? (?P<label>.+)", _start),
    _form(r"(?:进入|前往|切换到|切到)到?(?P<label>.+)", _enter),
    _form(r"(?:go (?:in)?to|enter|navigate to|switch to|visit) (?P<label>.+)", _enter),
    _form(r"双击\s*(?P<label>.+)", _tap("double")),
    _form(r"double[- ](?:tap|click)(?: on)? (?P<label>.+)", _tap("double")),
    _form(r"长按\s*(?P<label>.+)", _tap("long")),
    _form(r"(?:long[- ]press(?: on)?|press and hold) (?P<label>.+)", _tap("long")),
    _form(
        r"(?:点击|点按|点一下|点开|点选|点|轻触|单击|选择|选中|勾选|按下|按)\s*(?P<label>.+)",
        _tap("tap"),
    ),
    _form(r"(?:tap|click|press|select|choose|hit)(?: on)? (?P<label>.+)", _tap("tap")),
    # Something new.
    _form(
        r"(?P<verb>新建|添加|新增|创建)一?[个条张篇项份位]?(?:新的?)?(?P<before>.*?)的?"
        r"(?P<noun>便签|笔记|备忘录|联系人|闹钟|日程|文件夹)(?P<after>.*)",
        _make,
    ),
    _form(
        r"(?P<verb>new|create|add)(?: (?:an?|the|one))?(?: new)?(?P<before>.*?) "
        r"(?P<noun>note|contact|alarm|event|folder)\b(?P<after>.*)",
        _make,
    ),
    # A word that is itself the button.
    _form(
        r"(?P<label>(?:新建|添加|新增|创建|保存|发送|删除|确认|确定|取消|加入|提交|编辑|分享|清空|结算).*)",
        _button,
    ),
    _form(
        r"(?P<label>(?:new|create|add|save|send|delete|confirm|cancel|submit|edit|share|done|ok)\b.*)",
        _button,
    ),
]
