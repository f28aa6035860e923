"""The short edition of `make shell-values`, and the proof that it would notice bad quoting."""

from __future__ import annotations

import pytest

from device.quoting import ShellCommand
from tests.device.shell_values import FRAGMENTS, check_generated, check_values, commands_for


def test_20_000_generated_values_are_typed_and_opened_as_they_are() -> None:
    assert check_generated(20_000, seed=7) > 15_000


@pytest.mark.parametrize("value", ["$(>F)", "`>F`", '";>F;"', "${IFS}", "\\\\"])
def test_quoting_that_lets_the_shell_read_a_value_is_noticed(value: str) -> None:
    def careless(text: str) -> list[ShellCommand]:
        return [ShellCommand(f'input text "{text}"'), *commands_for(text)[-2:]]

    with pytest.raises(AssertionError):
        check_values([value], careless)


def test_each_hostile_fragment_alone_arrives() -> None:
    check_values(["", *FRAGMENTS])
