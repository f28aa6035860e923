"""Things that carry no text, told by their pixels: switches and round action buttons."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from server.model.demo.screen import Box, Pixels, Screen

SWITCH_HEIGHT_SHARE = (0.025, 0.125)
"""Of the screen's shorter side: 16 to 32 dp on screens of 290 to 800 dp."""
SWITCH_ASPECT = (1.35, 2.4)
FIELD_WIDTH_SHARE = 0.45
FIELD_HEIGHT_DP = (32.0, 60.0)
PICTURE_LEAST_DP = 72.0
BUTTON_SIZE_DP = (40.0, 100.0)
COLOUR_STEP = 18
FAINT_STEP = 9
SATURATED = 60
END_SHARE = 0.07


@dataclass(frozen=True, slots=True)
class Switch:
    """A two-state slider and how it stands."""

    box: Box
    on: bool


def find_switches(screen: Screen) -> list[Switch]:
    """All switches in the right 40 % of the screen, top to bottom."""
    left_px = int(screen.width_px * 0.6)
    region = screen.pixels[:, left_px:]
    switches = []
    for box in _shapes(region):
        share = box.height / min(screen.width_px, screen.height_px)
        if not SWITCH_HEIGHT_SHARE[0] <= share <= SWITCH_HEIGHT_SHARE[1]:
            continue
        if not SWITCH_ASPECT[0] <= box.width / box.height <= SWITCH_ASPECT[1]:
            continue
        on = _read_switch(region, box)
        if on is not None:
            moved = Box(box.left + left_px, box.top, box.right + left_px, box.bottom)
            switches.append(Switch(moved, on))
    return sorted(switches, key=lambda s: s.box.top)


def find_round_button(screen: Screen) -> Box | None:
    """The floating action button: a strongly coloured, squarish shape in the bottom right corner.

    It has a picture instead of a word, so OCR cannot see it.
    """
    left_px, top_px = int(screen.width_px * 0.55), int(screen.height_px * 0.55)
    corner = screen.pixels[top_px:, left_px:]
    strong = (np.ptp(corner.astype(np.int16), axis=2) > SATURATED).astype(np.uint8)
    best: Box | None = None
    count, _, stats, _ = cv2.connectedComponentsWithStats(strong, connectivity=4)
    for x, y, width, height, area in stats[1:count]:
        size_dp = max(width, height) / screen.px_per_dp
        if not BUTTON_SIZE_DP[0] <= size_dp <= BUTTON_SIZE_DP[1]:
            continue
        if not 0.75 <= width / height <= 1.33 or area < 0.55 * width * height:
            continue
        if best is None or width * height > best.width * best.height:
            best = Box(left_px + x, top_px + y, left_px + x + width, top_px + y + height)
    return best


def find_wide_boxes(screen: Screen) -> list[Box]:
    """Closed boxes of the size of an input field, top to bottom."""
    found = [
        box
        for box in _shapes(screen.pixels, FAINT_STEP)
        if box.width > FIELD_WIDTH_SHARE * screen.width_px
        and FIELD_HEIGHT_DP[0] <= box.height / screen.px_per_dp <= FIELD_HEIGHT_DP[1]
    ]
    return sorted(found, key=lambda box: box.top)


def find_pictures(screen: Screen) -> list[Box]:
    """Large squarish shapes below the top bar: the tiles of a picture grid, in reading order."""
    least_px = PICTURE_LEAST_DP * screen.px_per_dp
    found = [
        box
        for box in _shapes(screen.pixels)
        if min(box.width, box.height) >= least_px
        and box.width <= 0.7 * screen.width_px
        and 0.5 <= box.width / box.height <= 2.0
        and box.top > 60 * screen.px_per_dp
    ]
    row_px = least_px / 2
    return sorted(found, key=lambda box: (round(box.top / row_px), box.left))


def _shapes(region: Pixels, step: int = COLOUR_STEP) -> list[Box]:
    """Boxes of the closed shapes in a region, by edges where a colour changes by over `step`."""
    edges = np.zeros(region.shape[:2], dtype=bool)
    wide = region.astype(np.int16)
    # Over two pixels, because the edge of a rounded shape is smoothed over one.
    edges[:, 1:-1] |= np.abs(wide[:, 2:] - wide[:, :-2]).max(axis=2) > step
    edges[1:-1, :] |= np.abs(wide[2:] - wide[:-2]).max(axis=2) > step
    grown = cv2.dilate(edges.astype(np.uint8), np.ones((3, 3), dtype=np.uint8))
    contours, _ = cv2.findContours(grown, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = []
    for contour in contours:
        x, y, width, height = cv2.boundingRect(contour)
        if width >= 12 and height >= 8:
            boxes.append(Box(x + 2, y + 2, x + width - 2, y + height - 2))
    return boxes


def _read_switch(region: Pixels, box: Box) -> bool | None:
    """Whether the thumb is on the right; None when there is no thumb in a track.

    Where the track is thinner than the thumb, only the thumb reaches the upper edge of the box.
    Else the pixels inside fall into two colours: the track reaches both ends, the thumb is a
    compact blob at one of them, whether filled, outlined, light or dark.
    """
    inside = region[int(box.top) : int(box.bottom), int(box.left) : int(box.right)]
    values = inside.astype(np.float32)
    height, width = values.shape[:2]
    upper = values[int(height * 0.1) : int(height * 0.18) + 1]
    outside = np.abs(upper - values[0, 0]).max(axis=2).min(axis=0) <= COLOUR_STEP
    side = _side_of_blob(~outside, height, width)
    if side is not None:
        return side
    edge = int(width * END_SHARE)  # the track's round ends and outline
    middle = values[int(height * 0.4) : int(height * 0.6), edge : width - edge]
    labels = _two_colours(middle.reshape(-1, 3))
    if labels is None:
        return None
    columns = labels.reshape(middle.shape[:2]).mean(axis=0)
    for covered in (columns > 0.5, columns < 0.5):
        side = _side_of_blob(np.pad(covered, edge), height, width)
        if side is not None:
            return side
    return None


def _side_of_blob(covered: NDArray[np.bool_], height: int, width: int) -> bool | None:
    """True if one compact, thumb-sized run of columns stands right of the middle, False if left."""
    places = np.flatnonzero(covered)
    if places.size == 0:
        return None
    first, last = int(places[0]), int(places[-1])
    length = last - first + 1
    if places.size < 0.9 * length or not 0.3 * height <= length <= 1.25 * height:
        return None
    centre = (first + last) / 2 / width
    return None if 0.42 < centre < 0.58 else centre > 0.5


def _two_colours(values: NDArray[np.float32]) -> NDArray[np.int32] | None:
    """Label each pixel 0 or 1 by its nearer of two colours; None if there is only one."""
    if float(np.ptp(values, axis=0).max()) < COLOUR_STEP:
        return None
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 8, 1.0)
    cv2.setRNGSeed(1)
    start = np.zeros((values.shape[0], 1), dtype=np.int32)
    spread = values.sum(axis=1)
    start[spread > (spread.min() + spread.max()) / 2] = 1
    _, labels, _ = cv2.kmeans(values, 2, start, criteria, 1, cv2.KMEANS_USE_INITIAL_LABELS)
    return np.asarray(labels, dtype=np.int32).ravel()
