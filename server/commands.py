"""What each command of `localserver` does. Each returns the process's exit code.

0: done as asked; 1: it ran, and the answer is no; 2: it could not run.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec

from rich.text import Text

from server.errors import BadRequestError, ConfigError, ServerError, SessionNotFoundError
from server.settings import Settings, load_settings, move_logs
from server.terminal import (
    console,
    errors,
    inert,
    print_error,
    print_json,
    print_step,
    print_table,
)

if TYPE_CHECKING:
    from device.doctor import Finding
    from server.agent_loop import LoopOptions
    from server.http.access import Access
    from server.session_reading import SessionReader
    from server.task_result import StepReport, TaskResult

P = ParamSpec("P")
EXIT_NO = 1
EXIT_COULD_NOT_RUN = 2
ASK_TIMEOUT_S = 600.0
"""How long a question waits for the person at the terminal."""
NO_TIME_S = 0.001
"""Nobody is there: an action that needs a yes does not get one."""


def clear_errors(command: Callable[P, int]) -> Callable[P, int]:
    """End our own errors in one line that names cause and remedy, and exit code 2."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return command(*args, **kwargs)
        except Exception as error:
            if getattr(error, "code", None) is None:
                raise
            print_error(error)
            return EXIT_COULD_NOT_RUN

    return wrapped


@clear_errors
def run_task_command(
    task: str,
    *,
    serial: str | None,
    model: str | None,
    provider: str | None,
    dialect: str | None,
    max_steps: int,
    reset: bool,
    ask: bool,
    approve: list[str],
    privacy: str | None,
    server_url: str | None,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Run one task on a phone, in this process or with the decisions of a running service."""
    from device.claims import PhoneClaims
    from server.agent_loop import LoopOptions, run_task
    from server.attendant import attend
    from server.control import TaskControl
    from server.http.client import RemoteLocalServer
    from server.leases import hold_for_command
    from server.local_server import LocalServer
    from server.phones import AdbPhones
    from server.task_terms import read_privacy

    if not task.strip():
        raise BadRequestError("the task is empty; say what is to be done", field="task")
    settings = read_settings(config_dir, log_dir)
    phone = AdbPhones(settings).open(serial)
    chosen = {"model_name": model, "model_provider": provider}
    options = LoopOptions(
        task_type=dialect,
        model_config={key: value for key, value in chosen.items() if value is not None} or None,
        max_steps=max_steps,
        reset_environment=reset,
        reply_timeout_s=ASK_TIMEOUT_S if ask else 0.0,
        confirm_timeout_s=ASK_TIMEOUT_S if ask else NO_TIME_S,
        approve=tuple(approve),
        privacy=read_privacy(privacy),
    )
    control = TaskControl()
    if ask:
        attend(control)
    token = settings.api_token.get_secret_value() if settings.api_token else None
    decider = RemoteLocalServer(server_url, token) if server_url else LocalServer(settings)
    claim = hold_for_command(PhoneClaims(settings.state_dir), phone.serial, "localserver run")
    with claim, decider as server:
        if not as_json:
            console.print(Text.assemble(("phone ", "dim"), inert(phone.serial)))
            if server_url is None:
                _tell_where_pictures_go(settings, options)
        result = run_task(
            server,
            phone,
            task,
            options=options,
            control=control,
            on_step=None if as_json else _print_report,
        )
    if as_json:
        print_json(result.to_wire())
    else:
        _print_result(result, settings, local=server_url is None)
    return 0 if result.completed else EXIT_NO


def _tell_where_pictures_go(settings: Settings, options: LoopOptions) -> None:
    """Said before anything is sent: the model is somewhere else."""
    from server.model.providers import choose_model
    from server.privacy.levels import is_local, stricter

    chosen = options.model_config or {}
    target = choose_model(
        settings, chosen.get("model_provider"), chosen.get("model_name"), chosen.get("args")
    )
    if is_local(target.config.api_base):
        return
    level = stricter(settings.privacy, settings.remote_privacy, options.privacy)
    advice = "" if level == "strict" else "; --privacy strict masks what is private"
    errors.print(
        f"pictures of the screen leave this machine: {target.config.api_base} "
        f"(privacy {level}{advice})",
        soft_wrap=True,
        highlight=False,
    )


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
def devices_command(*, config_dir: Path | None, as_json: bool) -> int:
    """List the phones with their names and tags; exit code 1 when none is ready."""
    from device.discovery import list_devices, not_ready_error
    from server.device_names import DeviceNames

    names = DeviceNames.load(load_settings(config_dir).config_dir)
    devices = names.label(list_devices())
    if as_json:
        print_json([asdict(info) for info in devices])
        return 0 if any(info.is_ready for info in devices) else EXIT_NO
    if not devices:
        console.print(
            "adb sees no phone: plug one in with USB debugging on, or start a virtual one with "
            "`localserver phone`; `localserver doctor` looks closer",
            soft_wrap=True,
        )
        return EXIT_NO
    print_table(
        ("SERIAL", "NAME", "TAGS", "STATE", "MODEL", "WHAT TO DO"),
        [
            (
                info.serial,
                info.name,
                ", ".join(info.tags),
                info.state,
                info.model,
                "" if info.is_ready else not_ready_error(info).message,
            )
            for info in devices
        ],
    )
    return 0 if any(info.is_ready for info in devices) else EXIT_NO


@clear_errors
def doctor_command(*, serial: str | None, config_dir: Path | None, as_json: bool) -> int:
    """Look at adb, the phones and the model; exit code 1 when something needed is missing."""
    from device.doctor import diagnose
    from server.model.preflight import check_models

    findings = [*diagnose(serial), *check_models(read_settings(config_dir, None))]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            _print_finding(finding.ok, finding.optional, _title(finding), finding.remedy)
    missing = [finding for finding in findings if not finding.ok and not finding.optional]
    if not as_json:
        console.print()
        console.print(
            f"{len(missing)} thing(s) to mend" if missing else 'ready: localserver run "..."'
        )
    return EXIT_NO if missing else 0


@clear_errors
def phone_command(
    *,
    port: int,
    locale: Literal["zh", "en"],
    size: str | None,
    personality: str,
    vendor_switch: bool,
    faults: list[str],
    connect: bool,
) -> int:
    """Start a virtual phone and keep it until it is stopped."""
    from device.discovery import connect as connect_phone
    from device.virtual_phone.faults import FaultError, read_fault
    from device.virtual_phone.personalities import PERSONALITIES
    from device.virtual_phone.process import PhoneStartError, VirtualPhoneProcess

    if personality not in PERSONALITIES:
        raise ConfigError(
            f"no phone is called {personality}; use one of {', '.join(PERSONALITIES)}"
        )
    try:
        for fault in faults:
            read_fault(fault)
    except FaultError as error:
        raise ConfigError(f"--fault: {error}; docs/virtual-phone.md lists them") from error
    try:
        process = VirtualPhoneProcess(
            adb_port=port,
            size=_read_size(size) if size is not None else None,
            locale=locale,
            personality=personality,
            vendor_switch=vendor_switch,
            faults=faults,
        )
    except PhoneStartError as error:
        raise ServerError(f"{error}; mend that and start it again") from error
    with process as phone:
        console.print(f"virtual phone at {phone.serial}")
        if connect:
            connect_phone(phone.serial)
            console.print("connected to adb; try: localserver devices")
        else:
            console.print(f"connect it with: adb connect {phone.serial}")
        console.print(f"its state, for tests: http://127.0.0.1:{phone.control_port}/truth")
        console.print("Ctrl-C ends it")
        phone.wait()
    errors.print("the virtual phone has ended")
    return EXIT_COULD_NOT_RUN


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


def read_settings(config_dir: Path | None, log_dir: Path | None, **overrides: Any) -> Settings:
    """Settings with the log folder of the command line; pictures go beside the log then."""
    settings = load_settings(config_dir, **overrides)
    return settings if log_dir is None else move_logs(settings, log_dir)


def open_reader(settings: Settings) -> SessionReader:
    """Reads without owning the store: a running service goes on beside it."""
    from server.records.opening import open_files
    from server.session_reading import SessionReader

    return SessionReader(open_files(settings))


def _say_token(access: Access) -> str:
    """How callers get in; a new token is shown this once."""
    if access.is_open:
        return "anyone on this machine may call: it asks for no token (--no-token)"
    if access.file is None:
        return "callers send the token that is set: Authorization: Bearer ..."
    where = f"callers send the token in {access.file.path}: Authorization: Bearer ..."
    return f"{where}\nit was made now: {access.file.token}" if access.file.is_new else where


def _read_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9]\d{2,3})[xX]([1-9]\d{2,3})", text)
    if match is None:
        raise ConfigError(f"--size {text} is no size of a screen; write it like 1080x2400")
    return int(match[1]), int(match[2])


def find_session(settings: Settings, start: str) -> str:
    """The one session whose id begins so."""
    from server.records.opening import open_files

    stored = open_files(settings).list_sessions()
    fitting = [one.session_id for one in stored if one.session_id.startswith(start)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise SessionNotFoundError(
            "no session has an id that begins so; `localserver sessions` lists them"
        )
    raise SessionNotFoundError(f"{len(fitting)} sessions begin so; give more of the id")


def _print_report(report: StepReport) -> None:
    print_step(report.local_step, report.action.to_wire(), report.decide_s)
    if report.outcome.status in ("failed", "unknown"):
        console.print(
            Text(
                f"              {report.outcome.code}: {inert(report.outcome.message)}",
                style="yellow",
            ),
            soft_wrap=True,
        )


def _print_result(result: TaskResult, settings: Settings, *, local: bool) -> None:
    style = "bold green" if result.completed else "bold red"
    console.print(Text.assemble("ended  ", (result.stop_reason, style)))
    if result.message:
        console.print(Text.assemble(("said   ", "dim"), inert(result.message)), soft_wrap=True)
    if result.error is not None:
        console.print(
            Text.assemble(
                ("error  ", "dim"), f"{result.error['code']}: {inert(result.error['message'])}"
            ),
            soft_wrap=True,
        )
    if local:
        console.print(
            Text.assemble(("log    ", "dim"), str(settings.log_dir / f"{result.session_id}.jsonl")),
            soft_wrap=True,
        )
    console.print(Text.assemble(("look   ", "dim"), f"localserver show {result.session_id[:8]}"))


def _print_finding(ok: bool, optional: bool, title: str, remedy: str) -> None:
    mark, style = ("ok", "green") if ok else (("note", "yellow") if optional else ("FIX", "red"))
    console.print(Text.assemble((f"{mark:>5}  ", style), inert(title)), soft_wrap=True)
    if remedy and not ok:
        console.print(Text(f"       -> {inert(remedy)}"), soft_wrap=True)


def _title(finding: Finding) -> str:
    where = f" [{finding.serial}]" if finding.serial else ""
    return f"{finding.check}{where}: {finding.message}"
