"""How each kind of clause is done: look, do one thing, look again whether it worked.

A handler gets the clause, the screen and the memory, and says one of three things: `Act` (do this,
then show me the screen), `Done` (I can see that it is so), `Failed` (I cannot, because ...). It
never says `Done` for what it did not see.
"""

from __future__ import annotations

import re
from typing import assert_never

from parsers.action import (
    Action,
    Awake,
    Back,
    Click,
    DoubleClick,
    Home,
    HotKey,
    Info,
    LongPress,
    Point,
    Type,
    Wait,
)
from server.model.demo.clauses import (
    Ask,
    Clause,
    Enter,
    Fill,
    Flip,
    GoBack,
    GoHome,
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
from server.model.demo.labels import (
    KNOWN_APP,
    Match,
    find_labels,
    means_adding,
    names_switch,
    names_what_was_added,
    normalise,
    says_twice,
    says_typed,
)
from server.model.demo.pixels import Switch, find_round_button, find_wide_boxes
from server.model.demo.places import find_field, find_nth, find_value
from server.model.demo.scene import Act, Done, Failed, Move, Scene
from server.model.demo.screen import Box, Text
from server.model.demo.seeking import MAX_SLIDES, SIDE_ZH, seek, slide

ROW_REACH = 1.5
"""How far from a label its switch may stand, in heights of the switch."""
MOST_RETAPS = 2
MOST_RETYPES = 3
ANSWER_NOTE = "answer"
_SYSTEM_SWITCH = re.compile(
    r"蓝牙|wlan|wi-?fi|无线|飞行模式|移动数据|定位|位置|深色|自动旋转|勿扰|热点|nfc|省电"
    r"|bluetooth|airplane|flight mode|mobile data|location|dark (?:mode|theme)|auto-?rotate"
    r"|battery saver",
    re.IGNORECASE,
)
_SAVING = re.compile(r"保存|存储|save", re.IGNORECASE)
_REMOVING = re.compile(r"删除|清空|移除|清除|delete|clear|remove|empty", re.IGNORECASE)


def choose_move(clause: Clause, scene: Scene) -> Move:
    """What to do next for a clause."""
    match clause:
        case Open():
            return _open(clause, scene)
        case Enter():
            return _enter(clause, scene)
        case Tap():
            return _tap(clause, scene)
        case Fill():
            return _fill(clause, scene)
        case Submit():
            return _submit(scene)
        case Flip():
            return _flip(clause, scene)
        case Scroll():
            return _scroll(clause, scene)
        case ScrollTo():
            return _scroll_to(clause, scene)
        case GoBack():
            return _go_back(scene)
        case GoHome():
            return _once(scene, Home(), "home", scene.tell("回到桌面", "go to the home screen"))
        case Pause():
            why = scene.tell(f"等待{clause.duration_s:g}秒", f"wait {clause.duration_s:g} s")
            return _once(scene, Wait(value=clause.duration_s), "wait", why)
        case Tell():
            return _tell(clause, scene)
        case Ask():
            return _ask(clause, scene)
        case Unknown():
            return _unknown(clause, scene)
        case _:
            assert_never(clause)


def _unknown(clause: Unknown, scene: Scene) -> Move:
    """Words that are no command may still be just what stands on a button."""
    rows = [m for m in find_labels(scene.screen, clause.words) if m.is_exact and not m.is_title]
    if rows or scene.did("tap", "still", "retap"):
        return _tap(Tap(clause.words), scene)
    return Failed(
        scene.tell(
            f"演示模型看不懂“{clause.words}”",
            f'the demo model does not understand "{clause.words}"',
        )
    )


def _once(scene: Scene, action: Action, did: str, why: str) -> Move:
    if scene.fresh:
        return Act(action, did, why)
    if scene.error:
        return Failed(scene.tell(f"{why}失败：{scene.error}", f"could not {why}: {scene.error}"))
    return Done(why)


def _open(clause: Open, scene: Scene) -> Move:
    """Launch an app by name; or tap what is called so, or switch it on if it is a switch."""
    name = clause.name
    if scene.fresh and (scene.memory.at == 0 or KNOWN_APP.fullmatch(name)):
        return Act(Awake(value=name), "open", scene.tell(f"打开应用{name}", f"open the app {name}"))
    matches = find_labels(scene.screen, name)
    if scene.did("open", "reopen") and not scene.error:
        if scene.changed or any(m.is_title and m.is_exact for m in matches):
            return Done(scene.tell(f"{name}已打开", f"{name} is open"))
        if scene.did("reopen"):
            return Failed(
                scene.tell(f"打开{name}后屏幕没有变化", f"opening {name} changed nothing on screen")
            )
        again = scene.tell(f"从桌面再次打开{name}", f"open {name} again from the home screen")
        return Act(Home(), "rehome", again)
    if scene.did("rehome"):
        return Act(Awake(value=name), "reopen", scene.tell(f"再次打开{name}", f"open {name} again"))
    rows = [m for m in matches if not m.is_title]
    if rows and rows[0].is_exact and _switch_beside(rows[0].text, scene) is not None:
        return _flip(Flip(name, on=True), scene)
    if scene.did("open") and not rows:
        why = scene.tell(f"打不开{name}，去桌面找图标", f"{name} did not open; look for its icon")
        return Act(Home(), "home", f"{why} ({scene.error})")
    return _enter(Enter(name), scene)


def _enter(clause: Enter, scene: Scene) -> Move:
    matches = find_labels(scene.screen, clause.label)
    here = any(m.is_title and m.is_exact for m in matches)
    if here and (scene.changed or scene.fresh):
        return Done(scene.tell(f"已在{clause.label}页面", f"the page {clause.label} is shown"))
    return _tap(Tap(clause.label), scene, may_go_back=True)


def _tap(clause: Tap, scene: Scene, *, may_go_back: bool = False) -> Move:
    named = _name_of(clause, scene)
    if scene.did("tap", "still", "retap", "agree"):
        if scene.changed and scene.may_have_worked:
            if (move := _what_is_left(clause, scene)) is not None:
                return move
            return Done(
                scene.tell(f"点击{named}后屏幕已变化", f"tapping {named} changed the screen")
            )
        if scene.did("tap") and not scene.error:
            return Act(Wait(value=1), "still", scene.tell("等待屏幕响应", "wait for the screen"))
        if scene.did("agree") or scene.tried("retap") >= MOST_RETAPS:
            return Failed(scene.tell(f"点击{named}没有反应", f"tapping {named} changed nothing"))
    target = _target(clause, scene)
    if target is None:
        move = seek(named, scene, may_go_back=may_go_back)
        if clause.nth is not None and isinstance(move, Act) and move.did not in ("load", "hide"):
            # What is scrolled to cannot be counted from the first one any more.
            return Failed(scene.tell(f"屏幕上没有{named}", f"there is no {named} on the screen"))
        return move
    point = scene.screen.point_at(target.x, target.y)
    did = "retap" if scene.did("tap", "still", "retap") else "tap"
    return Act(_press(clause.how, point), did, scene.tell(f"点击{named}", f"tap {named}"))


def _what_is_left(clause: Tap, scene: Scene) -> Move | None:
    """What a tap that changed the screen has not brought about yet; None when all is well.

    A form that was saved closes; a question about removing is answered; what was to be made new is
    what the new page speaks of; and a person's page has that person's name at its top.
    """
    label = clause.label
    if clause.exact and not any(
        m.is_title and m.is_exact for m in find_labels(scene.screen, label)
    ):
        why = f"打开的页面不是{label}的", f"the page that opened is not that of {label}"
        return Failed(scene.tell(*why))
    if _SAVING.fullmatch(label) and any(m.is_exact for m in find_labels(scene.screen, label)):
        if scene.did("tap"):
            return Act(Wait(value=1), "still", scene.tell("等待保存", "wait for it to be saved"))
        why = f"点击{label}后页面没有关闭", f"tapping {label} did not close the form"
        return Failed(scene.tell(*why))
    if _REMOVING.match(label) and (agree := _agree_button(scene)) is not None:
        if scene.did("agree"):
            return Failed(scene.tell(f"对话框还在：{label}", f"the dialog stays: {label}"))
        point = scene.screen.point_at(agree.x, agree.y)
        return Act(Click(point=point), "agree", scene.tell("确认对话框", "agree to the dialog"))
    if not names_what_was_added(scene.screen, label):
        return Failed(
            scene.tell(f"打开的页面不是{label}", f"the page that opened is not for this: {label}")
        )
    return None


def _name_of(clause: Tap, scene: Scene) -> str:
    if clause.nth is None:
        return clause.label
    return scene.tell(f"第{clause.nth}个{clause.label}", f"{clause.label} number {clause.nth}")


def _press(how: TapKind, point: Point) -> Action:
    if how == "long":
        return LongPress(point=point)
    return DoubleClick(point=point) if how == "double" else Click(point=point)


def _target(clause: Tap, scene: Scene) -> Box | None:
    if clause.nth is not None:
        return find_nth(scene.screen, clause.label, clause.nth)
    matches = find_labels(scene.screen, clause.label)
    if clause.exact:
        matches = [match for match in matches if match.is_exact]
    if len(matches) > 1:
        # What was typed into a search field at the top also stands there.
        fields = [b for b in find_wide_boxes(scene.screen) if b.y < 0.2 * scene.screen.height_px]
        boxes = [m.text.box for m in matches]
        return next((b for b in boxes if not any(f.top < b.y < f.bottom for f in fields)), boxes[0])
    if matches:
        return matches[0].text.box
    return find_round_button(scene.screen) if means_adding(clause.label) else None


def _fill(clause: Fill, scene: Scene) -> Move:
    text = clause.text if clause.text is not None else scene.memory.note(ANSWER_NOTE)
    if not text:
        return Failed(scene.tell("没有可输入的文字", "there is no text to type"))
    typed = scene.did("type", "retype", "look")
    if typed and says_twice(scene.screen, text):
        return Failed(scene.tell(f"“{text}”输入了两遍", f'"{text}" stands there twice'))
    if typed and not scene.error and says_typed(scene.screen, text):
        if scene.changed:
            return Done(scene.tell(f"屏幕上能看到“{text}”", f'"{text}" can be read on the screen'))
        if scene.did("type"):  # it stood there before: wait for what was typed
            return Act(Wait(value=1), "look", scene.tell("等待文字出现", "wait for the text"))
    again = scene.types_at_point and scene.error and scene.tried("retype") < MOST_RETYPES
    if scene.did("look") or (scene.did("retype") and not again):
        return Failed(scene.tell(f"输入后看不到“{text}”", f'"{text}" was typed but cannot be seen'))
    place = find_field(scene.screen, clause.field, clause.label)
    if clause.field == "named" and place is None and scene.screen.keyboard_top_px is None:
        return seek(clause.label, scene)
    point = None if place is None else scene.screen.point_at(place.x, place.y)
    aimed = scene.did("focus", "refocus")
    if point is not None and (scene.did("type") or not (scene.types_at_point or aimed)):
        aim = "refocus" if scene.did("type") else "focus"
        return Act(Click(point=point), aim, scene.tell("先点输入框", "tap the field first"))
    did = "retype" if scene.did("type", "retype", "refocus") else "type"
    if aimed:
        point = None
    keyboard_exists = point is None and scene.screen.keyboard_top_px is not None
    typing = Type(value=text, point=point, keyboard_exists=keyboard_exists)
    return Act(typing, did, scene.tell(f"输入“{text}”", f'type "{text}"'))


def _submit(scene: Scene) -> Move:
    why = scene.tell("提交", "submit")
    if not scene.fresh:
        # Some searches answer while one types: an Enter that changes nothing is no failure.
        return Done(why) if not scene.error else Failed(f"{why}: {scene.error}")
    buttons = [
        m.text
        for m in find_labels(scene.screen, "搜索")
        if m.text.box.left > scene.screen.width_px * 0.75
        and m.text.box.y < scene.screen.height_px * 0.2
    ]
    if buttons:
        box = buttons[0].box
        return Act(Click(point=scene.screen.point_at(box.x, box.y)), "submit", why)
    return Act(HotKey(key="ENTER"), "submit", why)


def _flip(clause: Flip, scene: Scene) -> Move:
    state = scene.tell("打开" if clause.on else "关闭", "on" if clause.on else "off")
    named = scene.tell(f"{state}{clause.label}", f"turn {state} {clause.label}")
    matches = find_labels(scene.screen, clause.label)
    switch = _switch_of(clause.label, matches, scene)
    if scene.did("flip", "reflip", "settle", "agree"):
        if (agree := _agree_button(scene)) is not None and not scene.did("agree"):
            point = scene.screen.point_at(agree.x, agree.y)
            return Act(Click(point=point), "agree", scene.tell("确认对话框", "agree to the dialog"))
        if switch is not None and switch.on == clause.on:
            return Done(scene.tell(f"开关已{state}", f"the switch is {state} now"))
        if not scene.did("reflip") and not scene.did("settle"):
            return Act(Wait(value=1), "settle", scene.tell("等待开关变化", "wait for the switch"))
        if scene.did("reflip"):
            return Failed(scene.tell(f"开关没有{state}", f"the switch did not turn {state}"))
    if switch is not None:
        if switch.on == clause.on:
            return Done(scene.tell(f"开关本来就已{state}", f"the switch is already {state}"))
        point = scene.screen.point_at(switch.box.x, switch.box.y)
        return Act(Click(point=point), "reflip" if scene.did("settle") else "flip", named)
    rows = [m for m in matches if not m.is_title and m.is_exact]
    if rows and not scene.did("in", "upin", "lastseek"):
        point = scene.screen.point_at(rows[0].text.box.x, rows[0].text.box.y)
        why = scene.tell(f"进入{clause.label}页面找开关", f"look for the switch in {clause.label}")
        return Act(Click(point=point), "upin" if scene.did("up", "reseek") else "in", why)
    if scene.fresh and scene.memory.at == 0 and _SYSTEM_SWITCH.search(clause.label):
        app = scene.tell("设置", "Settings")
        return Act(Awake(value=app), "open", scene.tell("打开设置找开关", "open Settings first"))
    return seek(clause.label, scene, may_go_back=True)


def _switch_of(label: str, matches: list[Match], scene: Scene) -> Switch | None:
    """The switch whose row has the label's name; None if there is none, or more than one."""
    rows = [m.text for m in matches if not m.is_title and m.is_exact]
    rows = rows or [t for t in scene.screen.content if names_switch(label, t.text)]
    found = [switch for row in rows if (switch := _switch_beside(row, scene)) is not None]
    return found[0] if len({switch.box.top for switch in found}) == 1 else None


def _switch_beside(text: Text, scene: Scene) -> Switch | None:
    y = text.box.y
    near = sorted(scene.switches, key=lambda s: abs(s.box.y - y))
    if not near or abs(near[0].box.y - y) > ROW_REACH * near[0].box.height:
        return None
    return near[0] if near[0].box.left > text.box.right else None


def _agree_button(scene: Scene) -> Box | None:
    """The button that agrees, if a dialog with a cancel button is up."""
    words = [(normalise(t.text), t.box) for t in scene.screen.content]
    if not any(word in ("取消", "cancel") for word, _ in words):
        return None
    agree = {"确定", "ok", "关闭", "打开", "确认", "允许", "turnoff", "turnon", "confirm", "allow"}
    agree |= {"删除", "清空", "移除", "清除", "delete", "clear", "remove"}
    return next((box for word, box in reversed(words) if word in agree), None)


def _scroll(clause: Scroll, scene: Scene) -> Move:
    side = clause.side
    why = scene.tell(f"向{SIDE_ZH[side]}滚动", f"scroll {side}")
    times = scene.tried("scroll")
    if times and scene.error:
        return Failed(f"{why}: {scene.error}")
    if times and not scene.changed:
        return Done(scene.tell("已经到头了", "nothing moves any more: this is the end"))
    if times and not clause.to_end:
        return Done(why)
    if times >= MAX_SLIDES * 2:
        return Failed(scene.tell("滑动很多次仍未到头", "the end was not reached"))
    return Act(slide(side), "scroll", why)


def _scroll_to(clause: ScrollTo, scene: Scene) -> Move:
    rows = [m for m in find_labels(scene.screen, clause.label) if not m.is_title]
    if rows:
        return Done(scene.tell(f"看到了{clause.label}", f"{clause.label} is on the screen"))
    return seek(clause.label, scene)


def _go_back(scene: Scene) -> Move:
    why = scene.tell("返回上一页", "go back")
    if scene.did("back") and scene.changed and not scene.error:
        return Done(why)
    if scene.tried("back") >= 2:
        return Failed(scene.tell("返回后屏幕没有变化", "going back changed nothing"))
    return Act(Back(), "back", why)


def _tell(clause: Tell, scene: Scene) -> Move:
    value = find_value(scene.screen, clause.label)
    owner, _, what = clause.label.rpartition("的")
    if value is None and owner and any(m.is_exact for m in find_labels(scene.screen, owner)):
        value = find_value(scene.screen, what)
    if value is None:
        return seek(clause.label, scene)
    return Done(f"{clause.label}: {value}", (clause.label, value))


def _ask(clause: Ask, scene: Scene) -> Move:
    if scene.did("ask") and scene.user_words:
        answered = scene.tell(f"用户回答：{scene.user_words}", f"the user says: {scene.user_words}")
        return Done(answered, (ANSWER_NOTE, scene.user_words))
    if scene.tried("ask") >= 2:
        return Failed(scene.tell("用户没有回答", "the user gave no answer"))
    question = scene.tell(f"请问{clause.question}？", f"Please tell me: {clause.question}")
    return Act(Info(value=question), "ask", scene.tell("询问用户", "ask the user"))
