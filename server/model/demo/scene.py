"""What a handler of a clause may look at, and the three things that it may say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from parsers.action import Action
from server.model.demo.clauses import Language
from server.model.demo.memory import Memory
from server.model.demo.numbered import Listed, find_listed_switches
from server.model.demo.pixels import Switch, find_switches
from server.model.demo.screen import Screen


@dataclass(frozen=True, slots=True)
class Act:
    """Do one thing on the phone; `did` is the word that the memory keeps."""

    action: Action
    did: str
    why: str


@dataclass(frozen=True, slots=True)
class Done:
    """The clause is seen to be done; `note` is a value to remember."""

    why: str
    note: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The clause cannot be done."""

    why: str


Move = Act | Done | Failed


@dataclass(frozen=True)
class Scene:
    """All that a handler may look at.

    Attributes:
        screen: The present screenshot.
        memory: What was done for this clause so far.
        language: Language of the task, in which reasons are told.
        error: What the phone said about the last action, if it failed.
        user_words: The user's newest words.
        types_at_point: Whether a TYPE may carry the place of its field.
        elements: The numbered list of the prompt, in dialects that have one.
    """

    screen: Screen
    memory: Memory
    language: Language
    error: str = ""
    user_words: str = ""
    types_at_point: bool = True
    elements: tuple[Listed, ...] = ()

    @cached_property
    def switches(self) -> list[Switch]:
        """The switches on the screen, as the list tells or as the pixels show."""
        if any(element.on is not None for element in self.elements):
            return find_listed_switches(self.elements, self.screen)
        return find_switches(self.screen)

    def tell(self, zh: str, en: str) -> str:
        return zh if self.language == "zh" else en

    def did(self, *words: str) -> bool:
        return self.memory.did in words

    @property
    def fresh(self) -> bool:
        return self.memory.did == ""

    @property
    def changed(self) -> bool:
        """The screen is another one than that on which the last thing was done."""
        return self.screen.fingerprint != self.memory.seen

    @property
    def may_have_worked(self) -> bool:
        """No error, or one that leaves open whether the phone did it: then the screen decides."""
        return not self.error or self.error.startswith(("device.connection_lost", "unknown"))

    def tried(self, word: str) -> int:
        return self.memory.times if self.memory.did == word else 0
