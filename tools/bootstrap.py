"""Make the virtual environment and install everything that LocalServer needs.

Standard library only: it runs on a machine that has nothing but Python. Used by the Makefile:

    python3 tools/bootstrap.py [--dev] [--venv .venv]

What it can install itself it installs (Debian packages by apt-get, when run as root); what it
cannot, it names together with the command to run, and ends with exit code 1.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MINIMUM = (3, 11)


class SetupError(Exception):
    """Something is missing that this script cannot install; the message says what to run."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="where to install")
    parser.add_argument("--dev", action="store_true", help="also what the tests need")
    options = parser.parse_args()
    try:
        check_python()
        python = make_venv(options.venv)
        install_packages(python, dev=options.dev)
        ensure_adb(python, debian_too=options.dev)
        if options.dev:
            ensure_chromium()
    except SetupError as error:
        print(f"\nsetup: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        command = " ".join(map(str, error.cmd))
        print(f"\nsetup: this command failed: {command}", file=sys.stderr)
        print("setup: its output above says why; run `make install` again after", file=sys.stderr)
        return 1
    print("setup: ready")
    return 0


def check_python() -> None:
    if sys.version_info < MINIMUM:
        raise SetupError(
            f"Python {MINIMUM[0]}.{MINIMUM[1]} or newer is needed, this is "
            f"{platform.python_version()}: run `make PYTHON=/path/to/python3.11 ...`"
        )


def make_venv(venv: Path) -> Path:
    """Create the environment if it is not there (or half there); returns its Python."""
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if python.exists() and has_module(python, "pip"):
        return python
    if not has_module(Path(sys.executable), "ensurepip"):
        apt_install(
            f"python{sys.version_info[0]}.{sys.version_info[1]}-venv",
            "python3-venv",
            why="this Python has no `venv` module",
        )
    step(f"making the virtual environment {venv.name}")
    run([sys.executable, "-m", "venv", "--clear", str(venv)])
    return python


def install_packages(python: Path, *, dev: bool) -> None:
    step("installing Python packages (the first time takes a minute or two)")
    extras = "demo,fast-images,dev" if dev else "demo,fast-images"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    run(
        [
            *pip,
            "install",
            "--quiet",
            "--constraint",
            str(ROOT / "constraints.txt"),
            # A plain path entry: the default import hook makes every start of the command slower.
            "--config-settings",
            "editable_mode=compat",
            "--editable",
            f"{ROOT}[{extras}]",
        ]
    )


def ensure_adb(python: Path, *, debian_too: bool) -> None:
    """adb comes inside the adbutils wheel on common processors; elsewhere from the system.

    The tests run against both, because phones meet both.
    """
    bundled = subprocess.run(
        [
            str(python),
            "-c",
            "import pathlib, adbutils; "
            "print(any(p.stem == 'adb' for p in "
            "(pathlib.Path(adbutils.__file__).parent / 'binaries').glob('adb*')))",
        ],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    if shutil.which("adb") or (bundled == "True" and not debian_too):
        return
    apt_install("adb", why="adb is needed to talk to phones")


def ensure_chromium() -> None:
    """The console's tests click through it in the system's own browser."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        apt_install("chromium", why="chromium is needed to test the console")


def apt_install(*packages: str, why: str) -> None:
    """Install the first of `packages` that the system has."""
    advice = f"{why}: install `{packages[-1]}` with your system's package tool and run make again"
    if shutil.which("apt-get") is None:
        raise SetupError(advice)
    if not is_root():
        raise SetupError(
            f"{why}, and installing it needs root: run `sudo apt-get install {packages[-1]}` "
            "and then make again"
        )
    step(f"installing {packages[-1]} by apt-get ({why})")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=False, env=environment)
    for package in packages:
        command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
        if subprocess.run(command, check=False, env=environment).returncode == 0:
            return
    raise SetupError(advice)


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def has_module(python: Path, module: str) -> bool:
    command = [str(python), "-c", f"import {module}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def run(command: list[str]) -> None:
    subprocess.run(command, check=True)


def step(text: str) -> None:
    print(f"setup: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
