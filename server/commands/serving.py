"""`localserver serve` and `localserver model`: what runs until it is ended."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from server.commands.common import clear_errors, read_settings
from server.commands.terminal import (
    errors,
)
from server.errors import ConfigError

if TYPE_CHECKING:
    from server.http.access import Access


@clear_errors
def serve_command(
    *,
    host: str | None,
    port: int | None,
    allow_hosts: list[str],
    log_dir: Path | None,
    config_dir: Path | None,
    debug: bool | None,
    no_token: bool,
) -> int:
    """Start the service and stay until it is stopped."""
    from server.app import create_app
    from server.http.access import OWNER
    from server.log_lines import configure_logging
    from server.serving import open_socket, serve

    open_to_all = {"require_token": False} if no_token else {}
    settings = read_settings(config_dir, log_dir, host=host, port=port, debug=debug, **open_to_all)
    if allow_hosts:
        names = dict.fromkeys((*settings.allowed_hosts, *allow_hosts))
        settings = settings.model_copy(update={"allowed_hosts": tuple(names)})
    configure_logging(settings.log_format, debug=settings.debug)
    listening = open_socket(settings.host, settings.port)
    settings = settings.model_copy(update={"port": listening.getsockname()[1]})
    app = create_app(settings)
    errors.print(
        f"LocalServer listens on http://{settings.host}:{settings.port} "
        f"(API reference: /docs); sessions are kept in {settings.record_url or settings.log_dir}",
        soft_wrap=True,
    )
    access = app.state.parts.access
    errors.print(_say_token(access), soft_wrap=True, highlight=False)
    if not access.is_open:
        link = f"http://127.0.0.1:{settings.port}/login/{access.create_link(OWNER)}"
        errors.print(f"for a browser, once: {link}", soft_wrap=True, highlight=False)
    serve(app, settings, listening)
    return 0


@clear_errors
def model_command(*, port: int) -> int:
    """Become the demo model's process."""
    if importlib.util.find_spec("rapidocr") is None:
        raise ConfigError(
            "the demo model needs the `demo` extra: run `make install`, "
            "or pip install 'localserver[demo]' from the checkout"
        )
    from server.model.demo_model import main

    main(["--port", str(port)])
    return 0


def _say_token(access: Access) -> str:
    """How callers get in; a new token is shown this once."""
    if access.is_open:
        return "anyone on this machine may call: it asks for no token (--no-token)"
    if access.file is None:
        return "callers send the token that is set: Authorization: Bearer ..."
    where = f"callers send the token in {access.file.path}: Authorization: Bearer ..."
    return f"{where}\nit was made now: {access.file.token}" if access.file.is_new else where
