"""Integer expressions of `$(( ))`, in 64 bits as the shell has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from device.virtual_phone.shell.lexer import ShellSyntaxError

_TOKEN: Final = re.compile(
    r"\s*(?:(\d+|0[xX][0-9a-fA-F]+)|([A-Za-z_]\w*)|(<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%()<>!&|^~]))"
)
_MAX_DEPTH: Final = 20
_LEVELS: Final[tuple[tuple[str, ...], ...]] = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="),
    ("<<", ">>"), ("+", "-"), ("*", "/", "%"),
)  # fmt: skip


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise ShellSyntaxError("zero divisor")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_OPERATIONS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "||": lambda a, b: int(bool(a) or bool(b)),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b),
}


def compute(expression: str, variables: Mapping[str, str]) -> int:
    """Works out an expression; names that aren't numbers count as 0.

    Raises:
        ShellSyntaxError: It isn't an expression.
    """
    return _Calculator(expression, variables).result()


class _Calculator:
    def __init__(self, expression: str, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._tokens: list[str] = []
        self._depth = 0
        at = 0
        expression = expression.replace("$", "").rstrip()
        while at < len(expression):
            match = _TOKEN.match(expression, at)
            if match is None:
                raise ShellSyntaxError(f"{expression}: unexpected '{expression[at]}'")
            self._tokens.append(match[0].strip())
            at = match.end()
        self._at = 0

    def result(self) -> int:
        if not self._tokens:
            return 0
        value = self._level(0)
        if self._at < len(self._tokens):
            raise ShellSyntaxError(f"unexpected '{self._tokens[self._at]}'")
        return value

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _level(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        value = self._level(level + 1)
        while (operator := self._peek()) in _LEVELS[level]:
            self._at += 1
            value = _wrap(_OPERATIONS[operator](value, self._level(level + 1)))
        return value

    def _unary(self) -> int:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ShellSyntaxError("expression is nested too deep")
        value = self._operand(self._peek())
        self._depth -= 1
        return value

    def _operand(self, token: str) -> int:
        self._at += 1
        match token:
            case "-":
                return _wrap(-self._unary())
            case "+":
                return self._unary()
            case "!":
                return int(not self._unary())
            case "~":
                return _wrap(~self._unary())
            case "(":
                value = self._level(0)
                if self._peek() != ")":
                    raise ShellSyntaxError("missing )")
                self._at += 1
                return value
            case _ if token[:1].isdecimal():
                return _wrap(int(token, 16 if token[:2] in ("0x", "0X") else 10))
            case _ if token.isidentifier():
                try:
                    return int(self._variables.get(token, "0") or "0")
                except ValueError:
                    return 0
            case _:
                raise ShellSyntaxError("expression expected")


def _wrap(value: int) -> int:
    """Cuts to a signed 64-bit integer."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)
