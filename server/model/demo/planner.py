"""The plan: walk the clauses of the task until one needs an act on the phone."""

from __future__ import annotations

from dataclasses import dataclass

from parsers.action import Abort, Action, Complete
from server.model.demo.clauses import Clause, Language, Unknown
from server.model.demo.memory import Memory, read_mark, write_mark
from server.model.demo.moves import ANSWER_NOTE, Act, Done, Failed, Scene, choose_move
from server.model.demo.screen import Screen
from server.model.demo.task_reading import language_of, read_task


@dataclass(frozen=True, slots=True)
class Request:
    """What the prompt said, whatever its dialect.

    Attributes:
        task: What the user wants.
        history: All text in which a mark of the memory may stand, oldest first.
        user_words: The user's newest words; "" if none.
        error: What the phone said about the last action if it failed; "" otherwise.
    """

    task: str
    history: str = ""
    user_words: str = ""
    error: str = ""


def choose_action(request: Request, screen: Screen) -> Action:
    """The next action, with its thought, reason and summary.

    Args:
        request: The task and what is remembered.
        screen: The present screenshot.
    """
    language = language_of(request.task)
    clauses = read_task(request.task)
    if not clauses:
        clauses = [Unknown(request.task)]
    memory = read_mark(request.history, len(clauses))
    seen: list[str] = []
    first = True
    while memory.at < len(clauses):
        scene = Scene(
            screen,
            memory,
            language,
            error=request.error if first else "",
            user_words=request.user_words,
        )
        move = choose_move(clauses[memory.at], scene)
        if isinstance(move, Act):
            memory = memory.after(move.did, screen.fingerprint)
            return _with_words(move.action, move.why, seen, memory, clauses, language)
        if isinstance(move, Failed):
            stop = Abort(value=move.why)
            return _with_words(stop, move.why, seen, memory, clauses, language)
        seen.append(move.why)
        memory = _advance(memory, move)
        first = False
    told = _what_to_tell(memory, seen, language)
    return _with_words(
        Complete.model_validate({"return": told}), told, seen, memory, clauses, language
    )


def _advance(memory: Memory, done: Done) -> Memory:
    if done.note is not None:
        memory = memory.with_note(*done.note)
    return memory.next_clause()


def _what_to_tell(memory: Memory, seen: list[str], language: Language) -> str:
    values = [f"{name}: {value}" for name, value in memory.notes if name != ANSWER_NOTE]
    if values:
        return "；".join(values) if language == "zh" else "; ".join(values)
    proof = seen[-1] if seen else ""
    return f"任务已完成：{proof}" if language == "zh" else f"The task is done: {proof}"


def _with_words(
    action: Action,
    why: str,
    seen: list[str],
    memory: Memory,
    clauses: list[Clause],
    language: Language,
) -> Action:
    """Put thought, reason and summary on an action. They are for people, and the mark is for us."""
    count, done = len(clauses), min(memory.at, len(clauses))
    if language == "zh":
        thought = "".join(f"{words}。" for words in seen) + f"接下来：{why}。"
        summary = f"共{count}步，已完成{done}步，正在：{why}。"
    else:
        thought = "".join(f"Seen: {words}. " for words in seen) + f"Next: {why}."
        summary = f"{done} of {count} parts done; now: {why}."
    mark = write_mark(memory, count)
    return action.model_copy(
        update={"cot": thought, "explain": why, "summary": f"{summary} {mark}"}
    )
