"""What the demo model remembers: only what it wrote into its own replies.

The mark stands at the end of the summary (or of the thought, in dialects without one) and comes
back in the next prompt. `‹2/4 tap×1 a3f09c12 | 型号=Pixel 8›` says: the second clause of four, one
tap done for it, on the screen with that fingerprint; noted so far: the model is Pixel 8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_MARK = re.compile(r"‹(\d+)/(\d+) ([a-z]*)×(\d+) ([0-9a-f]{8})((?: \| [^‹›|=]+=[^‹›|]*)*)›")
NOTE_MAX_CHARS = 200


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the plan stands.

    Attributes:
        at: Zero-based index of the clause that is being worked on.
        did: What was last done for it; "" if nothing yet.
        times: How many times in a row.
        seen: Fingerprint of the screen on which it was done.
        notes: Values read and answers given, by name.
    """

    at: int = 0
    did: str = ""
    times: int = 0
    seen: str = "00000000"
    notes: tuple[tuple[str, str], ...] = ()

    def with_note(self, name: str, value: str) -> Memory:
        kept = tuple(note for note in self.notes if note[0] != name)
        return replace(self, notes=(*kept, (_plain(name), _plain(value)[:NOTE_MAX_CHARS])))

    def note(self, name: str) -> str:
        return dict(self.notes).get(name, "")

    def next_clause(self) -> Memory:
        return Memory(at=self.at + 1, notes=self.notes)

    def after(self, did: str, seen: str) -> Memory:
        times = self.times + 1 if did == self.did else 1
        return replace(self, did=did, times=times, seen=seen)


def write_mark(memory: Memory, clause_count: int) -> str:
    """The memory as one short mark."""
    notes = "".join(f" | {name}={value}" for name, value in memory.notes)
    return f"‹{memory.at + 1}/{clause_count} {memory.did}×{memory.times} {memory.seen}{notes}›"


def read_mark(words: str) -> tuple[Memory, int]:
    """The last mark in a text and the number of clauses it counted; a fresh memory without one."""
    marks = [mark for mark in _MARK.finditer(words) if int(mark[1]) >= 1]
    if not marks:
        return Memory(), 0
    mark = marks[-1]
    notes = []
    for note in filter(None, mark[6].split(" | ")):
        name, _, value = note.partition("=")
        notes.append((name, value))
    return Memory(int(mark[1]) - 1, mark[3], int(mark[4]), mark[5], tuple(notes)), int(mark[2])


def _plain(words: str) -> str:
    return re.sub(r"[‹›|=\s]+", " ", words).strip()
