"""For all tests: no time limit on an example, because a slow machine is no fault."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")
