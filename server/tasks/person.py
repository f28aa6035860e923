"""What a running task asks of people: answers, a hand, a yes; and when they hold it themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from device.protocol import Screenshot
from parsers.action import Action, Info, TakeOver
from server.control import TaskControl
from server.loop.options import LoopOptions, Question
from server.loop.words import LoopWords
from server.tasks.states import Asked, Hold, TaskEnd

Verdict = Literal["go", "screen_changed"]
_TOLD = ("facts", "bounds_px", "once_for")
"""What a question tells beside its action, where the policy says it."""


class Person:
    """The people around one task, as its loop sees them.

    Args:
        task: What they want.
        options: Who answers, and how long is waited.
        control: How they are waited for.
        record: Puts questions and answers on record.
        answer: Who answers in the modes `manual_reply` and `auto_reply`.
        words: What the model is told in the task's language.
        granted: What a yes was given to for the rest of the task, before a restart too.
    """

    def __init__(
        self,
        task: str,
        options: LoopOptions,
        control: TaskControl,
        record: Callable[[str, Mapping[str, Any]], None],
        answer: Callable[[Question], str | None] | None,
        words: LoopWords,
        granted: Iterable[str] = (),
    ) -> None:
        self._task = task
        self._options = options
        self._control = control
        self._record = record
        self._answer = answer
        self._words = words
        self._granted = set(granted)

    def ask(self, action: Info, screen: Screenshot) -> str:
        """The answer to the model's question, which the next prompt carries.

        Raises:
            TaskEnd: Nobody answered.
        """
        if self._options.reply_mode == "no_reply":
            return self._words.nobody_answers
        self._record("question", {"text": action.value})
        reply = self._reply_to(action, screen)
        if reply is None:
            raise self._unanswered(action.value)
        self._record("answer", {"text": reply})
        return reply

    def _reply_to(self, action: Info, screen: Screenshot) -> str | None:
        if self._answer is None or self._options.reply_mode == "pass_to_client":
            return self._control.ask_reply(action.value, self._options.reply_timeout_s)
        answer = self._answer
        question = Question(self._task, action.value, action.cot, screen.data)
        return self._control.call_model(lambda: answer(question))

    def hand_over(self, action: TakeOver) -> str:
        """Wait until the person has done what the model may not; an empty note will do.

        Raises:
            TaskEnd: Nobody did.
        """
        if self._options.reply_mode == "no_reply":
            raise TaskEnd("INFO_ACTION_NEEDS_REPLY", action.value)
        self._record("take_over", {"text": action.value, "by": "model"})
        note = self._control.ask_take_over(action.value, self._options.reply_timeout_s)
        if note is None:
            raise self._unanswered(action.value)
        self._record("give_back", {"text": note})
        return note or self._words.given_back

    def _unanswered(self, question: str) -> TaskEnd:
        waited = self._options.reply_timeout_s > 0
        return TaskEnd("REPLY_TIMEOUT" if waited else "INFO_ACTION_NEEDS_REPLY", question)

    def wait_while_held(self) -> tuple[Hold, str] | None:
        """Wait as long as a person holds the task; what they leave behind, if they held it.

        Raises:
            TaskEnd: It was stopped, or held for too long.
        """
        held = self._control.wait_while_held()
        if held is None:
            return None
        hold, note = held
        self._record("give_back" if hold == "taken_over" else "resume", {"text": note})
        return hold, (note or self._words.given_back) if hold == "taken_over" else ""

    def check(
        self,
        action: Action,
        policy: Mapping[str, Any],
        binding: Mapping[str, Any],
        is_same_screen: Callable[[], bool],
    ) -> Verdict:
        """The policy and the model may each ask for a yes; no answer is a no.

        A yes is for this action on this screen: if another screen is there when it comes, the
        action is not done, and the model looks again.

        Args:
            action: What was decided.
            policy: What the policy says of it.
            binding: The step, the action and the screen that a yes is for.
            is_same_screen: Whether that screen is still there.

        Raises:
            TaskEnd: The action is denied.
        """
        level = policy.get("level", "allow")
        reason = str(policy.get("reason") or "")
        if level == "deny":
            raise TaskEnd("POLICY_DENIED", reason or "the policy forbids this action")
        risk = str(policy.get("class", "none"))
        once_for = str(policy.get("once_for") or "")
        is_approved = level == "confirm" and (
            risk in self._options.approved or (once_for != "" and once_for in self._granted)
        )
        if action.confirm is None and (level != "confirm" or is_approved):
            if level != "allow":
                notice = {"step": binding["step"], "class": risk, "text": reason}
                self._record("notice", notice)
            return "go"
        facts = {
            **binding,
            "class": risk,
            "expires_in_s": self._options.confirm_timeout_s,
            **{name: policy[name] for name in _TOLD if policy.get(name)},
        }
        question = Asked(action.confirm or reason, facts=facts)
        self._record("confirm_question", {"id": question.id, "text": question.text, **facts})
        approved = self._control.ask_confirm(question, self._options.confirm_timeout_s)
        answer = {"id": question.id, "step": binding["step"], "approved": approved}
        self._record("confirm_answer", answer)
        if not approved:
            raise TaskEnd("POLICY_DENIED", f"not approved: {question.text}")
        if not is_same_screen():
            return "screen_changed"
        self.grant(policy, binding["step"])
        return "go"

    def grant(self, policy: Mapping[str, Any], step: int) -> None:
        """Keep a yes that holds for the rest of the task, on record too."""
        once_for = str(policy.get("once_for") or "")
        if once_for and once_for not in self._granted:
            self._granted.add(once_for)
            self._record("grant", {"step": step, "once_for": once_for})
