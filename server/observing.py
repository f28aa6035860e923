"""Take what the caller saw: the picture checked, stored, encoded once; the elements listed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from parsers.action import POINT_MAX, Size
from parsers.base import Environment, Message
from server.elements import NumberedElements, Target, number_elements
from server.engine import Engine
from server.errors import BadRequestError, ParserCrashedError
from server.images import (
    Screenshot,
    SentImage,
    check_screenshot,
    encode_for_model,
    is_black,
    plan_sent_size,
    read_data_url,
)
from server.killpoints import reach
from server.loop.words import words_for
from server.numbering import Numbering, read_tree
from server.payloads import Look, StepRequest
from server.pictures.marks import encode_with_marks
from server.pictures.sources import SourceRules, fetch_if_web, read_picture
from server.policy.rule_policy import Facts
from server.policy.screen import ScreenView
from server.privacy.cover import Cover, cover_screen
from server.privacy.finding import Finder, OwnWords
from server.privacy.ocr import PictureReader, is_installed
from server.privacy.words import PrivateWords
from server.records.messages import Picture, name_pictures
from server.records.schema import HASH_CHARS
from server.records.store import KeepsRecords, step_name
from server.session import Equipment, Session
from server.settings import Settings


@dataclass(frozen=True, slots=True)
class View:
    """An observation as it is kept and sent: with privacy off, as it came.

    Attributes:
        request: With the UI tree.
        screenshot: The picture.
        cover: What privacy took out; None where it is off.
        is_kept: Whether the picture is kept.
    """

    request: StepRequest
    screenshot: Screenshot
    cover: Cover | None = None
    is_kept: bool = True


class Observer:
    """Everything about a step's observation; work that blocks runs in the engine's pools."""

    def __init__(self, settings: Settings, engine: Engine, store: KeepsRecords) -> None:
        self._settings = settings
        self._engine = engine
        self._store = store
        self._numbering = Numbering()
        self._private_words: PrivateWords | None = None
        self._picture_reader = PictureReader()

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

    async def view(
        self, session: Session, request: StepRequest, screenshot: Screenshot, equipment: Equipment
    ) -> View:
        """The observation without what the session's privacy hides.

        Raises:
            TreeNeededError: It came without the UI tree.
            ScreenWithheldError: The screen may not leave the machine.
            BadRequestError: The tree cannot be read.
            ImageError: The pixels cannot be decoded.
        """
        level = equipment.privacy
        if level == "off":
            return View(request, screenshot)
        own = OwnWords.of(session.own_words(request.query))
        read_texts = None
        if self._settings.privacy_ocr and is_installed():
            read_texts = self._picture_reader.read
        covered = await self._engine.in_images(
            lambda: cover_screen(
                level,
                screenshot,
                request.ui_tree,
                own,
                self._words(),
                learnt=session.private_texts,
                read_texts=read_texts,
            )
        )
        session.cover = covered.cover
        return View(
            replace(request, ui_tree=covered.ui_tree),
            covered.screenshot,
            covered.cover,
            is_kept=self._settings.store_pictures == "masked",
        )

    def cover_of(self, session: Session, equipment: Equipment) -> Cover | None:
        """What hides private words of the session's screens in its records; None: nothing is."""
        if equipment.privacy == "off":
            return None
        if session.cover is None:  # after a restart, before the next look
            own = OwnWords.of(session.own_words(""))
            session.cover = Cover(equipment.privacy, (), Finder(self._words(), own), {})
        return session.cover

    def _words(self) -> PrivateWords:
        """Read when a level first needs them."""
        self._private_words = self._private_words or PrivateWords.load(self._settings.config_dir)
        return self._private_words

    async def read_facts(
        self,
        request: StepRequest,
        screenshot: Screenshot,
        target: Target | None,
        needs_look: bool,
    ) -> Facts:
        """What the policy decides by; the tree is only read where an action may be risky."""
        if request.ui_tree is None or not needs_look:
            return Facts(request.foreground, point_px=centre_px(target, screenshot.size))
        look = Look(request.ui_tree, request.foreground)
        facts = await self.read_look(look, screenshot.size, target)
        if facts.screen is not None and facts.screen.is_readable:
            return facts
        return replace(facts, is_black=await self._engine.in_images(is_black, screenshot))

    async def read_look(self, look: Look, size: Size | None, target: Target | None) -> Facts:
        """A screen's words. A tree that cannot be read gives none: the decision is stricter."""
        screen = None
        if look.ui_tree.strip() and size is not None:
            try:
                screen = await self._engine.in_images(read_screen, look.ui_tree, size)
            except BadRequestError:
                screen = None
        return Facts(
            look.foreground,
            screen,
            was_looked=True,
            is_black=look.is_black,
            point_px=centre_px(target, size),
        )

    async def unmask(
        self, target: Target | None, request: StepRequest, view: View
    ) -> Target | None:
        """A target with the label that is really there: whoever acts finds it again by that."""
        if target is None or view.cover is None or target.source != "tree":
            return target
        tree = await self._engine.in_images(read_tree, request.ui_tree)
        real = number_elements(tree, view.screenshot.size, base=1).elements
        place = target.element.bounds
        label = next((one.label for one in real if one.bounds == place), target.element.label)
        return replace(target, element=replace(target.element, label=label))

    async def read_environment(
        self, session: Session, view: View, picture: Picture, equipment: Equipment
    ) -> tuple[Environment, NumberedElements | None]:
        """What the parser is told of the observation, and what its numbers mean.

        Raises:
            BadRequestError: The dialect needs the UI tree, and it cannot be read.
            UnsupportedInputError: The screen has nothing that could be numbered here.
        """
        numbered = None
        request, screenshot = view.request, view.screenshot
        told = request.last_result
        if await self._engine.in_images(is_black, screenshot):
            # The model hears that it sees nothing, before it takes the black for the screen.
            words = words_for(session.request.task)
            told = words.black if told in (None, "ok") else f"{told} {words.black}"
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
            last_result=told,
            size=screenshot.size,
            marker=secrets.token_hex(4) if numbered is not None else "",
        )
        return environment, numbered

    @asynccontextmanager
    async def storing(self, session: Session, picture: Picture, view: View) -> AsyncIterator[None]:
        """Store the picture and the tree: meanwhile the body runs, and after it they are durable.

        Raises:
            StorageError: A file could not be written.
        """
        saving = asyncio.create_task(self._engine.in_files(self._save, session, picture, view))
        try:
            yield
        finally:
            await saving

    async def encode(
        self,
        session: Session,
        picture: Picture,
        view: View,
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
        sent = await self._encode(
            session, view.screenshot, sent_size, equipment, environment, names
        )
        marked = environment.marked_image
        if marked is not None and marked in names and picture.is_kept:
            data = read_data_url(sent[marked], max_bytes=len(sent[marked]))
            await self._engine.in_files(
                self._store.save_image, session.id, picture.marked_name, data
            )
        return sent

    def _save(self, session: Session, picture: Picture, view: View) -> None:
        request, screenshot = view.request, view.screenshot
        self._store.check_room()
        if picture.is_kept:
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


def read_screen(ui_tree: str, size: Size) -> ScreenView:
    """The words of a dump and their places.

    Raises:
        BadRequestError: It cannot be read.
    """
    return ScreenView(read_tree(ui_tree), size.width_px, size.height_px)


def centre_px(target: Target | None, size: Size | None) -> tuple[float, float] | None:
    """Where a numbered element is touched, in pixels of the screenshot."""
    if target is None or size is None:
        return None
    middle = target.element.middle
    return middle.x * size.width_px / POINT_MAX, middle.y * size.height_px / POINT_MAX


def name_picture(number: int, view: View, origin: Screenshot) -> Picture:
    """How the files of a step are called, and the hash of its picture.

    Args:
        number: The step's.
        view: What is kept of it.
        origin: The picture as it came.
    """
    name = step_name(number)
    is_masked = view.screenshot is not origin
    return Picture(
        name=f"{name}.{view.screenshot.format}",
        sha256=view.screenshot.sha256[:HASH_CHARS],
        ui_tree_name=f"{name}.xml" if view.request.ui_tree else None,
        source_sha256=origin.sha256[:HASH_CHARS] if is_masked else None,
        is_kept=view.is_kept,
    )
