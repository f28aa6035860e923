"""Looking for what is not on the screen: wait, scroll, go back; and the slides that scroll."""

from __future__ import annotations

from parsers.action import Back, Point, Slide, Wait
from server.model.demo.clauses import Direction
from server.model.demo.scene import Act, Failed, Move, Scene

MAX_SLIDES = 5
FEW_TEXTS = 3
SIDE_ZH: dict[Direction, str] = {"up": "上", "down": "下", "left": "左", "right": "右"}
"""The sides in Chinese."""


def slide(side: Direction) -> Slide:
    """A finger movement in the middle of the screen that reveals `side`."""
    ends: dict[Direction, tuple[tuple[int, int], tuple[int, int]]] = {
        "down": ((500, 700), (500, 300)),
        "up": ((500, 350), (500, 750)),
        "right": ((800, 500), (200, 500)),
        "left": ((200, 500), (800, 500)),
    }
    (x1, y1), (x2, y2) = ends[side]
    return Slide(point1=Point(x=x1, y=y1), point2=Point(x=x2, y=y2))


def seek(named: str, scene: Scene, *, may_go_back: bool = False) -> Move:
    """Look for something that is not on the screen: wait for it, scroll for it, perhaps go back."""
    if scene.fresh and len(scene.screen.content) < FEW_TEXTS:
        return Act(Wait(value=1), "load", scene.tell("等待页面加载", "wait for the page to load"))
    if scene.screen.keyboard_top_px is not None and not scene.did("hide"):
        return Act(Back(), "hide", scene.tell("收起键盘", "hide the keyboard"))
    looking = scene.tell(f"滑动寻找{named}", f"scroll to find {named}")
    if (
        scene.did("seek", "reseek", "lastseek")
        and scene.memory.times < MAX_SLIDES
        and scene.changed
    ):
        return Act(slide("down"), scene.memory.did, looking)
    if (scene.did("seek") and scene.memory.times == 1) or scene.did("seekup"):
        # The list was at its end from the start: look above.
        if scene.tried("seekup") < MAX_SLIDES - 1 and (scene.changed or scene.did("seek")):
            return Act(slide("up"), "seekup", looking)
    elif not scene.did("seek", "reseek", "lastseek", "seekup"):
        word = "lastseek" if scene.did("upin") else "reseek" if scene.did("up") else "seek"
        return Act(slide("down"), word, looking)
    if may_go_back and scene.memory.at > 0 and not scene.did("reseek", "lastseek", "up"):
        return Act(Back(), "up", scene.tell(f"返回上一页寻找{named}", f"go back to find {named}"))
    return Failed(
        scene.tell(f"在屏幕上找不到{named}", f"{named} is nowhere on the screen")
        + (f" ({scene.error})" if scene.error else "")
    )
