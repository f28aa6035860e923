"""`localserver mcp`: the MCP server on standard input and output, which carry nothing else."""

from __future__ import annotations

import logging
import sys
from importlib.util import find_spec
from pathlib import Path

from server.errors import ServerError


def mcp_command(*, log_dir: Path | None, config_dir: Path | None) -> int:
    """Serve until the client closes its end.

    Returns:
        The exit code: 0, or 2 when it could not start.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    if find_spec("mcp") is None:
        print("the MCP SDK is missing: pip install 'localserver[mcp]'", file=sys.stderr)
        return 2
    from server.app import mcp_on_stdio
    from server.commands.common import read_settings

    try:
        mcp_on_stdio(read_settings(config_dir, log_dir))
    except ServerError as error:
        print(f"{error.code}: {error.message}", file=sys.stderr)
        return 2
    return 0
