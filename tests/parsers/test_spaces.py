"""The size a picture is sent at, and that nobody needs to resize it again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.action import Size
from parsers.base import ImageNeeds, PixelSpace, RelativeSpace
from parsers.spaces import plan_size, smart_resize

MIN_PIXELS, MAX_PIXELS = 100 * 28 * 28, 16384 * 28 * 28


@pytest.mark.parametrize(
    ("size", "factor", "resized"),
    [
        ((1080, 2400), 28, (1092, 2408)),
        ((2400, 1080), 28, (2408, 1092)),
        ((1440, 3200), 28, (1428, 3192)),
        ((800, 1280), 28, (812, 1288)),
        ((1022, 1522), 28, (1008, 1512)),  # both sides lie halfway between two multiples
        ((1050, 1050), 28, (1064, 1064)),  # 37.5 blocks go to the even 38
        ((1080, 2400), 32, (1088, 2400)),
        ((100, 100), 28, (280, 280)),  # below the minimum: grown
        ((8000, 8000), 28, (3584, 3584)),  # above the maximum: shrunk
    ],
)
def test_sides_become_multiples_by_one_pinned_rule(
    size: tuple[int, int], factor: int, resized: tuple[int, int]
) -> None:
    assert smart_resize(*size, factor, MIN_PIXELS, MAX_PIXELS) == resized


@given(st.integers(100, 6000), st.integers(100, 6000), st.sampled_from([28, 32]))
def test_a_planned_size_is_left_alone_by_the_model_s_own_processor(
    width: int, height: int, factor: int
) -> None:
    once = smart_resize(width, height, factor, MIN_PIXELS, MAX_PIXELS)
    assert all(side % factor == 0 for side in once)
    assert once[0] * once[1] <= MAX_PIXELS
    assert smart_resize(*once, factor, MIN_PIXELS, MAX_PIXELS) == once


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (1, 500)])
def test_an_impossible_picture_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"positive|sides"):
        smart_resize(*size, 28, MIN_PIXELS, MAX_PIXELS)


def test_a_relative_dialect_is_sent_the_screenshot_as_it_is() -> None:
    space = RelativeSpace(scale=1000, maximum=1000)
    assert plan_size(space, ImageNeeds(), 1080, 2400) == Size(width_px=1080, height_px=2400)


def test_the_longest_side_is_kept_with_the_aspect() -> None:
    space = RelativeSpace(scale=1000, maximum=1000)
    planned = plan_size(space, ImageNeeds(max_side_px=1120), 1080, 2400)
    assert planned == Size(width_px=504, height_px=1120)


def test_a_pixel_dialect_is_sent_multiples_of_its_factor() -> None:
    space = PixelSpace(factor=28, min_pixels=MIN_PIXELS, max_pixels=MAX_PIXELS)
    assert plan_size(space, ImageNeeds(), 1080, 2400) == Size(width_px=1092, height_px=2408)
