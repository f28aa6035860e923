"""What every dialect is: messages out, a reply in. Pure: no I/O, no clock, no randomness.

The method names are those that Step-GUI users know: `env2messages4ask`, `str2action`,
`action2str`, `action2action`.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from parsers.action import Action, Point, Rejection, Size

Message = dict[str, Any]
"""One chat message: `{"role", "content"}`; content is text or a list of parts.

A picture part is `{"type": "image_url", "image_url": {"url": <Environment.image>}}`: the parser
only names the picture; whoever sends the messages puts the bytes in.
"""


@dataclass(frozen=True, slots=True)
class RelativeSpace:
    """Coordinates are shares of the picture: 0 to `scale`, whatever its size.

    Attributes:
        scale: The divisor (1000 for step0920, 999 for Qwen3, 1 for Aguvis).
        maximum: The largest value that is still on the screen (999-dialects take 1000 too).
    """

    scale: float
    maximum: float
    name: str = "relative"


@dataclass(frozen=True, slots=True)
class PixelSpace:
    """Coordinates are pixels of the picture that was sent.

    Where the model's own processor resizes, both sides must be multiples of `factor` and the pixel
    count within the limits *before* the picture leaves, so that nobody resizes it again.
    `factor` 1 means: any size.
    """

    factor: int = 1
    min_pixels: int = 0
    max_pixels: int = 0
    name: str = "pixels"


@dataclass(frozen=True, slots=True)
class ElementSpace:
    """The target is a number in the element list, counted from `base`."""

    base: Literal[0, 1]
    name: str = "elements"


CoordinateSpace = RelativeSpace | PixelSpace | ElementSpace


@dataclass(frozen=True, slots=True)
class ImageNeeds:
    """What pictures a prompt of this dialect takes.

    Attributes:
        current: Whether the present screenshot is sent at all.
        past: How many screenshots of earlier steps go with it, at most.
        marked: Whether a copy with numbered elements goes too.
        max_side_px: Longest side that the family was trained on; 0 means no limit.
    """

    current: bool = True
    past: int = 0
    marked: bool = False
    max_side_px: int = 0


@dataclass(frozen=True, slots=True)
class ScreenElement:
    """One line of the numbered element list that element dialects show to the model.

    `bounds` are shares of the upright screenshot in 0-1000: left, top, right, bottom.
    """

    index: int
    label: str
    kind: str
    bounds: tuple[float, float, float, float]
    clickable: bool = False
    editable: bool = False
    checkable: bool = False
    checked: bool = False
    scrollable: bool = False

    @property
    def middle(self) -> Point:
        """Where it is touched."""
        left, top, right, bottom = self.bounds
        return Point(x=(left + right) / 2, y=(top + bottom) / 2)


@dataclass(frozen=True, slots=True)
class Environment:
    """What was observed before one step.

    Attributes:
        image: Reference of the screenshot (a name that the sender can turn into bytes).
        user_comment: The user's words at this step: an answer to a question, or a remark.
        marked_image: Reference of the copy with numbered elements, where one was made.
        elements: The numbered elements, in the order of their numbers; None without a UI tree.
        foreground: Package of the app on screen, where known.
        last_result: What became of the previous action: "ok", or the error in plain words.
        size: Size of the screenshot in pixels as it was taken.
        marker: A word that nobody who writes on screens can know; between marks with it stands
            what was read off the screen. "" where the prompt shows no such texts.
    """

    image: str
    user_comment: str = ""
    marked_image: str | None = None
    elements: tuple[ScreenElement, ...] | None = None
    foreground: str | None = None
    last_result: str | None = None
    size: Size | None = None
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question that the model asked the user, and the answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply in its several fields, as an OpenAI-compatible server gives them."""

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """Facts that decoding a reply needs.

    Attributes:
        sent_size: Size of the picture that the model saw. Pixel dialects cannot be read without.
        screen_size: Size of the screenshot as taken (dialects that answer in screen pixels).
        element_count: How many numbered elements the prompt listed; None if it listed none.
        elements: They, where their places are known (parts of a grid's cell are places).
        marker: That of the observation: a reply that carries it into a field is refused.
    """

    sent_size: Size | None = None
    screen_size: Size | None = None
    element_count: int | None = None
    elements: tuple[ScreenElement, ...] | None = None
    marker: str = ""


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """All that a prompt is written from; see `Parser.env2messages4ask` for what each means."""

    task: str
    environments: Sequence[Environment]
    actions: Sequence[Action]
    hints: Sequence[str] = ()
    dialogue: Sequence[Exchange] | None = None
    sent_size: Size | None = None
    markov_mode: bool = False

    @property
    def current(self) -> Environment:
        """The present observation."""
        return self.environments[-1]

    @property
    def past(self) -> Sequence[Action]:
        """The actions that the history tells of: none in Markov mode."""
        return () if self.markov_mode else self.actions


@dataclass(frozen=True, slots=True)
class PromptText:
    """The text of one dialect's prompt in one language: data from `configs/prompts/`.

    Attributes:
        dialect: Which dialect it is for.
        language: "zh" or "en".
        parts: Named pieces of text; the dialect says which it needs.
    """

    dialect: str
    language: str
    parts: Mapping[str, str] = field(default_factory=dict)


class Parser(abc.ABC):
    """One dialect of one model family.

    A parser is stateless: one object serves all sessions and threads.

    Args:
        prompt: The dialect's prompt text; None takes the shipped one's place where the caller
            only reads replies.
        variant: The model generation where it changes the meaning (`v1.5`, `qwen3`, ...).
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    variants: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = ""
    models: ClassVar[str] = ""
    images: ImageNeeds = ImageNeeds()
    needs_elements: ClassVar[bool] = False
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE", "ABORT"})
    distance_words: ClassVar[Mapping[str, float]] = {}

    def __init__(self, prompt: PromptText | None = None, variant: str | None = None) -> None:
        self.prompt = prompt
        self.variant = variant if variant is not None else (self.variants or (None,))[0]

    @property
    @abc.abstractmethod
    def space(self) -> CoordinateSpace:
        """How coordinates in replies are to be read."""

    def env2messages4ask(
        self,
        task: str,
        environments: Sequence[Environment],
        actions: Sequence[Action],
        *,
        hints: Sequence[str] = (),
        dialogue: Sequence[Exchange] | None = None,
        sent_size: Size | None = None,
        markov_mode: bool = False,
    ) -> list[Message]:
        """Build the prompt for the next step.

        Args:
            task: What the user wants.
            environments: Observations so far, oldest first; the last one is the present.
            actions: The action of each earlier step: `len(environments) - 1` of them.
            hints: Extra remarks for the model, shown under their own heading.
            dialogue: Questions and answers so far; None derives them from the two lists. (A
                session keeps them, so that a long one costs no more than a short one.)
            sent_size: Size at which the present screenshot will be sent; some prompts state it.
            markov_mode: Leave the history out.

        Raises:
            UnsupportedInputError: The dialect needs an input that the observation lacks.
            PromptError: The prompt text lacks a part.
        """
        return self.write_prompt(
            PromptRequest(task, environments, actions, hints, dialogue, sent_size, markov_mode)
        )

    @abc.abstractmethod
    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """The messages of the next step; what `env2messages4ask` calls.

        Raises:
            UnsupportedInputError: The dialect needs an input that the observation lacks.
            PromptError: The prompt text lacks a part.
        """

    @abc.abstractmethod
    def str2action(
        self, reply: str | Reply, context: ReplyContext | None = None
    ) -> Action | Rejection:
        """Read a reply. Never raises on model text, however odd."""

    def action2str(self, action: Action) -> str:
        """Write an action as this dialect's model would have: the inverse of `str2action`.

        Raises:
            NotImplementedError: The dialect has no writer.
            InvalidActionError: The dialect has no word for this kind of action.
        """
        raise NotImplementedError(f"{self.name} has no action2str")

    def action2action(self, mapping: Mapping[str, Any]) -> Action:
        """Validate a foreign dict (`action_type` or `action`, points as text or lists).

        Raises:
            InvalidActionError: It is not one valid action.
        """
        from parsers.mapping import read_action_mapping

        return read_action_mapping(mapping)

    def rejection_message(self, rejection: Rejection) -> str:
        """What the model is told when its reply could not be read, in the prompt's language."""
        from parsers.rejections import describe_rejection

        language = self.prompt.language if self.prompt is not None else "en"
        return describe_rejection(rejection, language)
