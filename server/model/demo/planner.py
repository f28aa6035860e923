"""The plan: walk the clauses of the task until one needs an act on the phone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from parsers.action import Abort, Action, Complete, Wait
from server.model.demo.clauses import Clause, Language, Unknown
from server.model.demo.memory import NOTE_MAX_CHARS, Memory, read_mark, write_mark
from server.model.demo.moves import ANSWER_NOTE, choose_move
from server.model.demo.numbered import Listed
from server.model.demo.scene import Act, Done, Failed, Scene
from server.model.demo.screen import Screen
from server.model.demo.task_reading import language_of, read_task

TASK_NOTE = "task"
STUCK_NOTE = "stuck"
MAX_HAND_OVERS = 2
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
        aborts: Whether the dialect can say that it gives up; else that becomes a hand-over.
        elements: The numbered list of the prompt, in dialects that have one.
    """

    task: str
    history: str = ""
    user_words: str = ""
    error: str = ""
    memory_in: MemoryPlace = "summary"
    types_at_point: bool = True
    aborts: bool = True
    elements: tuple[Listed, ...] = ()


def choose_action(request: Request, screen: Screen) -> Action:
    """The next action, with its thought, reason and summary.

    Args:
        request: The task and what is remembered.
        screen: The present screenshot.
    """
    task, clauses, memory = _where_we_are(request)
    language = language_of(task)
    # "ok - but you have chosen it three times" is no failure: the screen tells what is missing.
    error, seen = "" if request.error.startswith("ok") else request.error, list[str]()
    action: Action
    while memory.at < len(clauses):
        scene = Scene(
            screen,
            memory,
            language,
            error,
            request.user_words,
            request.types_at_point,
            request.elements,
        )
        stuck = _times_stuck(memory)
        move = choose_move(clauses[memory.at], scene) if stuck < MAX_HAND_OVERS else _gave_up(scene)
        if isinstance(move, Done):
            seen.append(move.why)
            memory = _advance(memory, move)
            error = ""
            continue
        if isinstance(move, Act):
            memory = memory.after(move.did, screen.fingerprint)
            action, why = move.action, move.why
        elif request.aborts or stuck < MAX_HAND_OVERS:
            action, why = Abort(value=move.why), move.why
            if not request.aborts:
                # What is tried next is not the rest of what failed: the person may have helped.
                memory = Memory(memory.at, notes=memory.notes)
                memory = memory.with_note(STUCK_NOTE, str(stuck + 1))
        else:
            action, why = Wait(value=1), move.why
        break
    else:
        why = _what_to_tell(memory, seen, language)
        action = Complete.model_validate({"return": why})
    words = _explain(why, seen, language)
    words[request.memory_in] += f" {write_mark(memory, len(clauses))}"
    return action.model_copy(
        update={"cot": words["thought"], "explain": words["explain"], "summary": words["summary"]}
    )


def _where_we_are(request: Request) -> tuple[str, list[Clause], Memory]:
    """The task that counts, its clauses and what is done of them.

    The user's latest words win: a remark that is itself a task takes the place of the first one,
    and is noted, because later prompts no longer show it as the newest. An answer to our own
    question is no such remark, nor are words that are not understood as a task.
    """
    memory, count = read_mark(request.history)
    words = request.user_words
    if words and memory.did != "ask" and len(words) <= NOTE_MAX_CHARS:
        renewed = Memory().with_note(TASK_NOTE, words)
        clauses = read_task(renewed.note(TASK_NOTE))
        if clauses and not any(isinstance(clause, Unknown) for clause in clauses):
            return words, clauses, renewed
    task = memory.note(TASK_NOTE) or request.task
    clauses = read_task(task) or [Unknown(task)]
    return task, clauses, memory if count == len(clauses) else Memory()


def _gave_up(scene: Scene) -> Failed:
    return Failed(scene.tell("两次求助后仍做不到", "asked for help twice and still cannot do it"))


def _times_stuck(memory: Memory) -> int:
    """How often the person was already asked to take over."""
    noted = memory.note(STUCK_NOTE)
    return int(noted) if noted.isdigit() else 0


def _advance(memory: Memory, done: Done) -> Memory:
    if done.note is not None:
        memory = memory.with_note(*done.note)
    return memory.next_clause()


def _what_to_tell(memory: Memory, seen: list[str], language: Language) -> str:
    values = [
        f"{name}: {value}"
        for name, value in memory.notes
        if name not in (ANSWER_NOTE, TASK_NOTE, STUCK_NOTE)
    ]
    if values:
        return "；".join(values) if language == "zh" else "; ".join(values)
    proof = seen[-1] if seen else ""
    return f"任务已完成：{proof}" if language == "zh" else f"The task is done: {proof}"


def _explain(why: str, seen: list[str], language: Language) -> dict[MemoryPlace, str]:
    """Thought, reason and summary, for people."""
    if language == "zh":
        thought = "".join(f"{words}。" for words in seen) + f"接下来：{why}。"
        return {"thought": thought, "explain": why, "summary": "；".join([*seen, f"正在：{why}"])}
    thought = "".join(f"Seen: {words}. " for words in seen) + f"Next: {why}."
    return {"thought": thought, "explain": why, "summary": "; ".join([*seen, f"now: {why}"])}
