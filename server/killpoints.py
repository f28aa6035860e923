"""Places in a step where a test may end the process, as a crash would.

`KILLPOINT=K9:3` kills the process at the third passing of K9; without the variable nothing ever
happens here. `make crashtest` goes through all of them:

| point | where |
|---|---|
| K0 | a step was accepted, its session is not locked yet |
| K1 | the session's lock is held |
| K2 | half of a picture's temporary file is written |
| K3 | the picture is on the disk under its temporary name |
| K4 | it is renamed; the folder is not on the disk yet |
| K5 | the event that tells of the start of the step is written |
| K6 | the model is being asked |
| K7 | its reply is in hand, not yet on record |
| K8 | the reply is read |
| K9 | half of a line is written |
| K10 | the line is written, not yet on the disk |
| K11 | the step's line is on the disk, the answer not sent |
| K12 | what will be done on the phone is on record, not yet done |
| K13 | it is done, what became of it is not on record |
| K14 | a session is half deleted |
| K15 | a session's records are half compacted |
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Final

POINTS: Final = tuple(f"K{number}" for number in range(16))
_armed: dict[str, int] = {}


def arm(setting: str) -> None:
    """Choose the point: `K9:3` is the third passing of K9, `K9` the first.

    Raises:
        ValueError: Not of that form.
    """
    name, _, count = setting.partition(":")
    if name not in POINTS:
        raise ValueError(f"KILLPOINT {setting}: the points are {', '.join(POINTS)}")
    _armed.clear()
    _armed[name] = int(count or 1)


def reach(name: str, last: Callable[[], object] | None = None) -> None:
    """Pass a point.

    Args:
        name: Which.
        last: Done just before the end, say half of a write; never done otherwise.
    """
    if not _armed or name not in _armed:
        return
    _armed[name] -= 1
    if _armed[name] == 0:
        if last is not None:
            last()
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


if os.environ.get("KILLPOINT"):
    arm(os.environ["KILLPOINT"])
