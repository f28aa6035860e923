"""A recorded session as exporters see it: read step by step, however long it is."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PIL import Image

from device.errors import UiTreeError
from device.protocol import UiTree
from device.ui_tree import parse_ui_tree
from parsers.action import Action, Point, Size
from server.elements import Target
from server.errors import ServerError, SessionNotFoundError
from server.records.messages import StepRecord, read_dialect, read_session_start, read_step
from server.records.reader import iter_step_messages, read_events, read_first_line
from server.records.store import ReadsRecords
from server.recovery import ENDINGS, find_stop_reason

PICTURE_ENDINGS = (".png", ".jpeg", ".webp")


class NotExportableError(ServerError):
    """The session has nothing that this format could hold."""

    code = "export.not_possible"
    status = 422


@dataclass(frozen=True)
class EpisodeStep:
    """One answered step.

    Attributes:
        number: From 1.
        message: The line's message as `GET /v1/sessions/{id}/steps` gives it.
        action: The validated action.
        size: Of the upright screenshot, in pixels.
        outcome: What became of it on the phone (`device_outcome`); None where nobody told.
        target: The numbered element that the action names.
    """

    number: int
    message: Mapping[str, Any]
    action: Action
    size: Size
    outcome: Mapping[str, Any] | None
    target: Target | None
    _store: ReadsRecords
    _session_id: str

    @property
    def timestamp(self) -> str:
        return str(self.message.get("timestamp") or "")

    @property
    def wire(self) -> dict[str, Any]:
        """The action as the API wrote it."""
        return self.action.to_wire()

    @property
    def reply(self) -> str:
        """The model's raw reply."""
        return str(self.message.get("model_response") or "")

    @property
    def sent_size(self) -> Size:
        """The size at which its picture was sent."""
        sent = self.message.get("sent_size")
        return Size(width_px=int(sent[0]), height_px=int(sent[1])) if sent else self.size

    @property
    def point(self) -> Point | None:
        """Where the action touches: its point, or the middle of the element that it names."""
        point = getattr(self.action, "point", None)
        if isinstance(point, Point):
            return point
        is_named = getattr(self.action, "element", None) is not None
        return self.target.element.middle if is_named and self.target is not None else None

    @cached_property
    def picture(self) -> bytes:
        """The screenshot as it was stored; read when it is first asked for.

        Raises:
            NotExportableError: It is gone.
        """
        return self.read_picture(str(self.message["environment"].get("image", "")))

    def read_picture(self, name: str) -> bytes:
        """A picture that the prompt names: this step's, an earlier one's, or a marked copy."""
        return _read_picture(self._store, self._session_id, name, self.number)

    @cached_property
    def tree(self) -> UiTree | None:
        """The UI tree of the same moment, where one was stored."""
        name = self.message["environment"].get("ui_tree")
        return _read_tree(self._store, self._session_id, str(name)) if name else None


@dataclass(frozen=True)
class FailedTry:
    """A step that was not answered: what the model was to see.

    Attributes:
        number: The step's number, which the next try took.
        name: Its picture's file.
        picture: The screenshot as it was stored.
        size: Of the screenshot, in pixels.
        tree: The UI tree of the same moment, where one was stored.
    """

    number: int
    name: str
    picture: bytes
    size: Size
    tree: UiTree | None


@dataclass(frozen=True)
class Episode:
    """One session: who asked what of which model, and its steps.

    Attributes:
        head: Hash of the log's last line: the same head, the same session.
    """

    session_id: str
    task: str
    dialect: str
    variant: str | None
    model_name: str
    model_config: Mapping[str, Any]
    extra_info: Mapping[str, Any] | None
    created_at: str
    stop_reason: str | None
    step_count: int
    head: str
    _store: ReadsRecords

    def iter_steps(self) -> Iterator[EpisodeStep]:
        """The steps in order, one in memory at a time.

        Raises:
            NotExportableError: A line is not a step that this release understands.
        """
        outcomes = self._outcomes()
        for message in iter_step_messages(self._store.log(self.session_id)):
            try:
                record = read_step(message)
            except ValueError as error:
                raise NotExportableError(
                    f"line {message.get('seq')} of session {self.session_id} is no step; "
                    "`localserver verify` says what is wrong with it"
                ) from error
            yield EpisodeStep(
                number=record.number,
                message=message,
                action=record.action,
                size=record.environment.size or self._measure(record),
                outcome=outcomes.get(record.number),
                target=record.target,
                _store=self._store,
                _session_id=self.session_id,
            )

    def iter_events(self) -> Iterator[Mapping[str, Any]]:
        """Everything else that happened, in order."""
        yield from read_events(self._store.events(self.session_id)).events

    def iter_failed_tries(self) -> Iterator[FailedTry]:
        """The tries that got no answer, in order; those whose picture is gone are left out."""
        for event in read_events(
            self._store.events(self.session_id), kinds=("step_failed",)
        ).events:
            data = event.get("data") or {}
            names = [str(name) for name in data.get("images") or ()]
            pictures = [name for name in names if name.endswith(PICTURE_ENDINGS)]
            trees = [name for name in names if name.endswith(".xml")]
            if not pictures or not isinstance(data.get("step"), int):
                continue
            try:
                picture = self._store.read_image(self.session_id, pictures[0])
                size = _measure(picture)
            except (ServerError, OSError):
                continue
            tree = _read_tree(self._store, self.session_id, trees[0]) if trees else None
            yield FailedTry(data["step"], pictures[0], picture, size, tree)

    def _measure(self, record: StepRecord) -> Size:
        """The size of a step's picture, for logs that do not tell it."""
        data = _read_picture(self._store, self.session_id, record.environment.image, record.number)
        return _measure(data)

    def _outcomes(self) -> dict[int, Mapping[str, Any]]:
        events = read_events(self._store.events(self.session_id), kinds=("device_outcome",)).events
        return {
            event["data"]["step"]: event["data"]
            for event in events
            if "step" in event.get("data", {})
        }


def _measure(picture: bytes) -> Size:
    with Image.open(io.BytesIO(picture)) as opened:
        return Size(width_px=opened.width, height_px=opened.height)


def _read_tree(store: ReadsRecords, session_id: str, name: str) -> UiTree | None:
    try:
        return parse_ui_tree(store.read_image(session_id, name).decode("utf-8", "replace"))
    except (ServerError, OSError, UiTreeError):
        return None


def _read_picture(store: ReadsRecords, session_id: str, name: str, step: int) -> bytes:
    try:
        return store.read_image(session_id, name.rpartition("/")[2])
    except (ServerError, OSError) as error:
        raise NotExportableError(
            f"the picture {name} of step {step} is gone; "
            "choose a format without pictures (adb, uiautomator2), or another session"
        ) from error


def open_episode(store: ReadsRecords, session_id: str) -> Episode:
    """Open a session for export.

    Raises:
        SessionNotFoundError: There is none of that id.
    """
    log = store.log(session_id)
    first = read_first_line(log) if log.exists() else None
    if first is None:
        raise SessionNotFoundError("no such session; `localserver sessions` lists them")
    message = first["message"]
    request = read_session_start(message)
    dialect = read_dialect(message)
    tail = log.read_tail()
    return Episode(
        session_id=session_id,
        task=request.task,
        dialect=dialect.dialect if dialect else "",
        variant=dialect.variant if dialect else None,
        model_name=request.model_name or "",
        model_config=request.model_config,
        extra_info=request.extra_info,
        created_at=str(first.get("timestamp") or ""),
        stop_reason=find_stop_reason(read_events(store.events(session_id), kinds=ENDINGS).events),
        step_count=log.count() - 1,
        head=_head(tail[-1] if tail else b""),
        _store=store,
    )


def _head(line: bytes) -> str:
    """The hash at the end of a log line, which covers the whole chain before it."""
    return line.rpartition(b'"hash":"')[2].partition(b'"')[0].decode("ascii", "replace")
