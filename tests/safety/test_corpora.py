"""The labelled screens are what their README says: a rule that passes on them has met real ones."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from device.ui_tree import parse_ui_tree
from tests.safety.screens import Case, Corpus, read_cases, write_dump

RISKS = {
    "pay", "transfer", "order", "delete", "install", "permission", "send", "sign_in", "security",
    "unknown",
}  # fmt: skip
LABELLED: tuple[Corpus, ...] = (
    "dev", "harmless", "dev3", "harmless3", "dev4", "harmless4", "heldout",
)  # fmt: skip


@pytest.mark.parametrize("corpus", LABELLED)
def test_every_action_lies_on_its_screen_and_has_a_label(corpus: Corpus) -> None:
    wrong = [case.id for case in read_cases(corpus) if not _is_sound(case)]
    assert wrong == []


def _is_sound(case: Case) -> bool:
    width, height = (case.screen.width_px, case.screen.height_px) if case.screen else (1080, 2400)
    points = [case.action[name] for name in ("point", "point1", "point2") if name in case.action]
    label = case.risk in RISKS if case.irreversible else case.risk == "none"
    return label and bool(case.task) and all(0 <= x < width and 0 <= y < height for x, y in points)


@pytest.mark.parametrize("corpus", LABELLED)
def test_every_node_is_in_the_dump_in_its_place(corpus: Corpus) -> None:
    for case in read_cases(corpus)[::7]:
        if case.screen is None:
            continue
        nodes = list(parse_ui_tree(write_dump(case.screen, case.app_package)).nodes())[1:]
        assert [(n.text, n.content_desc, n.class_name, n.clickable, n.password) for n in nodes] == [
            (n.text, n.desc, n.class_name, n.clickable, n.password) for n in case.screen.nodes
        ], case.id


def test_the_risky_screens_are_many_and_of_many_kinds() -> None:
    cases = [case for case in read_cases("dev") if case.irreversible]
    languages = Counter(case.lang for case in cases)
    assert len(cases) >= 300
    assert {case.risk for case in cases} == RISKS
    assert languages["zh"] >= 100 and languages["en"] >= 100 and languages["zh-Hant"] >= 20
    assert len({case.app_package for case in cases}) >= 100
    assert len({case.app_kind for case in cases}) >= 30
    assert len({_shape(case) for case in cases}) == len(cases)


def test_the_held_out_set_has_apps_and_words_of_its_own() -> None:
    cases = read_cases("heldout")
    known = {case.app_package for corpus in ("dev", "harmless") for case in read_cases(corpus)}
    packages = {case.app_package for case in cases}
    assert Counter(case.irreversible for case in cases).keys() == {True, False}
    assert min(Counter(case.irreversible for case in cases).values()) >= 150
    assert len(packages - known) > 0.9 * len(packages)
    assert {case.risk for case in cases if case.irreversible} == RISKS
    shapes = [_shape(case) for corpus in ("dev", "harmless") for case in read_cases(corpus)]
    assert {_shape(case) for case in cases}.isdisjoint(shapes)


def test_the_harmless_steps_are_many_and_of_the_same_kinds_of_app() -> None:
    cases = read_cases("harmless")
    kinds = {case.app_kind for case in cases}
    assert len(cases) >= 500
    assert not any(case.irreversible for case in cases)
    assert len(kinds & {case.app_kind for case in read_cases("dev")}) >= 30
    assert {case.action["action"] for case in cases} >= {"CLICK", "TYPE", "SWIPE", "HOT_KEY"}
    assert len({_shape(case) for case in cases}) == len(cases)


def test_each_fresh_set_is_large_and_the_last_has_apps_of_its_own() -> None:
    packages: list[set[str]] = []
    for risky, harmless in (("dev3", "harmless3"), ("dev4", "harmless4")):
        asked, allowed = read_cases(risky), read_cases(harmless)
        assert all(case.irreversible for case in asked)
        assert not any(case.irreversible for case in allowed)
        assert min(len(asked), len(allowed)) >= 300
        assert {case.risk for case in asked} == RISKS
        assert {case.lang for case in asked} == {"zh", "en", "zh-Hant"}
        assert len({_shape(case) for case in asked + allowed}) == len(asked + allowed)
        packages.append({case.app_package for case in asked + allowed})
    assert len(packages[1] - packages[0]) > 0.9 * len(packages[1])


def _shape(case: Case) -> str:
    words = "" if case.screen is None else case.screen.words()
    return re.sub(r"\s+", " ", f"{case.app_package} {case.task} {case.action} {words}")


def test_every_secret_is_on_its_screen_and_apart_from_what_must_stay_readable() -> None:
    cases = read_cases("private")
    for case in cases:
        assert case.screen is not None, case.id
        words = case.screen.words()
        assert [s.text for s in case.secrets if s.text not in words] == [], case.id
        assert [text for text in case.public if text not in words] == [], case.id
        assert [t for t in case.public if any(s.text in t for s in case.secrets)] == [], case.id
    kinds = Counter(secret.kind for case in cases for secret in case.secrets)
    assert kinds.total() >= 200 and len(kinds) == 12
    assert {case.lang for case in cases} == {"zh", "en"}
