"""Number the elements of a step's screen, for dialects that point at numbers."""

from __future__ import annotations

from device.errors import DeviceError
from device.protocol import UiTree
from device.ui_tree import parse_ui_tree
from parsers.action import Action, Grid
from parsers.base import ElementSpace, Parser
from server.elements import NumberedElements, number_elements, number_grid, number_texts
from server.errors import BadRequestError
from server.images import Screenshot
from server.screen_texts import ScreenTexts


class Numbering:
    """Chooses where a screen's numbers come from. Blocking work: call it off the event loop."""

    def __init__(self) -> None:
        self._texts = ScreenTexts()

    def number(
        self,
        parser: Parser,
        screenshot: Screenshot,
        ui_tree: str | None,
        last_action: Action | None,
    ) -> NumberedElements | None:
        """The numbered elements that the prompt shows.

        A grid, where the model just asked for one; else the UI tree's; where the screen gave no
        tree, or one without anything in it, the texts on the picture.

        Args:
            parser: The dialect.
            screenshot: The picture.
            ui_tree: The tree as XML; empty: the caller looked, and the screen gives none; None:
                the caller did not look.
            last_action: What the model answered before.

        Returns:
            None where the dialect numbers nothing, or the caller did not look.

        Raises:
            BadRequestError: The tree cannot be read.
            UnsupportedInputError: There is no tree, and no OCR is installed.
            ImageError: The pixels cannot be decoded.
        """
        if not parser.needs_elements:
            return None
        base = parser.space.base if isinstance(parser.space, ElementSpace) else 1
        if isinstance(last_action, Grid):
            return number_grid(screenshot.size, base)
        if ui_tree is None:
            return None
        if ui_tree.strip():
            numbered = number_elements(read_tree(ui_tree), screenshot.size, base)
            if numbered.elements:
                return numbered
        texts = self._texts.find(screenshot, parser.name)
        return number_texts(texts, screenshot.size, base)


def read_tree(ui_tree: str) -> UiTree:
    """The tree that came with an observation.

    Raises:
        BadRequestError: It cannot be read.
    """
    try:
        return parse_ui_tree(ui_tree)
    except DeviceError as error:
        raise BadRequestError(
            f"observation.ui_tree cannot be read ({error.message}); dump it again", field="ui_tree"
        ) from error
