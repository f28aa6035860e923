"""The demo model: an OpenAI-compatible server that looks at the pixels with OCR and plain rules.

It is no vision-language model and says so. It lets the whole chain run with no GPU and no key:
pictures go in over HTTP, replies come out in the dialect that the prompt asks for.

    python -m server.model.demo_model --port 8705

Everything it remembers stands in the prompt, so it serves any number of sessions.
"""

from __future__ import annotations

import argparse
import json
import logging
import socket
import threading
import time
import uuid
from collections.abc import Sequence
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

from parsers.errors import ParserError
from server.model.demo.dialects import PromptNotUnderstoodError, read_prompt, write_reply
from server.model.demo.numbered import drop_marks
from server.model.demo.planner import choose_action
from server.model.demo.reading import PictureError, ScreenReader

MODEL_NAME = "localserver-demo"
DESCRIPTION = "Demo model: OCR and rules, no vision-language model. For trying LocalServer out."
DEFAULT_PORT = 8705
MAX_BODY_BYTES = 48 * 1024 * 1024

log = logging.getLogger(__name__)


class _BadRequest(ValueError):
    """The request cannot be answered; the message says what to change."""


def create_demo_app(reader: ScreenReader | None = None) -> FastAPI:
    """The demo model as an application.

    Args:
        reader: What reads the screenshots; rapidocr by default.
    """
    screens = reader or ScreenReader()
    app = FastAPI(title="LocalServer demo model", description=DESCRIPTION)

    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "model": MODEL_NAME}

    @app.get("/v1/models")
    async def list_models() -> dict[str, Any]:
        model = {
            "id": MODEL_NAME,
            "object": "model",
            "created": 0,
            "owned_by": "localserver",
            "description": DESCRIPTION,
        }
        return {"object": "list", "data": [model]}

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> JSONResponse:
        try:
            body = _read_body(await _bounded_body(request))
            reply = await run_in_threadpool(answer, body["messages"], screens)
        except (_BadRequest, PromptNotUnderstoodError, PictureError) as error:
            return _error_response(400, str(error))
        except ParserError as error:
            return _error_response(400, f"the dialect cannot say this: {error}")
        return JSONResponse(_completion(str(body.get("model", MODEL_NAME)), reply))

    return app


def answer(messages: Sequence[dict[str, Any]], screens: ScreenReader) -> str:
    """The reply to one prompt. Blocks while the picture is read.

    Raises:
        PromptNotUnderstoodError: No task, no picture, or an unknown dialect.
        PictureError: The picture cannot be read.
        ParserError: The dialect has no word for what should be done.
    """
    prompt = read_prompt(messages)
    screen = screens.read(prompt.picture)
    if prompt.request.elements and not prompt.sign.plain_first:
        screen = drop_marks(screen, prompt.request.elements)
    action = choose_action(prompt.request, screen)
    log.info("%s: %s", action.action, action.explain)
    return write_reply(prompt.sign, action, screen, prompt.request.elements)


async def _bounded_body(request: Request) -> bytes:
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise _BadRequest(
                f"the request is larger than {MAX_BODY_BYTES} bytes; send a smaller picture"
            )
        chunks.append(chunk)
    return b"".join(chunks)


def _read_body(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _BadRequest("the body is not JSON; send a chat completion request") from error
    if not isinstance(body, dict):
        raise _BadRequest("the body is not a JSON object; send a chat completion request")
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(m, dict) for m in messages):
        raise _BadRequest("`messages` must be a list of objects")
    if body.get("stream"):
        raise _BadRequest("the demo model does not stream; leave `stream` out")
    return body


def _completion(model: str, reply: str) -> dict[str, Any]:
    """A chat completion. It has no `usage`: there are no tokens to count."""
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply},
                "finish_reason": "stop",
            }
        ],
    }


def _error_response(status: int, message: str) -> JSONResponse:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
    return JSONResponse({"error": error}, status_code=status)


class _AnnouncingServer(uvicorn.Server):
    """Prints where it listens as one line of JSON, once it does."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if sockets and not self.should_exit:
            host, port = sockets[0].getsockname()[:2]
            ready = {"port": port, "base_url": f"http://{host}:{port}/v1", "model": MODEL_NAME}
            print(json.dumps(ready), flush=True)


def serve(host: str = "127.0.0.1", port: int = DEFAULT_PORT, *, debug: bool = False) -> None:
    """Run the demo model until it is interrupted.

    Args:
        host: Address to listen on.
        port: Port; 0 takes a free one.
        debug: Log each answer.

    Raises:
        OSError: The port is taken.
    """
    logging.basicConfig(level=logging.INFO if debug else logging.WARNING)
    reader = ScreenReader()
    listener = socket.create_server((host, port), backlog=128)
    # What it accepts has this from it: a small answer is not held back for the next.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Loading takes about a second: done while the caller gets its phone ready.
    threading.Thread(target=reader.warm_up, name="ocr-warm-up", daemon=True).start()
    level = "info" if debug else "warning"
    config = uvicorn.Config(create_demo_app(reader), log_level=level, access_log=debug)
    _AnnouncingServer(config).run(sockets=[listener])


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line of `python -m server.model.demo_model`."""
    parser = argparse.ArgumentParser(description=DESCRIPTION)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port; 0 takes a free one")
    parser.add_argument("--debug", action="store_true", help="log each answer")
    options = parser.parse_args(arguments)
    serve(options.host, options.port, debug=options.debug)


if __name__ == "__main__":
    main()
