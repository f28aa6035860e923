"""The plan: walk the clauses of the task until one needs an act on the phone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parsers.action import Abort, Action, Complete
from server.model.demo.clauses import Language, Unknown
from server.model.demo.memory import Memory, read_mark, write_mark
from server.model.demo.moves import ANSWER_NOTE, Act, Done, Scene, choose_move
from server.model.demo.screen import Screen
from server.model.demo.task_reading import language_of, read_task

MemoryPlace = Literal["summary", "thought", "explain"]


@dataclass(frozen=True, slots=True)
class Request:
    """What the prompt said, whatever its dialect.

    Attributes:
        task: What the user wants.
        history: All text in which a mark of the memory may stand, oldest first.
        user_words: The user's newest words; "" if none.
        error: What the phone said about the last action if it failed; "" otherwise.
        memory_in: The field of the reply that the next prompt will show.
        types_at_point: Whether a TYPE may carry the place of its field.
    """

    task: str
    history: str = ""
    user_words: str = ""
    error: str = ""
    memory_in: MemoryPlace = "summary"
    types_at_point: bool = True


def choose_action(request: Request, screen: Screen) -> Action:
    """The next action, with its thought, reason and summary.

    Args:
        request: The task and what is remembered.
        screen: The present screenshot.
    """
    language = language_of(request.task)
    clauses = read_task(request.task) or [Unknown(request.task)]
    memory = read_mark(request.history, len(clauses))
    error, seen = request.error, list[str]()
    while memory.at < len(clauses):
        scene = Scene(screen, memory, language, error, request.user_words, request.types_at_point)
        move = choose_move(clauses[memory.at], scene)
        if isinstance(move, Done):
            seen.append(move.why)
            memory = _advance(memory, move)
            error = ""
            continue
        if isinstance(move, Act):
            memory = memory.after(move.did, screen.fingerprint)
            action = move.action
        else:
            action = Abort(value=move.why)
        return _with_words(action, move.why, seen, write_mark(memory, len(clauses)), request)
    told = _what_to_tell(memory, seen, language)
    mark = write_mark(memory, len(clauses))
    return _with_words(Complete.model_validate({"return": told}), told, seen, mark, request)


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


def _with_words(action: Action, why: str, seen: list[str], mark: str, request: Request) -> Action:
    """Put thought, reason and summary on an action: words for people, and the mark for us."""
    if language_of(request.task) == "zh":
        thought = "".join(f"{words}。" for words in seen) + f"接下来：{why}。"
        summary = "；".join([*seen, f"正在：{why}"])
    else:
        thought = "".join(f"Seen: {words}. " for words in seen) + f"Next: {why}."
        summary = "; ".join([*seen, f"now: {why}"])
    words = {"thought": thought, "explain": why, "summary": summary}
    words[request.memory_in] += f" {mark}"
    return action.model_copy(
        update={"cot": words["thought"], "explain": words["explain"], "summary": words["summary"]}
    )
