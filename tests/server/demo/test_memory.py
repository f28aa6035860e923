"""The mark carries the plan's state through the prompt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.model.demo.memory import Memory, read_mark, write_mark


@given(
    at=st.integers(0, 8),
    times=st.integers(0, 99),
    notes=st.lists(st.tuples(st.text(min_size=1, max_size=9), st.text(max_size=30)), max_size=3),
)
def test_what_is_written_is_read_back(at: int, times: int, notes: list[tuple[str, str]]) -> None:
    memory = Memory(at, "tap", times, "a3f09c12")
    for name, value in notes:
        memory = memory.with_note(f"n{name}", value)
    assert read_mark(f"共9步。{write_mark(memory, 9)} 用户回复说：好") == (memory, 9)


def test_the_last_mark_counts() -> None:
    text = write_mark(Memory(0, "open", 1), 3) + "…" + write_mark(Memory(2, "flip", 1), 3)
    assert read_mark(text) == (Memory(2, "flip", 1), 3)


def test_text_without_a_mark_is_a_fresh_memory() -> None:
    assert read_mark("暂无历史操作 ‹2/ tap›") == (Memory(), 0)


def test_the_same_act_again_is_counted_and_another_starts_anew() -> None:
    once = Memory().after("seek", "00000001")
    assert once.after("seek", "00000002") == Memory(0, "seek", 2, "00000002")
    assert once.after("tap", "00000002") == Memory(0, "tap", 1, "00000002")
