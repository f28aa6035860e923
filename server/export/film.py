"""The run as moving pictures, each step with its target drawn on it: WebP, GIF, MP4."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from PIL import Image

from server.export.episode import Episode, NotExportableError
from server.export.formats import ExportOptions, Progress, Written
from server.export.redaction import Redactor
from server.pictures.contact_sheet import draw_target

GIF_STEPS_MAX = 300
"""A GIF is held in memory whole while it is written; longer runs are for WebP or MP4."""
MP4_FRAMES_PER_S = 5


def write_webp(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write an animated WebP; frames are compressed as they come."""
    return _animate(episode, folder, redactor, options, progress, "webp", quality=80, method=2)


def write_gif(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write an animated GIF.

    Raises:
        NotExportableError: The run is too long for one.
    """
    if episode.step_count > GIF_STEPS_MAX:
        raise NotExportableError(
            f"a GIF of {episode.step_count} steps would not fit into memory (at most "
            f"{GIF_STEPS_MAX}); choose --format webp or mp4"
        )
    return _animate(episode, folder, redactor, options, progress, "gif", optimize=False)


def write_mp4(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write an H.264 film.

    Raises:
        NotExportableError: PyAV is not installed.
    """
    try:
        import av
    except ImportError as error:
        raise NotExportableError(
            "mp4 needs PyAV; install it with: pip install 'localserver[export]'"
        ) from error
    make_frame: Any = av.VideoFrame.from_image
    name = f"{episode.session_id}.mp4"
    repeats = max(1, round(options.step_s * MP4_FRAMES_PER_S))
    steps = 0
    with av.open(str(folder / name), "w") as film:
        stream: Any = None
        for frame in _frames(episode, redactor, options, progress):
            if stream is None:
                stream = film.add_stream("libx264", rate=MP4_FRAMES_PER_S)
                # H.264 halves the colour planes: sides have to be even.
                stream.width, stream.height = frame.width // 2 * 2, frame.height // 2 * 2
                stream.pix_fmt = "yuv420p"
                stream.options = {"preset": "veryfast", "crf": "26", "tune": "stillimage"}
            fitted = _fit(frame, (stream.width, stream.height))
            for repeat in range(repeats):
                picture = make_frame(fitted)
                picture.pts = steps * repeats + repeat
                picture.time_base = Fraction(1, MP4_FRAMES_PER_S)
                for packet in stream.encode(picture):
                    film.mux(packet)
            steps += 1
        if stream is None:
            raise _empty(episode)
        for packet in stream.encode(None):
            film.mux(packet)
    return Written((name,), steps)


def _animate(
    episode: Episode,
    folder: Path,
    redactor: Redactor,
    options: ExportOptions,
    progress: Progress,
    kind: str,
    **how: Any,
) -> Written:
    name = f"{episode.session_id}.{kind}"
    frames = _frames(episode, redactor, options, progress)
    first = next(frames, None)
    if first is None:
        raise _empty(episode)
    rest = (_fit(frame, first.size) for frame in frames)
    duration_ms = max(20, round(options.step_s * 1000))
    first.save(
        folder / name, kind.upper(), save_all=True, append_images=rest,
        duration=duration_ms, loop=0, **how,
    )  # fmt: skip
    return Written((name,), episode.step_count)


def _frames(
    episode: Episode, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Iterator[Image.Image]:
    """One frame for each step, one in memory at a time."""
    for step in episode.iter_steps():
        picture = redactor.picture(step)
        height_px = max(1, round(picture.height * options.width_px / picture.width))
        frame = picture.resize((options.width_px, height_px), Image.Resampling.LANCZOS)
        wire = step.wire
        point = step.point
        draw_target(frame, wire if point is None else {**wire, "point": point.to_wire()})
        yield frame
        progress()


def _fit(frame: Image.Image, size: tuple[int, int]) -> Image.Image:
    """The frame on a canvas of that size: a phone that was turned keeps its proportions."""
    if frame.size == size:
        return frame
    scale = min(size[0] / frame.width, size[1] / frame.height)
    fitted = frame.resize(
        (max(1, round(frame.width * scale)), max(1, round(frame.height * scale))),
        Image.Resampling.LANCZOS,
    )
    canvas = Image.new("RGB", size, (16, 18, 22))
    canvas.paste(fitted, ((size[0] - fitted.width) // 2, (size[1] - fitted.height) // 2))
    return canvas


def _empty(episode: Episode) -> NotExportableError:
    return NotExportableError(f"session {episode.session_id} has no step; there is nothing to show")
