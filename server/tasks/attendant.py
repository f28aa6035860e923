"""The person at the terminal, as a task's counterpart: answers, says yes or no, gives back."""

from __future__ import annotations

import threading

from server.commands.terminal import ask_person
from server.control import TaskControl
from server.errors import TaskStateError

POLL_S = 0.2
YES = frozenset({"y", "yes", "是", "好"})


def attend(control: TaskControl) -> None:
    """Ask the person whatever the task waits for, until it is over; returns at once.

    Where nobody is at the terminal a question ends the task and a confirmation is a no.
    """
    threading.Thread(target=_attend, args=(control,), name="attendant", daemon=True).start()


def _attend(control: TaskControl) -> None:
    while not control.wait_done(POLL_S):
        question = control.question or ""
        try:
            match control.state:
                case "waiting_reply":
                    answer = ask_person(f"the model asks: {question}")
                    if answer is None:
                        control.stop("INFO_ACTION_NEEDS_REPLY")
                    else:
                        control.reply(answer)
                case "waiting_confirm":
                    answer = ask_person(f"may it do this? {question} [y/N]")
                    control.confirm((answer or "").lower() in YES)
                case "taken_over":
                    note = ask_person(
                        f"your turn on the phone: {question} (press Enter when done; "
                        "a note for the model, if any)"
                    )
                    control.give_back(note or "")
                case _:
                    pass
        except TaskStateError:
            pass  # it went on or ended while the person was typing
