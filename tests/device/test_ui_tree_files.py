"""Whole dumps with the traits of real phones, and those of real phones where they are at hand."""

from __future__ import annotations

import json
import xml.etree.ElementTree as StrictReader
from pathlib import Path
from typing import Any

import pytest

from device.errors import UiTreeError
from device.protocol import UiTree
from device.ui_tree import has_empty_web_view, label, parse_ui_tree

OWN = Path(__file__).parents[1] / "data" / "ui_trees"
REAL = Path(__file__).parents[3] / "shared" / "ui_trees"
EXPECTED: dict[str, dict[str, Any]] = json.loads((OWN / "expected.json").read_text("utf-8"))
READABLE = [name for name, wanted in EXPECTED.items() if "error" not in wanted]
SCREEN = 1080, 2400


def read(name: str) -> UiTree:
    return parse_ui_tree((OWN / f"{name}.xml").read_text("utf-8"))


def untappable(tree: UiTree, width_px: int, height_px: int) -> list[str]:
    return [n.text for n in tree.nodes() if n.text and n.bounds.clip(width_px, height_px).is_empty]


@pytest.mark.parametrize("name", READABLE)
def test_a_tree_is_read_with_all_its_traits(name: str) -> None:
    wanted = EXPECTED[name]
    tree = read(name)
    found = list(tree.nodes())
    assert (len(found), tree.rotation) == (wanted["nodes"], 0)
    roots = ([tree.root] if tree.root else []) + list(tree.more_roots)
    assert len(roots) == wanted.get("roots", 1)
    assert has_empty_web_view(tree) is wanted.get("empty_web_view", False)
    if "texts" in wanted:
        assert [n.text for n in found if n.text] == wanted["texts"]
    if "labels" in wanted:
        assert {n.resource_id: label(n) for n in found if n.resource_id} == wanted["labels"]
    if "labels_in_order" in wanted:
        spoken = [" ".join(label(n).split()) for n in found]
        wanted_words = [" ".join(text.split()) for text in wanted["labels_in_order"]]
        assert spoken[-1:] == wanted_words[-1:]
        assert all(words in spoken for words in wanted_words)
    if "packages" in wanted:
        assert sorted({n.package for n in found}) == wanted["packages"]
    if "depth" in wanted:
        assert max(n.depth for n in found) == wanted["depth"]
    if "untappable" in wanted:
        assert untappable(tree, *wanted.get("screen", SCREEN)) == wanted["untappable"]
    for text, center in wanted.get("centers", {}).items():
        node = next(n for n in found if n.text == text)
        assert node.bounds.clip(*SCREEN).center == tuple(center)


@pytest.mark.parametrize("name", [n for n, wanted in EXPECTED.items() if "error" in wanted])
def test_a_dump_that_is_no_tree_is_refused_by_its_reason(name: str) -> None:
    with pytest.raises(UiTreeError) as caught:
        read(name)
    assert caught.value.details["reason"] == EXPECTED[name]["error"]


@pytest.mark.parametrize("name", READABLE)
def test_what_is_kept_as_the_document_any_reader_can_read(name: str) -> None:
    text = (OWN / f"{name}.xml").read_text("utf-8")
    if EXPECTED[name].get("strict_parser_fails"):
        with pytest.raises(StrictReader.ParseError):
            StrictReader.fromstring(text.encode())
    kept = StrictReader.fromstring(read(name).xml.encode())
    assert sum(1 for _ in kept.iter("node")) == EXPECTED[name]["nodes"]


def test_every_file_has_its_expectation_and_the_other_way_round() -> None:
    assert {path.stem for path in OWN.glob("*.xml")} == set(EXPECTED)


if REAL.is_dir():
    INDEX: dict[str, dict[str, Any]] = json.loads((REAL / "index.json").read_text("utf-8"))

    @pytest.mark.parametrize("name", INDEX)
    def test_a_real_phones_tree_is_read_with_its_traits(name: str) -> None:
        wanted = INDEX[name]
        tree = parse_ui_tree((REAL / name).read_text("utf-8"))
        if wanted.get("error") == "UI_EMPTY":
            assert tree.root is None
            return
        found = list(tree.nodes())
        assert (len(found), tree.rotation) == (wanted["nodes"], wanted["rotation"])
        assert has_empty_web_view(tree) is wanted.get("reread", False)
        assert bool(tree.repairs) is wanted.get("strict_parser_fails", False)
