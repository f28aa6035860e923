"""Every change of a log is noticed: bits flipped, lines dropped, swapped, doubled, text put in."""

from __future__ import annotations

import os
import random
from pathlib import Path

from server.records.lines import LocalLines
from server.records.logs import SessionLog
from server.records.reader import read_log

EDITS = int(os.environ.get("LOCALSERVER_TAMPER_EDITS", "2000"))


def edit(whole: bytes, chance: random.Random) -> bytes:
    lines = whole.splitlines(keepends=True)
    changed = bytearray(whole)
    place = chance.randrange(len(whole) - 1)
    match chance.randrange(6):
        case 0:
            changed[place] ^= 1 << chance.randrange(8)
        case 1:
            changed.insert(place, chance.randrange(256))
        case 2:
            del changed[place]
        case 3:
            del lines[chance.randrange(len(lines) - 1)]
            return b"".join(lines)
        case 4:
            one, other = chance.sample(range(len(lines)), 2)
            lines[one], lines[other] = lines[other], lines[one]
            return b"".join(lines)
        case _:
            lines.insert(place % len(lines), lines[chance.randrange(len(lines))])
            return b"".join(lines)
    return bytes(changed)


def test_every_edit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = SessionLog(LocalLines(path), "s")
    for number in range(12):
        log.append({"number": number, "text": "你好 \u2028 " * number})
    whole = path.read_bytes()
    chance = random.Random(20261130)
    for _ in range(EDITS):
        changed = edit(whole, chance)
        path.write_bytes(changed)
        assert (read_log(path).damage is None) == (changed == whole), changed
