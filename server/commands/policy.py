"""The commands about the policy."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from parsers.action import Size, action_from_wire
from parsers.errors import ParserError
from server.errors import ServerError
from server.policy.explain import describe, explain
from server.policy.rule_policy import RulePolicy
from server.settings import find_config_dir


def check_command(config_dir: Path | None) -> int:
    """0 where the policy's file is right; 2 and the place where it is not."""
    folder = config_dir or find_config_dir()
    try:
        config = RulePolicy.load(folder).config
    except ServerError as error:
        print(error.message, file=sys.stderr)
        return 2
    print(
        f"{folder / 'policy.yaml'} is right: {len(config.levels)} levels set, "
        f"{len(config.apps.deny)} apps denied, {len(config.rules)} rules of your own"
    )
    return 0


def explain_command(
    action: str,
    *,
    screen: Path | None,
    package: str | None,
    task: str,
    size: str | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """0 where the action runs, 1 where it needs a person or never runs, 2 where input is wrong."""
    try:
        explained = explain(
            RulePolicy.load(config_dir or find_config_dir()),
            action_from_wire(json.loads(action)),
            package=package,
            ui_tree=screen.read_text("utf-8") if screen is not None else None,
            size=_read_size(size) if size else None,
            task=task,
        )
    except (ServerError, ParserError) as error:
        print(f"{error.code}: {error.message}", file=sys.stderr)
        return 2
    except OSError as error:
        said = f"{screen} cannot be read ({error.strerror}); name a UI dump"
        print(f"request.invalid: {said}", file=sys.stderr)
        return 2
    except (ValueError, TypeError) as error:
        said = f"not readable ({error}); give an action as JSON, a dump as XML, a size as WxH"
        print(f"request.invalid: {said}", file=sys.stderr)
        return 2
    print(json.dumps(explained, ensure_ascii=False, indent=2) if as_json else describe(explained))
    return 0 if explained["decision"]["level"] in ("allow", "notify") else 1


def _read_size(text: str) -> Size:
    width, _, height = text.lower().partition("x")
    return Size(width_px=int(width), height_px=int(height))
