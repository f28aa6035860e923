"""Memory and open files of a running service stay flat while sessions come and go.

The short edition: sessions of ten steps. `make soak` makes an hour of it.
"""

from __future__ import annotations

import argparse

from tests.server.closed.load import measure

SECONDS = 12.0
GROWTH_MAX_MB = 6.0
"""What the allocator may take after the first third; a leak of 0.1 MB a step is twice that."""
MORE_FILES_MAX = 8
"""How far two moments may differ by what is open just then."""


def test_memory_and_files_stay_flat_while_sessions_come_and_go() -> None:
    seen = measure(
        argparse.Namespace(
            sessions=10,
            rate=20.0,
            seconds=SECONDS,
            model_s=0.05,
            picture="jpeg",
            waiting=0,
            steps_per_session=5,
        )
    )
    assert (seen["failed"], seen["lost"]) == ([], 0)
    assert seen["sessions"] > 20
    samples = seen["rss_mb_and_files"]
    settled, last = samples[len(samples) // 3], samples[-1]
    assert last[0] - settled[0] < GROWTH_MAX_MB
    assert last[1] - settled[1] <= MORE_FILES_MAX
