"""One HTML file with the whole session: the console's own trace view, opened from the disk.

The view's modules stand in the page as `data:` addresses of an import map, pictures and records as
inert blocks. The page fetches nothing, and its content security policy would not let it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any

from PIL import Image

from server.export.episode import Episode, EpisodeStep
from server.export.formats import ExportOptions, Progress, Written
from server.export.redaction import Redactor
from server.records.schema import fold_texts
from server.version import VERSION

CONSOLE = Path(__file__).resolve().parent.parent / "console"
ENTRY = "trace/session-trace.js"
STYLES = ("base.css", "trace/trace.css")
IMAGE_WIDTH_PX = 720
THUMBNAIL_WIDTH_PX = 108
_IMPORT = re.compile(r"""(\bfrom\s+|\bimport\s+)"(\.{1,2}/[^"]+)\"""")
_MAIN = """\
import "localserver/%(entry)s";
import { h, show } from "localserver/dom.js";
import { language } from "localserver/texts.js";
import { traceHead } from "localserver/%(entry)s";

const text = (id) => document.getElementById(id)?.textContent ?? "";
const read = (kind) => Array.from(document.querySelectorAll(`script.${kind}`), (one) => JSON.parse(one.textContent));
const session = JSON.parse(text("session"));
const view = document.createElement("session-trace");
Object.assign(view, {
  trace: { session, steps: read("step"), events: read("event"), texts: Object.assign({}, ...read("texts")) },
  pictures: { image: (n) => `data:image/webp;base64,${text(`image-${n}`)}`, thumbnail: (n) => `data:image/webp;base64,${text(`thumbnail-${n}`)}`,
    file: (name) => text(`file-${name}`) && `data:image/webp;base64,${text(`file-${name}`)}` },
  origin: null,
  step: location.hash.slice(1),
});
view.addEventListener("step", (event) => history.replaceState(null, "", `#${event.detail}`));
document.documentElement.lang = language();
const main = h("main", { id: "content" });
document.body.append(main);
show(main, traceHead(session), view);
"""  # noqa: E501 - JavaScript


def write(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write `<session>.html`; steps and pictures are written as they are read."""
    name = f"{episode.session_id}.html"
    steps = 0
    known: set[str] = set()
    with (folder / name).open("w", encoding="utf-8", newline="\n") as page:
        _write_head(page, redactor.text(episode.task))
        for step in episode.iter_steps():
            message, texts = _record(step, redactor, known)
            known.update(texts)
            if texts:
                _write_block(page, "texts", texts)
            _write_block(page, "step", message)
            picture = redactor.picture(step)
            _write_picture(page, f"image-{step.number}", picture, IMAGE_WIDTH_PX)
            _write_picture(page, f"thumbnail-{step.number}", picture, THUMBNAIL_WIDTH_PX)
            steps += 1
            progress()
        for failed in episode.iter_failed_tries():
            picture = redactor.failed_picture(failed)
            _write_picture(page, f"file-{failed.name}", picture, IMAGE_WIDTH_PX)
        for event in episode.iter_events():
            _write_block(page, "event", redactor.value(event))
        session = {
            "session_id": episode.session_id,
            "task": episode.task,
            "task_type": episode.dialect,
            "model_config": episode.model_config,
            "created_at": episode.created_at,
            "stop_reason": episode.stop_reason,
            "redacted": redactor.report(),
        }
        data = _to_json(redactor.value(session))
        page.write(f'<script type="application/json" id="session">{data}</script>\n')
        page.write(f'<script type="module">{_main()}</script>\n</body>\n</html>\n')
    return Written((name,), steps)


def _record(
    step: EpisodeStep, redactor: Redactor, known: set[str]
) -> tuple[dict[str, Any], Mapping[str, str]]:
    """The step's message with its prompt's long texts by reference, each text told once."""
    message: dict[str, Any] = redactor.value(dict(step.message))
    asked, texts = fold_texts(message.get("asked_messages") or [], known)
    return {**message, "asked_messages": asked}, texts


def _write_picture(page: IO[str], name: str, picture: Image.Image, max_width_px: int) -> None:
    width_px = min(max_width_px, picture.width)
    height_px = max(1, round(picture.height * width_px / picture.width))
    small = picture.resize((width_px, height_px), Image.Resampling.BICUBIC, reducing_gap=2.0)
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=75, method=2)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    page.write(f'<script type="text/plain" id="{html.escape(name)}">{data}</script>\n')


def _write_block(page: IO[str], kind: str, value: object) -> None:
    page.write(f'<script type="application/json" class="{kind}">{_to_json(value)}</script>\n')


def _to_json(value: object) -> str:
    """JSON that cannot end the element that it stands in."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")


def _write_head(page: IO[str], title: str) -> None:
    styles = "\n".join((CONSOLE / name).read_text(encoding="utf-8") for name in STYLES)
    imports = _to_json({"imports": dict(_modules())})
    scripts = " ".join(f"'sha256-{_hash(code)}'" for code in (imports, _main()))
    policy = (
        f"default-src 'none'; script-src {scripts} data:; style-src 'sha256-{_hash(styles)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page.write(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="LocalServer {VERSION}">\n'
        f"<title>{html.escape(title) or 'LocalServer'}</title>\n"
        f"<style>{styles}</style>\n"
        f'<script type="importmap">{imports}</script>\n'
        "</head>\n<body>\n"
        "<noscript>This page needs JavaScript. 本页面需要 JavaScript。</noscript>\n"
    )


def _main() -> str:
    return _MAIN % {"entry": ENTRY}


def _modules() -> Iterator[tuple[str, str]]:
    """The view's modules, each under a bare name: `data:` addresses know no relative ones."""
    waiting, seen = [ENTRY], {ENTRY}
    while waiting:
        name = waiting.pop()
        folder = PurePosixPath(name).parent
        code = (CONSOLE / name).read_text(encoding="utf-8")

        def rename(match: re.Match[str], folder: PurePosixPath = folder) -> str:
            target = _resolve(folder, match[2])
            if target not in seen:
                seen.add(target)
                waiting.append(target)
            return f'{match[1]}"localserver/{target}"'

        code = _IMPORT.sub(rename, code)
        data = base64.b64encode(code.encode()).decode("ascii")
        yield f"localserver/{name}", f"data:text/javascript;charset=utf-8;base64,{data}"


def _resolve(folder: PurePosixPath, address: str) -> str:
    parts: list[str] = []
    for part in (folder / address).parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _hash(code: str) -> str:
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode("ascii")
