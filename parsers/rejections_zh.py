# ruff: noqa: E501 - one form a line
"""The details of rejections in Chinese, for models whose prompt is Chinese.

Readers write their messages in English with the offending names in them. Here each form stands
with its Chinese; `{}` is what was filled in. A captured piece that is itself a message is put into
Chinese too.
"""

from __future__ import annotations

import re
from functools import lru_cache

_FORMS = {
    # arguments
    "`{}` is missing": "缺少 `{}`",
    "`{}` is empty": "`{}` 是空的",
    "`{}` is missing or empty": "`{}` 缺失或为空",
    "`{}` is empty: give x and y": "`{}` 是空的：请给出 x 和 y",
    "`{}` is missing: give x and y": "缺少 `{}`：请给出 x 和 y",
    "`{}` is missing: [x, y]": "缺少 `{}`：请写成 [x, y]",
    "`{}` is missing: give the name of a key": "缺少 `{}`：请给出按键名称",
    "`{}` is missing: give the number of an element": "缺少 `{}`：请给出元素编号",
    "`{}` is missing: up, down, left or right": "缺少 `{}`：只能是 up、down、left 或 right",
    "`{}` is missing: Back, Home, Menu or Enter": "缺少 `{}`：只能是 Back、Home、Menu 或 Enter",
    "`{}` is missing: success or failure": "缺少 `{}`：只能是 success 或 failure",
    "`{}` is missing: complete or infeasible": "缺少 `{}`：只能是 complete 或 infeasible",
    "`{}` is missing: a phone opens apps, not URLs": "缺少 `{}`：手机只能打开应用，不能打开网址",
    "`{}` must be a text": "`{}` 必须是文字",
    "`{}` must be a number": "`{}` 必须是数字",
    "`{}` must be a finite number": "`{}` 必须是有限的数字",
    "`{}` must be a number like 3 or 0.5": "`{}` 必须是 3 或 0.5 这样的数字",
    "`{}` must be a word": "`{}` 必须是一个单词",
    "`{}` must be true or false": "`{}` 必须是 true 或 false",
    "`{}` must be up, down, left or right": "`{}` 必须是 up、down、left 或 right",
    "`{}` must be the name of an action": "`{}` 必须是动作名称",
    "`{}` must be a JSON object": "`{}` 必须是一个 JSON 对象",
    "`{}` must be Back, Home, Menu or Enter": "`{}` 必须是 Back、Home、Menu 或 Enter",
    "`{}` must be complete or infeasible": "`{}` 必须是 complete 或 infeasible",
    "`{}` must be success or failure": "`{}` 必须是 success 或 failure",
    "`{}` must be a plain text, not code": "`{}` 必须是普通文字，不能是代码",
    "`{}` must be a plain value, not code": "`{}` 必须是普通的值，不能是代码",
    "`{}` must be the opposite of `{}`": "`{}` 必须与 `{}` 相反",
    "`{}` is longer than {} characters": "`{}` 超过了 {} 个字符",
    "`{}` holds a variable that nobody filled": "`{}` 里有没有填写的变量",
    "`{}` is not a key of a phone; one of {}": "`{}` 不是手机按键，可用的有 {}",
    "`{}` is a time in seconds and cannot be negative": "`{}` 是以秒为单位的时间，不能为负",
    "`{}` is in milliseconds and cannot be negative": "`{}` 以毫秒为单位，不能为负",
    "`{}` cannot be negative": "`{}` 不能为负",
    "`{}` can only be {}": "`{}` 只能是 {}",
    "`{}` has too many arguments": "`{}` 的参数太多",
    "`{}` is given twice": "`{}` 给出了两次",
    "`{}` is given twice with different values": "`{}` 给出了两次，而且值不同",
    "`{}` repeats another argument differently": "`{}` 与另一个参数重复，而且值不同",
    "STATUS must be {}": "STATUS 必须是 {}",
    "PRESS must be HOME, BACK, ENTER or APPSELECT": "PRESS 必须是 HOME、BACK、ENTER 或 APPSELECT",
    "PRESS is empty: HOME, BACK, ENTER or APPSELECT": "PRESS 是空的：请写 HOME、BACK、ENTER 或 APPSELECT",
    "`to` goes with POINT alone": "`to` 只能与 POINT 一起使用",
    "`to` needs POINT, the start of the swipe": "`to` 需要 POINT 作为滑动起点",
    "an argument must be a literal": "参数必须是字面值",
    "an argument must be a plain value, not an expression": "参数必须是普通的值，不能是表达式",
    "arguments must be written out one by one": "参数必须逐个写出",
    "a comma is missing between two arguments": "两个参数之间缺少逗号",
    "the call has too many arguments": "调用的参数太多",
    "{} has too many arguments": "{} 的参数太多",
    "{} has no argument {}": "{} 没有参数 {}",
    "{} must be a literal": "{} 必须是字面值",
    "{} must be a text": "{} 必须是文字",
    "{} needs {}": "{} 缺少 {}",
    "{} repeats the marks of the prompt": "{} 里出现了提示中的标记",
    "{} is given twice": "{} 给出了两次",
    "{} is given twice with different values": "{} 给出了两次，而且值不同",
    'do(...) needs an action: do(action="Tap", …)': 'do(...) 缺少 action，应写成 do(action="Tap", …)',
    "scroll needs a direction or an end_box": "scroll 需要 direction 或 end_box",
    "the action lacks its target": "动作缺少目标",
    "the tool call has no function": "工具调用里没有 function",
    "the tool call's arguments are not JSON": "工具调用的参数不是 JSON",
    "the tool call's arguments are not an object": "工具调用的参数不是对象",
    "text stands outside of a parameter": "参数之外有多余的文字",
    "the parameter {} stands twice": "参数 {} 出现了两次",
    "the arguments: {}": "参数有误：{}",
    "the reply is not valid Unicode (a lone surrogate)": "回复不是有效的 Unicode 文本",
    # points and elements
    "`{}` has {} numbers: give x and y (or a box of four)": "`{}` 有 {} 个数字：请给出 x 和 y（或四个数字的框）",
    "`{}` is in pixels, but the size of the picture that was sent is not known": "`{}` 以像素为单位，但不知道所发图片的大小",
    "`{}` is not one point": "`{}` 不是一个点",
    "`{}` is too long to be a point": "`{}` 太长，不是一个点",
    "`{}` must be two finite numbers": "`{}` 必须是两个有限的数字",
    "`{}` must be two numbers": "`{}` 必须是两个数字",
    "`{}` must be two plain numbers": "`{}` 必须是两个普通数字",
    "`{}` must have x and y": "`{}` 必须有 x 和 y",
    "`{}`: {}={} is off the screen; {} runs from 0 to {}": "`{}`：{}={} 超出屏幕，{} 的范围是 0 到 {}",
    "`{}` is not the number of an element": "`{}` 不是元素编号",
    "`{}` is not the number of an element; there are no numbered elements on this screen": "`{}` 不是元素编号，当前屏幕没有编号的元素",
    "`{}` is not the number of an element; the elements {} exist": "`{}` 不是元素编号，现有元素的编号是 {}",
    "`{}` is not the number of a cell: ask for a grid with grid()": "`{}` 不是网格编号：请先用 grid() 打开网格",
    "{} is off the screen": "{} 超出屏幕",
    "{} needs two or four numbers": "{} 需要两个或四个数字",
    "{} must be a text or a list of numbers": "{} 必须是文字或数字列表",
    "a point needs both x and y": "一个点需要 x 和 y",
    "x and y are missing": "缺少 x 和 y",
    "x and y are needed": "需要 x 和 y",
    "x and y belong together": "x 和 y 必须一起给出",
    "a swipe needs two points: [[x1, y1], [x2, y2]]": "滑动需要两个点：[[x1, y1], [x2, y2]]",
    "a swipe has a direction or an end, not both": "滑动只能有方向或终点之一",
    "give `coordinate` or x and y, not both": "`coordinate` 与 x、y 只能给出一种",
    "give a point or an element, not both": "坐标点与元素只能给出一个",
    "give an index or x and y, not both": "index 与 x、y 只能给出一种",
    # which action
    "the reply is empty: give one action": "回复是空的：请给出一个动作",
    "there is no such action": "没有这个动作",
    "there is no such action; use {}": "没有这个动作，可用的有 {}",
    "there is no such action; use one of {}": "没有这个动作，可用的有 {}",
    "use one of {}": "可用的有 {}",
    "no such action; use POINT, to, duration, PRESS, TYPE or STATUS": "没有这个动作，请使用 POINT、to、duration、PRESS、TYPE 或 STATUS",
    "only plain function names are allowed": "只允许普通的函数名",
    "there is no action {}": "没有动作 {}",
    "there is no action {} on a phone": "手机上没有动作 {}",
    "there is no action_type {}": "没有 action_type {}",
    "there is no tool {} here": "这里没有工具 {}",
    "a phone has no action {}": "手机上没有动作 {}",
    "{} cannot be carried out here": "{} 在这里无法执行",
    "there is no action call in the reply": "回复里没有动作调用",
    "there is no `action:` field after the think block": "思考之后没有 `action:` 字段",
    "the fields are not separated by tabs": "字段之间没有用制表符分隔",
    "the reply has no `action` field": "回复里没有 `action` 字段",
    "the reply has no tool call: give one action": "回复里没有工具调用：请给出一个动作",
    "the message has no tool call": "消息里没有工具调用",
    "the call names no `{}`": "调用里没有 `{}`",
    "the object has no `{}`": "对象里没有 `{}`",
    "the object has nothing to carry out": "对象里没有可执行的内容",
    "no call stands behind the action's label": "动作标签后面没有调用",
    "nothing stands behind the action's label": "动作标签后面没有内容",
    "the content is empty and the reasoning does not end with an action": "内容为空，而且推理没有以动作结尾",
    "the reasoning does not end with a whole action": "推理没有以完整的动作结尾",
    "an end is mentioned inside a sentence, not given": "只是在句子里提到结束，并没有给出结束动作",
    "an end that is only thought about ends nothing": "只在思考里提到的结束不算结束",
    "the provider's content filter stopped the reply": "回复被服务方的内容过滤拦截",
    "the reply is longer than {} characters": "回复超过了 {} 个字符",
    "the thinking is never closed": "思考标签没有闭合",
    # too many, contradictions
    "an act and a stop in one reply": "同一回复里既有操作又有结束：只能给出一个",
    "an act and a stop in one reply: give one": "同一回复里既有操作又有结束：只能给出一个",
    "an act and an end of the task in one reply: give one of them": "同一回复里既有操作又有结束：只能给出一个",
    "an act together with STATUS {}: give one": "操作与 STATUS {} 同时出现：只能给出一个",
    "several tool calls in one reply: give one": "同一回复里有多个工具调用：只能给出一个",
    "several actions in one object: give one": "同一对象里有多个动作：只能给出一个",
    "two different stops in one reply": "同一回复里有两个不同的结束动作",
    "two whole replies in one": "一次给出了两个完整的回复",
    "the text and the tool call name different actions": "文字与工具调用给出的动作不同",
    "the text holds another, broken action": "文字里有另一个不完整的动作",
    # cut, broken
    "the model ran out of tokens: answer more briefly": "输出长度用完了：请回答得更简短",
    "the reply was cut before the action's name": "回复在动作名称之前被截断",
    "the reply was cut before `{}`": "回复在 `{}` 之前被截断",
    "the reply was cut inside `{}`": "回复在 `{}` 中间被截断",
    "the reply was cut inside {}": "回复在 {} 中间被截断",
    "the reply was cut inside a tag": "回复在标签中间被截断",
    "the reply was cut inside the point": "回复在坐标中间被截断",
    "a parameter breaks off": "一个参数没有写完",
    "a tag breaks off": "一个标签没有写完",
    "the call cannot be read: {}": "调用无法识别：{}",
    "far too many braces": "花括号过多",
    "brackets nested too deeply": "括号嵌套过深",
    "the object breaks off": "对象没有写完",
    "the object breaks off inside a key": "对象在键名中间断开",
    "the key {} stands twice with different values": "键 {} 出现了两次，而且值不同",
    "unexpected text after the value of {}": "{} 的值后面有多余的文字",
    "the value of {} is missing": "缺少 {} 的值",
    "not a key": "键名写法不对",
    "not a value": "值的写法不对",
    "the list breaks off": "列表没有写完",
    "the last value breaks off": "最后一个值没有写完",
    "a text breaks off before its closing quote": "文字没有写到结尾的引号",
    "a text breaks off, or its object does": "文字或它所在的对象没有写完",
}


def translate_detail(message: str) -> str | None:
    """A reader's message in Chinese; None where its form is not known."""
    if message in _FORMS:
        return _FORMS[message]
    for form, chinese in _patterns():
        match = form.fullmatch(message)
        if match is not None:
            return chinese.format(*(translate_detail(piece) or piece for piece in match.groups()))
    return None


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Forms with something filled in, the longest first: the most telling one is taken."""
    return [
        (re.compile(re.escape(form).replace(r"\{\}", "(.+?)"), re.DOTALL), chinese)
        for form, chinese in sorted(_FORMS.items(), key=lambda item: -len(item[0]))
        if "{}" in form
    ]
