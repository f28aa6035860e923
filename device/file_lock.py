"""A lock file between processes: the system drops the lock when its holder ends in any way."""

from __future__ import annotations

import sys


def lock_file(descriptor: int) -> None:
    """Lock an open file without waiting, until it is closed.

    Raises:
        OSError: Somebody else has it.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
