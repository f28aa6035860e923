"""What the loop itself says to the model, in the language of the task."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoopWords:
    """The sentences of one language; `repeated` takes result, times and action."""

    repeated: str
    nothing_done: str
    nobody_answers: str
    given_back: str
    held: str
    screen_changed: str
    handed_over: str
    unknown: str
    black: str


_ENGLISH = LoopWords(
    repeated=(
        "{result} - but you have chosen {action} {times} times on this same screen, and nothing "
        "changes. Try another way, or ABORT if there is none."
    ),
    nothing_done=(
        "You said COMPLETE, but no action has been done in this task yet. Look at the screen "
        "again: if the task is really done already, say COMPLETE again; otherwise go on."
    ),
    nobody_answers="Nobody can answer now. Decide yourself from what you know, and go on.",
    given_back="The user has done it and gave the phone back. Look at the screen and go on.",
    held="Not done: the user held the task just then. Look at the screen again.",
    screen_changed=(
        "Not done: the screen changed while the user was asked about it. Look at it again."
    ),
    handed_over="Not done by you: the user did this part by hand. Look at the screen and go on.",
    unknown=(
        "unknown: the program was interrupted during this action. It may or may not have been "
        "done. Look at the screen before you repeat it."
    ),
    black=(
        "The screenshot is all black: the phone is asleep or locked, or the page is protected "
        "from screenshots. You do not see the screen: do not guess where anything is."
    ),
)
_CHINESE = LoopWords(
    repeated=(
        "{result}。但是你已经第 {times} 次在同一个屏幕上选择 {action}，屏幕没有变化。"
        "请换一种做法；如果没有别的办法，请 ABORT。"
    ),
    nothing_done=(
        "你说任务已 COMPLETE，但本任务还没有执行过任何操作。请再看一遍屏幕："
        "如果任务确实已经完成，请再次 COMPLETE；否则请继续操作。"
    ),
    nobody_answers="现在没有人能回答。请根据已知信息自行决定，然后继续。",
    given_back="用户已经处理完毕，并把手机交还给你。请看屏幕，继续操作。",
    held="没有执行：用户当时暂停了任务。请重新看屏幕。",
    screen_changed="没有执行：在询问用户期间屏幕发生了变化。请重新看屏幕。",
    handed_over="这一步不由你执行：用户已亲自处理。请看屏幕，继续操作。",
    unknown="结果未知：程序在执行该操作时中断，操作可能已执行，也可能没有。重复之前请先看屏幕。",
    black=(
        "截图全黑：手机可能处于休眠或锁屏状态，或者该页面禁止截屏。"
        "你看不到屏幕内容，请不要猜测任何元素的位置。"
    ),
)


def words_for(task: str) -> LoopWords:
    """Chinese if the task has a Chinese character in it, else English."""
    return _CHINESE if re.search(r"[\u4e00-\u9fff]", task) else _ENGLISH
