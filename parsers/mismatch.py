"""Which dialect do replies look like, when the chosen one cannot read them?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from parsers.action import Rejection, Size
from parsers.base import Reply, ReplyContext
from parsers.registry import BUILT_IN, get_parser

_ANY_PICTURE = Size(width_px=10_000, height_px=10_000)
"""A frame in which no honest point is off the screen: here the grammar is judged, not the point."""


def guess_dialects(replies: Sequence[str | Reply]) -> list[str]:
    """Name the dialects that read these replies, the likeliest first.

    A dialect that reads a reply without repairs and warnings counts before one that had to mend it.

    Args:
        replies: Replies that the chosen dialect rejected, say three in a row.

    Returns:
        Names of built-in dialects that read at least half of them.
    """
    context = ReplyContext(sent_size=_ANY_PICTURE, screen_size=_ANY_PICTURE)
    whole: Counter[str] = Counter()
    mended: Counter[str] = Counter()
    for name in BUILT_IN:
        parser = get_parser(name)
        for reply in replies:
            result = parser.str2action(reply, context)
            if isinstance(result, Rejection):
                continue
            clean = not result.meta.repairs and not result.meta.warnings
            (whole if clean else mended)[name] += 1
    likely = [name for name in BUILT_IN if 2 * (whole[name] + mended[name]) >= len(replies) > 0]
    return sorted(likely, key=lambda name: (-whole[name], -mended[name]))
