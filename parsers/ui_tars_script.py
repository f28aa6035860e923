"""Structured UI-TARS actions as a pyautogui script: text for people who come from `ui-tars`.

Every value goes through `repr`, the model's prose stays out, and nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from parsers.errors import InvalidActionError
from parsers.reading import (
    Refused,
    clip,
    read_direction,
    read_numbers,
    read_seconds,
    read_text,
)


def parsing_response_to_pyautogui_code(
    responses: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    image_height: int,
    image_width: int,
    input_swap: bool = True,
) -> str:
    """Turn structured actions into a pyautogui script, as text. Nothing is run here.

    Args:
        responses: What `parse_action_to_structure_output` gave, one or several.
        image_height: Height of the screen in pixels.
        image_width: Its width.
        input_swap: Paste text through the clipboard rather than type it key by key.

    Returns:
        The script; "DONE" where the first action is `finished`.

    Raises:
        InvalidActionError: An action has no meaning on a desktop, or lacks an argument.
    """
    actions = [responses] if isinstance(responses, Mapping) else responses
    if not isinstance(actions, list | tuple) or not all(isinstance(a, Mapping) for a in actions):
        raise InvalidActionError(
            "no script for this: give what parse_action_to_structure_output returned",
            reason="bad_arg",
        )
    if actions and actions[0].get("action_type") == "finished":
        return "DONE"
    lines = ["import pyautogui", "import time"]
    for number, action in enumerate(actions):
        if number:
            lines.append("time.sleep(1)")
        try:
            lines += _script(action, float(image_width), float(image_height), input_swap)
        except Refused as refusal:
            raise InvalidActionError(
                f"no script for this action: {refusal.message}", reason=refusal.code
            ) from refusal
    return "\n".join(lines) + "\n"


def _script(action: Mapping[str, Any], width: float, height: float, input_swap: bool) -> list[str]:
    inputs = action.get("action_inputs") or {}
    if not isinstance(inputs, Mapping):
        raise Refused("bad_arg", "`action_inputs` must be an object", inputs)
    kind = action.get("action_type")
    match kind:
        case "click" | "left_double" | "right_single":
            x, y = _centre(inputs, "start_box", width, height)
            verb = {"click": "click", "left_double": "doubleClick", "right_single": "rightClick"}
            return [f"pyautogui.{verb[str(kind)]}({x!r}, {y!r})"]
        case "drag":
            x1, y1 = _centre(inputs, "start_box", width, height)
            x2, y2 = _centre(inputs, "end_box", width, height)
            return [
                f"pyautogui.moveTo({x1!r}, {y1!r})",
                f"pyautogui.dragTo({x2!r}, {y2!r}, duration=1.0)",
            ]
        case "scroll":
            direction = read_direction(inputs.get("direction"))
            place = ""
            if inputs.get("start_box"):
                x, y = _centre(inputs, "start_box", width, height)
                place = f", x={x!r}, y={y!r}"
            amount = 5 if direction in ("up", "right") else -5
            verb_name = "scroll" if direction in ("up", "down") else "hscroll"
            return [f"pyautogui.{verb_name}({amount!r}{place})"]
        case "type":
            return _type_script(read_text(inputs.get("content"), "content"), input_swap)
        case "hotkey":
            keys = read_text(inputs.get("key", inputs.get("hotkey")), "key")
            names = [name.lower() for name in re.split(r"[\s+]+", keys) if name]
            return [f"pyautogui.hotkey({', '.join(map(repr, names))})"]
        case "wait":
            length_s = next((inputs[n] for n in ("time", "seconds", "duration") if n in inputs), 5)
            return [f"time.sleep({read_seconds(length_s)!r})"]
        case "finished" | "call_user":
            return []
    raise Refused("unknown_action", f"{clip(str(kind), 40)!r} has no meaning on a desktop")


def _type_script(content: str, input_swap: bool) -> list[str]:
    text = content.rstrip("\n")
    lines = []
    if text and input_swap:
        lines += [
            "import pyperclip",
            f"pyperclip.copy({text!r})",
            "pyautogui.hotkey('ctrl', 'v')",
            "time.sleep(0.5)",
        ]
    elif text:
        lines += [f"pyautogui.write({text!r}, interval=0.1)", "time.sleep(0.5)"]
    if text != content:
        lines.append("pyautogui.press('enter')")
    return lines


def _centre(
    inputs: Mapping[str, Any], name: str, width: float, height: float
) -> tuple[float, float]:
    numbers = read_numbers(inputs.get(name), name)
    if len(numbers) != 4 or not all(0 <= number <= 1 for number in numbers):
        raise Refused("bad_point", f"{name} must be four numbers 0-1", inputs.get(name))
    x1, y1, x2, y2 = numbers
    return round((x1 + x2) / 2 * width, 3), round((y1 + y2) / 2 * height, 3)
