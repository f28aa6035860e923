"""Phones have names and tags that their owner wrote down."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.discovery import DeviceInfo
from server.device_names import DeviceNames
from server.errors import ConfigError


def load(tmp_path: Path, text: str) -> DeviceNames:
    (tmp_path / "devices.yaml").write_text(text, encoding="utf-8")
    return DeviceNames.load(tmp_path)


def test_a_name_stands_for_its_serial_and_a_serial_for_itself(tmp_path: Path) -> None:
    names = load(
        tmp_path, "S1: {name: 书桌, tags: [office, zh]}\nS2: {tags: [office]}\n1234: {name: n}\n"
    )
    assert [names.serial_of(n) for n in ("书桌", "S2", "S9", "n", None)] == [
        "S1", "S2", "S9", "1234", None,
    ]  # fmt: skip
    listed = names.label([DeviceInfo("S1", "device"), DeviceInfo("S3", "offline")])
    assert [(i.serial, i.name, i.tags) for i in listed] == [
        ("S1", "书桌", ("office", "zh")),
        ("S3", "", ()),
    ]


def test_without_a_file_nothing_has_a_name(tmp_path: Path) -> None:
    assert DeviceNames.load(tmp_path).serial_of("S1") == "S1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("S1:\n  nam: desk\n", "devices.yaml:2: S1.nam: unknown key; did you mean `name`?"),
        ("S1: {name: desk}\nS2: {name: desk}\n", "S1 has this name already"),
        ("S1: desk\n", "devices.yaml:1: S1"),
        ("S1: {tags: office}\n", "S1.tags"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert words in caught.value.message


def test_the_shipped_file_is_right() -> None:
    DeviceNames.load(Path(__file__).parents[3] / "configs")
