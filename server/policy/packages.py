"""Names of apps in the lists of a policy: exact packages, or an error that says which was meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated

from pydantic import AfterValidator

from server.policy.app_kinds import known_packages

_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)+|android")


def check_package(name: str) -> str:
    """The name, if it is an exact package.

    Raises:
        ValueError: It is not; the message names packages that it may have meant.
    """
    known = {package.lower(): package for package in known_packages()}
    same = known.get(name.lower())
    if _PACKAGE.fullmatch(name) and same in (None, name):
        return name
    if same is not None:
        raise ValueError(f"no app is called {name!r}; did you mean {same}?")
    wanted = name.lower().strip("* .")
    near = [package for key, package in known.items() if wanted and wanted in key][:3]
    near = near or [known[key] for key in get_close_matches(wanted, known, n=3)]
    hint = f"did you mean {', '.join(near)}? " if near else ""
    raise ValueError(
        f"{name!r} is no package; {hint}give the exact package, as `localserver apps` lists it"
    )


PackageName = Annotated[str, AfterValidator(check_package)]
