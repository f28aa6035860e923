"""Keep the memory of big pictures between steps instead of mapping it anew for each."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_KEEP_BYTES = 128 * 1024 * 1024


@cache
def keep_large_buffers() -> bool:
    """Tell glibc's malloc to reuse blocks of 2-10 MB: mapping and clearing one costs 3-6 ms.

    Returns:
        Whether it was done; elsewhere than on glibc there is nothing to do.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        libc = ctypes.CDLL("libc.so.6")
        return bool(
            libc.mallopt(_M_MMAP_THRESHOLD, _KEEP_BYTES)
            and libc.mallopt(_M_TRIM_THRESHOLD, _KEEP_BYTES)
        )
    except (OSError, AttributeError):
        return False
