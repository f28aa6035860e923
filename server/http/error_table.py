"""The table of all error codes: `python -m server.http.error_table > docs/errors.md`."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from device.errors import DeviceError
from parsers.action import RejectionCode
from parsers.errors import ParserError
from server.error_body import http_status
from server.errors import ReplyUnreadableError, ServerError, status_of

ErrorClass = type[ServerError] | type[DeviceError] | type[ParserError]

MEANINGS: dict[str, str] = {
    "request.invalid": "A field is missing, misnamed or of the wrong kind.",
    "request.too_large": "The body is over the limit.",
    "request.method_not_allowed": "The address does not take that method.",
    "session.not_found": "No session has this id.",
    "session.closed": "The session has ended and takes no more steps.",
    "session.step_not_found": "The session has no such step, or its picture is gone.",
    "task.not_found": "No task has this id since the server's start.",
    "image.too_large": "The screenshot has too many bytes or pixels.",
    "model.timeout": "The model did not answer in time.",
    "model.unreachable": "Nothing answers at the provider's address.",
    "model.rate_limited": "The provider answered 429, again and again.",
    "policy.denied": "The policy forbids this action, or nobody approved it.",
    "server.overloaded": "Too much is waiting already.",
    "device.offline": "adb lists the phone as offline.",
    "device.booting": "The phone is not (or not yet) running Android.",
    "parser.empty": "The reply is empty.",
    "parser.no_action": "The reply has no action in it.",
    "parser.unknown_action": "The reply names an action that the dialect does not have.",
    "parser.missing_arg": "The action lacks a field that it needs.",
    "parser.bad_arg": "A field of the action has a value that cannot be.",
    "parser.bad_point": "The point cannot be read as two numbers.",
    "parser.out_of_range": "The point is outside the screen.",
    "parser.bad_element": "The numbered element is not on the list.",
    "parser.multiple_actions": "The reply has more than one action.",
    "parser.truncated": "The reply ends in the middle of its action.",
    "parser.conflict": "Two parts of the reply contradict each other.",
}
"""What a code means where its class does not say so itself."""

_LOOK_AT_REPLY = (
    "The model was asked again and still failed. Read the raw reply in the session's events; "
    "check that `task_type` fits the model."
)
REMEDIES: dict[str, str] = {
    "server.error": "Look into the server's log; report it with the session's id.",
    "privacy.screen_withheld": "Do this page by hand and go on; or install the extra `ocr`.",
    "privacy.tree_needed": "Send `observation.ui_tree`, empty if the screen gives none.",
    "server.overloaded": "Wait and send it again; see `max_running_steps`.",
    "server.shutting_down": "Wait until the server is back, then send it again.",
    "server.unreachable": "Start it with `localserver serve`, or correct the address.",
    "server.foreign_answer": "Correct the address; use client and server of the same version.",
    "config.invalid": "Correct the file, line and key that the message names.",
    "request.invalid": "Correct the fields that `details.fields` lists; `/docs` shows the shape.",
    "request.too_large": "Send a smaller screenshot (as a multipart file), or raise "
    "`max_body_bytes`.",
    "request.idempotency_conflict": "Use a new `Idempotency-Key` for a new observation.",
    "request.not_found": "See `/docs` for the addresses.",
    "request.method_not_allowed": "See `/docs` for the method.",
    "request.unsupported_media_type": "Send JSON with `Content-Type: application/json`.",
    "request.host_not_allowed": "Call 127.0.0.1 or localhost, or add the name to `allowed_hosts`.",
    "request.origin_not_allowed": "Call from a program, or from a page that this server gave.",
    "request.unauthorized": "Send `Authorization: Bearer <token>`; the token is in "
    "`~/.localserver/token`.",
    "request.forbidden": "Use a token with the role that `details.needed` names.",
    "request.too_many_attempts": "Send the right token, after the time in `Retry-After`.",
    "request.headers_too_large": "Send fewer and shorter headers.",
    "request.timeout": "Send it again over a better line.",
    "request.refused": "See `/docs` for the shape of requests.",
    "session.not_found": "Open one with `POST /get_session`; `GET /v1/sessions` lists them.",
    "session.busy": "Wait until the running step has ended, then send it again.",
    "session.closed": "Open a new session.",
    "session.damaged": "Read what is good with `GET /v1/sessions/{id}/steps`; open a new session.",
    "session.step_not_found": "Steps count from 1; `GET /v1/sessions/{id}` has their number.",
    "task.not_found": "`GET /v1/tasks` lists them; older ones are in the sessions.",
    "task.no_phone": "Plug a phone in, or name one by `serial`; see `details.set_aside`.",
    "task.wrong_state": "Read the task again; answer only while it waits.",
    "image.invalid": "Send a whole PNG, JPEG or WebP.",
    "image.source_not_allowed": "Send the picture itself: a data URL or a multipart file.",
    "image.too_large": "Send a smaller picture, or raise `max_image_bytes`, `max_image_pixels`.",
    "model.error": "Try again; the session's events have every attempt.",
    "model.unknown_provider": "Add the provider to `configs/model_config.yaml`, with its address, "
    "key and a model.",
    "model.timeout": "Try again; raise the provider's `timeout_s`, or use a quicker model.",
    "model.unreachable": "Start the model server, or correct `api_base` (it ends in `/v1`).",
    "model.refused": "Correct the key, the model's name or its `args`; the message quotes the "
    "provider.",
    "model.unavailable": "Try again later; look at the model server's own log.",
    "model.declined": "Put the task in other words, or use another model.",
    "model.rate_limited": "Wait; raise the limit at the provider.",
    "model.bad_reply": "Check that `api_base` is an OpenAI-compatible `/v1`, and try again.",
    "model.cut": "Raise `max_tokens` in `args`.",
    "storage.failed": "Make room on the disk, mend the folder's permissions, try again.",
    "storage.full": "Free space (`localserver delete`, `keep_days`, `keep_bytes`); send it again.",
    "storage.in_use": "Stop the other service, or give this one its own `log_dir`.",
    "policy.denied": "Do it by hand, or approve it when the task is started.",
    "action.element_not_found": "The model is told; it names an element of the list, or a point.",
    "export.not_possible": "Choose another format, or another session; the message says why.",
    "import.not_a_log": "Name a log of the published server; mend the line that is named.",
    "parser.error": "Report it with the raw reply.",
    "parser.rejected": _LOOK_AT_REPLY,
    "parser.crashed": "Report it with the raw reply; use another `task_type` meanwhile.",
    "parser.unknown_dialect": "Use one of the names that the message lists.",
    "parser.invalid_action": "Correct the field that the message names.",
    "parser.invalid_case": "Correct the line or the field that the message names.",
    "parser.prompt": "Correct or restore the file in `configs/prompts/`.",
    "parser.unsupported_input": "Send what the message names, say `observation.ui_tree`.",
    "device.error": "Run `localserver doctor`.",
    "device.adb_missing": "Install adb (`apt-get install adb`), or set `ADBUTILS_ADB_PATH`.",
    "device.adb_server": "Run `adb kill-server`, then `localserver doctor`.",
    "device.not_found": "Plug the phone in; `localserver devices` lists the serials.",
    "device.ambiguous": "Name one phone by its `serial`.",
    "device.offline": "Unplug and plug it again; over the network disconnect and connect.",
    "device.unauthorized": "Accept the debugging question on the phone's screen.",
    "device.asleep": "Switch the screen on, or let `wake` do it; then try again.",
    "device.booting": "Wait until Android runs.",
    "device.timeout": "Try again; if it stays, restart the phone.",
    "device.connection_lost": "Check the cable or network; look at the screen before repeating.",
    "device.command_failed": "Read the phone's own words in `details`.",
    "device.command_missing": "This Android lacks the command; use a newer one.",
    "device.bad_argument": "Leave out what the message names.",
    "device.bad_address": "Write `HOST` or `HOST:PORT`.",
    "device.connect_failed": "Switch wireless debugging on; check address and port.",
    "device.pairing_failed": "Use the code and the port that the phone's pairing dialog shows.",
    "device.adb_too_old": "Use adb 30 or newer.",
    "device.screenshot": "Unlock the phone, leave protected pages, try again.",
    "device.screen_black": "Wake or unlock the phone, or leave the protected page; the UI tree can "
    "still be read.",
    "device.screenshot_refused": "Leave the protected page, or do this part by hand.",
    "device.input_blocked": "Switch on “USB debugging (security settings)” in developer options.",
    "device.unknown_key": "Use a key of the action vocabulary.",
    "device.bad_point": "Take a new screenshot: the screen may have turned.",
    "device.screen_turned": "Take a new screenshot; nothing was touched.",
    "device.service_refused": "Try again in a moment; if it stays, reconnect the phone.",
    "device.text_not_typed": "Tap the field first; look at what is in it.",
    "device.keyboard_missing": "Install ADBKeyboard, for text that is not ASCII.",
    "device.unknown_keyboard": "Try again in a moment; enable the keyboard on the phone.",
    "device.secure_settings_denied": "Allow it in developer options, or switch the keyboard by "
    "hand.",
    "device.user_not_accessible": "Use the phone's main user.",
    "device.bad_alias_table": "Correct `configs/apps.yaml` where the message says.",
    "device.app_not_found": "Name an installed app; `details.candidates` lists near ones.",
    "device.app_ambiguous": "Name one of `details.candidates`, or the package.",
    "device.app_not_started": "Look at the screen: a dialog may be in the way.",
    "device.activity_not_found": "Name the app's package instead.",
    "device.activity_not_exported": "Open the app by its icon.",
    "device.ui_tree": "Try again; dialects that use points do without it.",
    "device.automation_busy": "Stop the other automation tool on this phone.",
    "device.ui_tree_encoding": "Use a dialect that works with points on this phone.",
    "device.keyboard_not_saved": "Make the folder for borrowed keyboards writable.",
    "mcp.not_installed": "Install it: `pip install 'localserver[mcp]'`, then start again.",
    "device.leased": "Wait for the task's end or the lease's `expires_at`, or stop the task.",
    "device.lease_lost": "Take a new lease; the phone may have changed meanwhile.",
    "device.locked": "Unlock the phone by hand.",
    **{f"parser.{code}": _LOOK_AT_REPLY for code in get_args(RejectionCode)},
}

HEAD = """# Error codes

Every fault over HTTP has the body `{"error": {"code", "message", "retryable", "details"}}`; the
same code is in a task's result, in the session's events and in the exceptions of the Python API.
A message ends in what can be done. “retry” means that the same request may succeed later.

This file is generated: `python -m server.http.error_table > docs/errors.md`.

| code | status | retry | meaning | what to do |
|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """One code with what a caller should know of it."""

    code: str
    status: int
    retryable: bool
    meaning: str
    remedy: str


def error_classes() -> Iterator[ErrorClass]:
    """All error classes of the three rooms, found by walking them."""
    for room in ("server", "parsers", "device"):
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            if not module.name.endswith("__main__") and "virtual_phone" not in module.name:
                importlib.import_module(module.name)
    stack: list[ErrorClass] = [ServerError, ParserError, DeviceError]
    while stack:
        kind = stack.pop()
        yield kind
        stack.extend(kind.__subclasses__())


def error_rows() -> list[ErrorRow]:
    """One row per code, in order; the parser's rejections are codes of their own."""
    rows = {
        kind.code: ErrorRow(
            code=kind.code,
            status=http_status(kind("")),
            retryable=kind.retryable,
            meaning=_meaning(kind),
            remedy=REMEDIES.get(kind.code, ""),
        )
        for kind in error_classes()
    }
    for code in (f"parser.{rejection}" for rejection in get_args(RejectionCode)):
        retryable = ReplyUnreadableError.retryable
        rows[code] = ErrorRow(code, status_of(code), retryable, MEANINGS[code], REMEDIES[code])
    return [rows[code] for code in sorted(rows)]


def render_error_table() -> str:
    """The text of `docs/errors.md`."""
    lines = (
        f"| `{row.code}` | {row.status} | {'yes' if row.retryable else 'no'} "
        f"| {row.meaning} | {row.remedy} |\n"
        for row in error_rows()
    )
    return HEAD + "".join(lines)


def _meaning(kind: ErrorClass) -> str:
    own = inspect.cleandoc(kind.__dict__.get("__doc__") or "")
    first = own.partition("\n\n")[0].replace("\n", " ")
    return first or MEANINGS.get(kind.code, "")


if __name__ == "__main__":
    sys.stdout.write(render_error_table())
