"""Episodes with the fields and the action space of AndroidControl, as JSON and PNG.

The data set's own files are TFRecords with the fields `episode_id`, `goal`, `screenshots`,
`accessibility_trees`, `screenshot_widths`, `screenshot_heights`, `actions`, `step_instructions`.
Here the first of these are the same names in a JSON file; pictures and trees are file names below
the folder. As there, an action stands between two screenshots: there is one screenshot more. The
`action_type`s are `click`, `long_press`, `scroll`, `open_app`, `type` (tap, write, enter),
`input_text`, `navigate_home`, `navigate_back` and `wait`; points are pixels.
(Format: the README of `android_control` in google-research, read in November 2026.)
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

from parsers.action import (
    Awake,
    Back,
    Click,
    Home,
    HotKey,
    LongPress,
    Point,
    Scroll,
    Slide,
    Type,
    Wait,
)
from server.export.episode import Episode, EpisodeStep, NotExportableError
from server.export.formats import ExportOptions, Progress, Written
from server.export.redaction import Redactor


def write(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write one episode as `<session>.json` with its pictures beside it.

    Raises:
        NotExportableError: No action of the session has a name in that action space.
    """
    record = _Record(folder, episode.session_id, redactor)
    notes: list[str] = []
    for step in episode.iter_steps():
        progress()
        record.see(step)
        actions = _translate(step)
        if actions is None:
            if step.action.action not in ("COMPLETE", "ABORT", "ANSWER"):
                notes.append(f"step {step.number} ({step.action.action}) has no name there")
            continue
        for action in actions:
            record.act(redactor.value(action), redactor.text(_instruction(step)))
    if not record.close():
        notes.append("the last action is left out: no screenshot follows it")
    if not record.actions:
        raise NotExportableError(
            "no action of this session has a name in AndroidControl; choose another format"
        )
    value = {
        "episode_id": uuid.UUID(episode.session_id).int >> 65,
        "goal": redactor.text(episode.task),
        "screenshots": record.screenshots,
        "accessibility_trees": record.trees,
        "screenshot_widths": record.widths,
        "screenshot_heights": record.heights,
        "actions": record.actions,
        "step_instructions": record.instructions,
        "session_id": episode.session_id,
    }
    name = f"{episode.session_id}.json"
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    (folder / name).write_text(text, encoding="utf-8")
    return Written((name,), len(record.actions), tuple(notes))


class _Record:
    """Keeps the rule: one screenshot more than actions, each action between two of them."""

    def __init__(self, folder: Path, session_id: str, redactor: Redactor) -> None:
        self._folder, self._name, self._redactor = folder, session_id, redactor
        self._waiting: EpisodeStep | None = None
        self.screenshots: list[str] = []
        self.trees: list[str | None] = []
        self.widths: list[int] = []
        self.heights: list[int] = []
        self.actions: list[dict[str, Any]] = []
        self.instructions: list[str] = []
        (folder / session_id).mkdir()

    def see(self, step: EpisodeStep) -> None:
        """This is what the screen is now; it is kept if an action came before or comes next."""
        self._waiting = step
        if len(self.actions) == len(self.screenshots) and self.actions:
            self._keep(step)

    def act(self, action: dict[str, Any], instruction: str) -> None:
        if len(self.screenshots) == len(self.actions) and self._waiting is not None:
            self._keep(self._waiting)
        self.actions.append(action)
        self.instructions.append(instruction)

    def close(self) -> bool:
        """Whether the last action had a screenshot after it; without one it is taken back."""
        if len(self.screenshots) > len(self.actions) or not self.actions:
            return True
        self.actions.pop()
        self.instructions.pop()
        return False

    def _keep(self, step: EpisodeStep) -> None:
        number = len(self.screenshots)
        picture = self._redactor.picture(step)
        name = f"{self._name}/{number:05d}.png"
        picture.save(self._folder / name, "PNG", compress_level=1)
        tree_name = None
        if step.tree is not None:
            tree_name = f"{self._name}/{number:05d}.xml"
            text = self._redactor.tree_xml(step.tree)
            (self._folder / tree_name).write_text(text, encoding="utf-8")
        self.screenshots.append(name)
        self.trees.append(tree_name)
        self.widths.append(picture.width)
        self.heights.append(picture.height)


def _translate(step: EpisodeStep) -> list[dict[str, Any]] | None:
    """The action in their words, with the screen between two of them unchanged; None: no words."""
    action = step.action
    match action:
        case Click():
            return [{"action_type": "click", **_pixels(step)}]
        case LongPress():
            return [{"action_type": "long_press", **_pixels(step)}]
        case Scroll():
            return [{"action_type": "scroll", "direction": action.direction}]
        case Slide():
            return [{"action_type": "scroll", "direction": _revealed(action.point1, action.point2)}]
        case Type():
            if step.point is not None and action.submit:
                return [{"action_type": "type", "text": action.value, **_pixels(step)}]
            if action.submit:
                return None
            tap = [] if step.point is None else [{"action_type": "click", **_pixels(step)}]
            return [*tap, {"action_type": "input_text", "text": action.value}]
        case Awake():
            return [{"action_type": "open_app", "app_name": action.value}]
        case Home():
            return [{"action_type": "navigate_home"}]
        case Back():
            return [{"action_type": "navigate_back"}]
        case HotKey():
            keys = {"HOME": "navigate_home", "BACK": "navigate_back"}
            return [{"action_type": keys[action.key]}] if action.key in keys else None
        case Wait():
            return [{"action_type": "wait"}]
        case _:
            return None


def _revealed(start: Point, end: Point) -> str:
    """Which side of the content a finger that moves so reveals."""
    across, down = end.x - start.x, end.y - start.y
    if abs(across) > abs(down):
        return "left" if across > 0 else "right"
    return "up" if down > 0 else "down"


def _pixels(step: EpisodeStep) -> dict[str, int]:
    point = step.point
    if point is None:
        raise NotExportableError(
            f"step {step.number} names an element whose place is not in the log; "
            "choose another format"
        )
    x_px, y_px = point.to_px(step.size.width_px, step.size.height_px)
    return {"x": x_px, "y": y_px}


def _instruction(step: EpisodeStep) -> str:
    return step.action.explain or step.action.summary or step.action.cot
