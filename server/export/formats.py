"""The formats, by name: what each is for, and who writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from server.export.episode import Episode
from server.export.redaction import Redactor

Progress = Callable[[], None]
"""Called once for each step that is done."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What a person may choose.

    Attributes:
        dialect: Rebuild the prompt for this dialect (`sft`); None keeps it as it was sent.
        variant: Its variant.
        step_s: How long a film shows each step, in seconds.
        width_px: Width of a film's frames.
        config_dir: Where prompts and app names are read; None takes the shipped ones.
    """

    dialect: str | None = None
    variant: str | None = None
    step_s: float = 1.2
    width_px: int = 480
    config_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """What one session became.

    Attributes:
        files: Paths below the folder, the main one first.
        steps: How many steps are in it.
        notes: What could not be carried over, in plain words.
    """

    files: tuple[str, ...]
    steps: int
    notes: tuple[str, ...] = field(default=())


class Write(Protocol):
    """Writes one session.

    Args:
        episode: What to write.
        folder: An empty folder of its own: its content is moved to its place when all is written.
        redactor: Goes over every text and picture.
        options: The person's choices.
        progress: To be called for each step.

    Raises:
        NotExportableError: The session has nothing that the format could hold.
    """

    def __call__(
        self,
        episode: Episode,
        folder: Path,
        redactor: Redactor,
        options: ExportOptions,
        progress: Progress,
    ) -> Written: ...


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its writer, and what to do when all sessions are there.

    Attributes:
        about: One line for `--help` and the docs.
        write: Writes one session.
        finish: Makes what belongs to the whole folder (an index, a joined file).
    """

    about: str
    write: Write
    finish: Callable[[Path], None] = lambda folder: None


def list_formats() -> dict[str, Format]:
    """Every format by its name. What a format needs beyond the core is imported when it runs."""
    from server.export import (
        android_control,
        film,
        gelab,
        parquet,
        report,
        scripts,
        sft,
    )

    return {
        "html": Format("one page that opens from the disk, without a network", report.write),
        "gelab": Format("JSONL and JPEG as the published Step-GUI viewer opens them", gelab.write),
        "sft": Format("messages and images for ms-swift and LLaMA-Factory", sft.write, sft.finish),
        "androidcontrol": Format(
            "episodes with the field names of AndroidControl", android_control.write
        ),
        "parquet": Format(
            "a table that Hugging Face datasets loads, pictures decoded", parquet.write
        ),
        "webp": Format("an animated picture with tap marks", film.write_webp),
        "gif": Format("the same as GIF", film.write_gif),
        "mp4": Format("the same as a film (needs the extra `export`)", film.write_mp4),
        "uiautomator2": Format(
            "a Python script that repeats the actions", scripts.write_uiautomator2
        ),
        "adb": Format("a shell script that repeats the actions", scripts.write_adb),
        "pyautogui": Format(
            "a desktop script, of sessions of the UI-TARS dialect", scripts.write_pyautogui
        ),
    }
