"""Take what the caller saw: the picture checked, stored, encoded once; the elements listed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from device.errors import DeviceError
from device.ui_tree import parse_ui_tree
from parsers.action import Size
from parsers.base import Environment, ScreenElement
from server.elements import describe_elements, list_elements
from server.engine import Engine
from server.errors import BadRequestError
from server.image_sources import SourceRules, fetch_if_web, read_picture
from server.images import (
    Screenshot,
    SentImage,
    check_screenshot,
    encode_for_model,
    plan_sent_size,
)
from server.killpoints import reach
from server.payloads import StepRequest
from server.records.messages import Picture
from server.records.schema import HASH_CHARS
from server.records.store import KeepsRecords, step_name
from server.sessions import Equipment, Session
from server.settings import Settings


class Observer:
    """Everything about a step's observation; work that blocks runs in the engine's pools."""

    def __init__(self, settings: Settings, engine: Engine, store: KeepsRecords) -> None:
        self._settings = settings
        self._engine = engine
        self._store = store

    async def take_screenshot(self, request: StepRequest, *, allow_path: bool) -> Screenshot:
        """Get the picture's bytes and check them.

        Raises:
            ImageError: Missing, broken, too large, or from a source that is not allowed.
        """
        settings = self._settings
        rules = SourceRules(
            max_bytes=settings.max_image_bytes,
            allow_path=allow_path,
            allow_url=settings.allow_image_url,
            private_hosts=frozenset(settings.image_url_hosts),
        )
        part = await fetch_if_web(request.screenshot, rules)
        return await self._engine.in_images(lambda: self._check(read_picture(part, rules)))

    async def read_environment(
        self,
        session: Session,
        request: StepRequest,
        picture: Picture,
        screenshot: Screenshot,
        equipment: Equipment,
    ) -> Environment:
        """What the parser is told of the observation.

        Raises:
            BadRequestError: The dialect needs the UI tree, and it cannot be read.
        """
        elements = None
        if request.ui_tree is not None and equipment.parser.needs_elements:
            elements = await self._engine.in_images(
                _read_elements, request.ui_tree, screenshot.size
            )
        return Environment(
            image=f"{session.id}/{picture.name}",
            user_comment=request.query,
            elements=elements,
            foreground=request.foreground,
            last_result=request.last_result,
            size=screenshot.size,
        )

    async def store_and_encode(
        self,
        session: Session,
        picture: Picture,
        screenshot: Screenshot,
        request: StepRequest,
        sent_size: Size,
        equipment: Equipment,
    ) -> Mapping[str, str]:
        """Store the bytes as they came, durably, and meanwhile encode what the model gets.

        Returns:
            The data URL of each picture that the prompt may name; each was encoded once.

        Raises:
            ImageError: The pixels cannot be decoded.
            StorageError: A file could not be written, or a picture of an earlier step is gone.
        """
        current = f"{session.id}/{picture.name}"
        saving = asyncio.create_task(
            self._engine.in_files(self._save, session, picture, screenshot, request)
        )
        try:
            return await self._encode(session, current, screenshot, sent_size, equipment)
        finally:
            await saving

    def _save(
        self, session: Session, picture: Picture, screenshot: Screenshot, request: StepRequest
    ) -> None:
        self._store.check_room()
        self._store.save_image(session.id, picture.name, screenshot.data)
        if picture.ui_tree_name is not None and request.ui_tree is not None:
            ui_tree = request.ui_tree.encode("utf-8")
            self._store.save_image(session.id, picture.ui_tree_name, ui_tree)
        started = {"step": session.next_number, "sha256": picture.sha256}
        if request.idempotency_key is not None:
            started["idempotency_key"] = request.idempotency_key
        session.events.append("step_started", started, False)
        reach("K5")

    async def _encode(
        self,
        session: Session,
        current: str,
        screenshot: Screenshot,
        sent_size: Size,
        equipment: Equipment,
    ) -> Mapping[str, str]:
        sent = session.sent_images
        sent[current] = await self._engine.in_images(encode_for_model, screenshot, sent_size)
        count = equipment.parser.images.past
        past = [environment.image for environment in session.environments[-count:]] if count else []
        for image in past:
            if image not in sent:
                sent[image] = await self._engine.in_images(
                    self._encode_stored, session.id, image, equipment
                )
        for image in [name for name in sent if name != current and name not in past]:
            del sent[image]
        return {image: sent_image.data_url for image, sent_image in sent.items()}

    def _encode_stored(self, session_id: str, image: str, equipment: Equipment) -> SentImage:
        """A picture of an earlier step, after a restart."""
        screenshot = self._check(self._store.read_image(session_id, image.rpartition("/")[2]))
        parser = equipment.parser
        size = plan_sent_size(screenshot.size, parser.space, parser.images, equipment.resize)
        return encode_for_model(screenshot, size)

    def _check(self, data: bytes) -> Screenshot:
        return check_screenshot(
            data,
            max_bytes=self._settings.max_image_bytes,
            max_pixels=self._settings.max_image_pixels,
        )


def name_picture(number: int, screenshot: Screenshot, request: StepRequest) -> Picture:
    """How the files of a step are called, and the hash of its picture."""
    name = step_name(number)
    return Picture(
        name=f"{name}.{screenshot.format}",
        sha256=screenshot.sha256[:HASH_CHARS],
        ui_tree_name=f"{name}.xml" if request.ui_tree is not None else None,
    )


def _read_elements(ui_tree: str, size: Size) -> tuple[ScreenElement, ...]:
    try:
        nodes = list_elements(parse_ui_tree(ui_tree))
    except DeviceError as error:
        raise BadRequestError(
            f"observation.ui_tree cannot be read ({error.message}); dump it again", field="ui_tree"
        ) from error
    return describe_elements(nodes, size.width_px, size.height_px)
