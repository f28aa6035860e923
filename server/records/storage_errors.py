"""What the system says of a file, as an error that tells the remedy."""

from __future__ import annotations

import errno

from server.errors import StorageError, StorageFullError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def storage_error(problem: str, error: OSError) -> StorageError:
    """The error for a write or read that failed."""
    reason = error.strerror or str(error)
    if error.errno in FULL:
        return StorageFullError(f"{problem} ({reason}); free space, then send it again")
    return StorageError(
        f"{problem} ({reason}); free space or mend the folder's permissions, then try again"
    )
