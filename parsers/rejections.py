"""What the model is told when its reply could not be read, in its own language."""

from __future__ import annotations

from parsers.action import Rejection, RejectionCode
from parsers.rejections_zh import translate_detail

_EN: dict[RejectionCode, str] = {
    "empty": "Your reply was empty.",
    "no_action": "Your reply contains no action that can be read.",
    "unknown_action": "Your reply uses an action that does not exist here.",
    "missing_arg": "Your action lacks an argument that it needs.",
    "bad_arg": "An argument of your action is not valid.",
    "bad_point": "The coordinates of your action cannot be read.",
    "out_of_range": "The coordinates of your action are off the screen.",
    "bad_element": "Your action names an element that does not exist.",
    "multiple_actions": "Your reply contains several actions that exclude each other.",
    "truncated": "Your reply was cut off before the action was whole.",
    "conflict": "Your reply contradicts itself.",
}
_ZH: dict[RejectionCode, str] = {
    "empty": "你的回复是空的。",
    "no_action": "你的回复里没有可以识别的动作。",
    "unknown_action": "你的回复使用了不存在的动作。",
    "missing_arg": "你的动作缺少必需的参数。",
    "bad_arg": "你的动作里有一个参数无效。",
    "bad_point": "你的动作里的坐标无法识别。",
    "out_of_range": "你的动作里的坐标超出了屏幕范围。",
    "bad_element": "你的动作所指的界面元素编号不存在。",
    "multiple_actions": "你的回复里有多个互相冲突的动作，一次只能给出一个。",
    "truncated": "你的回复被截断了，动作不完整。",
    "conflict": "你的回复自相矛盾。",
}


def describe_rejection(rejection: Rejection, language: str) -> str:
    """Turn a rejection into the user turn that asks the model again.

    Args:
        rejection: Why the reply could not be read.
        language: "zh" gives Chinese, all else English.

    Returns:
        A few lines: what was wrong, the code, the detail, the offending piece, what to do. All of
        it in one language: a detail that has no Chinese is left out of a Chinese turn.
    """
    if language.startswith("zh"):
        lines = [
            f"{_ZH[rejection.code]}上一条回复没有被执行，手机状态没有变化。",
            f"错误代码：{rejection.code}",
        ]
        if (detail := translate_detail(rejection.message)) is not None:
            lines.append(f"具体原因：{detail}")
        if rejection.span:
            lines.append(f"出错的片段：{rejection.span}")
        lines.append("请严格按照要求的格式重新回复，只给出一个完整的动作。")
    else:
        lines = [
            f"{_EN[rejection.code]} The last reply was not carried out; the phone is unchanged.",
            f"Code: {rejection.code}",
            f"Detail: {rejection.message}",
        ]
        if rejection.span:
            lines.append(f"Offending piece: {rejection.span}")
        lines.append("Answer again in exactly the required format, with one whole action.")
    return "\n".join(lines)
