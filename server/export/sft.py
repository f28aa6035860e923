"""Training samples: one step, one line `{"messages": […], "images": […]}`.

ms-swift reads the lines as they are; for LLaMA-Factory there is an entry in `dataset_info.json`.
In the contents `<image>` stands where a picture was, so that text may not hold that word itself:
there it is written `< image >`. The answer is the model's raw reply, or, when the prompt is rebuilt
for another dialect, the action as that dialect writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from parsers.action import Action, Size
from parsers.base import Environment, PromptRequest, ScreenElement
from parsers.errors import ParserError
from server.export.episode import Episode, EpisodeStep, NotExportableError
from server.export.formats import ExportOptions, Progress, Written
from server.export.rebuilding import action_as_written, elements_of, sent_size_for
from server.export.redaction import Redactor
from server.pictures.marks import draw_marks
from server.prompts import ParserShelf
from server.settings import load_settings

DATASET = "localserver"
JPEG_QUALITY = 90
IMAGE_TAG = "<image>"
MARKED = "#marked"
"""Behind a picture's name: its copy with the numbered elements drawn in."""


def write(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write one session's samples as `parts/<session>.jsonl` with its pictures.

    Pictures have the size at which the model saw them: pixel dialects count in it.

    Raises:
        NotExportableError: The dialect cannot be rebuilt from what the log holds.
    """
    parts, images = folder / "parts", folder / "images" / episode.session_id
    parts.mkdir(parents=True)
    images.mkdir(parents=True)
    rebuild = _Rebuilder(options, episode) if options.dialect else None
    notes: list[str] = []
    steps = 0
    with (parts / f"{episode.session_id}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
        for step in episode.iter_steps():
            progress()
            try:
                sample = _as_sent(step, redactor) if rebuild is None else rebuild.sample(step)
            except _LeftOut as reason:
                notes.append(f"step {step.number} is left out: {reason}")
                continue
            names: list[str] = []
            save = _Saver(step, images, sample.sent_size, redactor, sample.marks)
            turns = [_turn(message, names, save, redactor) for message in sample.messages]
            turns.append({"role": "assistant", "content": _tagless(redactor.text(sample.answer))})
            line = {"messages": turns, "images": names}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            steps += 1
    return Written((f"parts/{episode.session_id}.jsonl",), steps, tuple(notes))


class _LeftOut(Exception):
    """This step makes no sample; the text says why."""


@dataclass(frozen=True, slots=True)
class _Sample:
    messages: Sequence[Mapping[str, Any]]
    answer: str
    sent_size: Size
    marks: Sequence[ScreenElement] = ()


def _as_sent(step: EpisodeStep, redactor: Redactor) -> _Sample:
    """The prompt and the reply as they were."""
    messages = step.message.get("asked_messages") or []
    if not messages:
        raise _LeftOut("its prompt is not in the log")
    if not step.reply:
        raise _LeftOut("its reply has no text")
    return _Sample(messages, redactor.step_reply(step), step.sent_size)


def finish(folder: Path) -> None:
    """Join the sessions into `train.jsonl` and write the entry for LLaMA-Factory."""
    part = folder / "train.jsonl.part"
    with part.open("wb") as joined:
        for path in sorted((folder / "parts").glob("*.jsonl")):
            with path.open("rb") as one:
                while block := one.read(1 << 20):
                    joined.write(block)
    part.replace(folder / "train.jsonl")
    entry = {
        DATASET: {
            "file_name": "train.jsonl",
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "images": "images"},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
                "system_tag": "system",
            },
        }
    }
    text = json.dumps(entry, ensure_ascii=False, indent=2) + "\n"
    (folder / "dataset_info.json").write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class _Saver:
    """Saves the pictures of one prompt, each once for the whole session."""

    step: EpisodeStep
    images: Path
    size: Size
    redactor: Redactor
    marks: Sequence[ScreenElement]

    def __call__(self, url: str) -> str:
        url, marked, _ = url.partition(MARKED)
        stem = url.rpartition("/")[2].rpartition(".")[0] + ("_marked" if marked else "")
        name = f"{stem}_{self.size.width_px}x{self.size.height_px}.jpeg"
        if not (self.images / name).exists():
            picture = self.redactor.prompt_picture(self.step, url)
            size = (self.size.width_px, self.size.height_px)
            if picture.size != size:
                picture = picture.resize(size, Image.Resampling.BICUBIC)
            if marked:
                draw_marks(picture, self.marks)
            picture.save(self.images / name, "JPEG", quality=JPEG_QUALITY)
        return f"images/{self.images.name}/{name}"


def _turn(
    message: Mapping[str, Any], names: list[str], save: _Saver, redactor: Redactor
) -> dict[str, str]:
    content = message.get("content")
    parts: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    pieces: list[str] = []
    for part in parts:
        if part.get("type") == "text":
            pieces.append(_tagless(redactor.text(str(part.get("text") or ""))))
        elif part.get("type") == "image_url":
            pieces.append(IMAGE_TAG)
            names.append(save(str(part["image_url"]["url"])))
    return {"role": str(message.get("role", "user")), "content": "".join(pieces)}


def _tagless(text: str) -> str:
    return text.replace(IMAGE_TAG, "< image >")


class _Rebuilder:
    """Writes the prompts of another dialect for one session, with that dialect's own history."""

    def __init__(self, options: ExportOptions, episode: Episode) -> None:
        shelf = ParserShelf(load_settings(options.config_dir).config_dir)
        self._parser = shelf.get(str(options.dialect), variant=options.variant)
        self._task = episode.task
        self._environments: list[Environment] = []
        self._actions: list[Action] = []
        self._before: Action | None = None

    def sample(self, step: EpisodeStep) -> _Sample:
        parser, wire = self._parser, step.message["environment"]
        size = sent_size_for(step, parser)
        before, self._before = self._before, step.action
        numbered = elements_of(step, parser, before)
        image = str(wire["image"])
        self._environments.append(
            Environment(
                image=image,
                marked_image=f"{image}{MARKED}" if numbered and parser.images.marked else None,
                elements=numbered.elements if numbered else None,
                user_comment=str(wire.get("user_comment", "")),
                size=step.size,
                foreground=wire.get("foreground"),
            )
        )
        request = PromptRequest(
            task=self._task, environments=self._environments, actions=self._actions, sent_size=size
        )
        action = action_as_written(step, parser, numbered)
        marks = numbered.elements if numbered else ()
        try:
            if parser.needs_elements and numbered is None:
                raise _LeftOut("its UI tree is not in the log, so nothing can be numbered")
            return _Sample(parser.write_prompt(request), parser.action2str(action), size, marks)
        except NotImplementedError as error:
            raise NotExportableError(
                f"{parser.name} is a dialect that is only read; choose one with a writer "
                "(docs/dialects.md)"
            ) from error
        except ParserError as error:
            raise _LeftOut(error.message) from error
        finally:
            self._actions.append(action)
