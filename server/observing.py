"""Take what the caller saw: the picture checked, stored, encoded once; the elements listed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from parsers.action import Size
from parsers.base import Environment, Message
from server.elements import NumberedElements, number_elements
from server.engine import Engine
from server.errors import BadRequestError, ParserCrashedError
from server.image_sources import SourceRules, fetch_if_web, read_picture
from server.images import (
    Screenshot,
    SentImage,
    check_screenshot,
    encode_for_model,
    plan_sent_size,
    read_data_url,
)
from server.killpoints import reach
from server.marks import encode_with_marks
from server.numbering import Numbering, read_tree
from server.payloads import StepRequest
from server.records.messages import Picture, name_pictures
from server.records.schema import HASH_CHARS
from server.records.store import KeepsRecords, step_name
from server.session import Equipment, Session
from server.settings import Settings


class Observer:
    """Everything about a step's observation; work that blocks runs in the engine's pools."""

    def __init__(self, settings: Settings, engine: Engine, store: KeepsRecords) -> None:
        self._settings = settings
        self._engine = engine
        self._store = store
        self._numbering = Numbering()

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

    async def with_elements(
        self, environment: Environment, request: StepRequest, screenshot: Screenshot
    ) -> Environment:
        """The observation with the words of its UI tree, for whoever decides by them.

        A tree that cannot be read gives none: the decision is the stricter for it.
        """
        if environment.elements is not None or request.ui_tree is None:
            return environment
        try:
            tree = await self._engine.in_images(read_tree, request.ui_tree)
        except BadRequestError:
            return environment
        numbered = number_elements(tree, screenshot.size, base=1)
        return replace(environment, elements=numbered.elements)

    async def read_environment(
        self,
        session: Session,
        request: StepRequest,
        picture: Picture,
        screenshot: Screenshot,
        equipment: Equipment,
    ) -> tuple[Environment, NumberedElements | None]:
        """What the parser is told of the observation, and what its numbers mean.

        Raises:
            BadRequestError: The dialect needs the UI tree, and it cannot be read.
            UnsupportedInputError: The screen has nothing that could be numbered here.
        """
        numbered = None
        if equipment.parser.needs_elements:
            last = session.actions[-1] if session.actions else None
            numbered = await self._engine.in_images(
                self._numbering.number, equipment.parser, screenshot, request.ui_tree, last
            )
        is_marked = numbered is not None and equipment.parser.images.marked
        environment = Environment(
            image=f"{session.id}/{picture.name}",
            user_comment=request.query,
            marked_image=f"{session.id}/{picture.marked_name}" if is_marked else None,
            elements=numbered.elements if numbered is not None else None,
            foreground=request.foreground,
            last_result=request.last_result,
            size=screenshot.size,
        )
        return environment, numbered

    @asynccontextmanager
    async def storing(
        self, session: Session, picture: Picture, screenshot: Screenshot, request: StepRequest
    ) -> AsyncIterator[None]:
        """Store the bytes as they came: meanwhile the body runs, and after it they are durable.

        Raises:
            StorageError: A file could not be written.
        """
        saving = asyncio.create_task(
            self._engine.in_files(self._save, session, picture, screenshot, request)
        )
        try:
            yield
        finally:
            await saving

    async def encode(
        self,
        session: Session,
        picture: Picture,
        screenshot: Screenshot,
        sent_size: Size,
        equipment: Equipment,
        environment: Environment,
        prompt: Sequence[Message],
    ) -> Mapping[str, str]:
        """Encode what the model gets; a picture with marks is stored, as it is nowhere else.

        Returns:
            The data URL of each picture that the prompt names; each was encoded once.

        Raises:
            ParserCrashedError: The prompt names a picture that it may not have.
            ImageError: The pixels cannot be decoded.
            StorageError: A file could not be written, or a picture of an earlier step is gone.
        """
        names = name_pictures(prompt)
        sent = await self._encode(session, screenshot, sent_size, equipment, environment, names)
        marked = environment.marked_image
        if marked is not None and marked in names:
            data = read_data_url(sent[marked], max_bytes=len(sent[marked]))
            await self._engine.in_files(
                self._store.save_image, session.id, picture.marked_name, data
            )
        return sent

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
        screenshot: Screenshot,
        sent_size: Size,
        equipment: Equipment,
        environment: Environment,
        names: Collection[str],
    ) -> Mapping[str, str]:
        """Encode what is named and not yet encoded; forget what is no longer named."""
        count = equipment.parser.images.past
        past = {seen.image for seen in session.environments[-count:]} if count else set()
        strange = set(names) - past - {environment.image, environment.marked_image}
        if strange:
            raise ParserCrashedError(
                f"the prompt of {equipment.parser.name} names pictures beyond its ImageNeeds; "
                "this is a bug in it: report it",
                dialect=equipment.parser.name,
            )
        sent = session.sent_images
        for name in names:
            if name == environment.image:
                sent[name] = await self._engine.in_images(encode_for_model, screenshot, sent_size)
            elif name == environment.marked_image:
                sent[name] = await self._engine.in_images(
                    encode_with_marks, screenshot, sent_size, environment.elements or ()
                )
            elif name not in sent:
                sent[name] = await self._engine.in_images(
                    self._encode_stored, session.id, name, equipment
                )
        for name in sent.keys() - set(names):
            del sent[name]
        return {name: sent[name].data_url for name in names}

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
        ui_tree_name=f"{name}.xml" if request.ui_tree else None,
    )
