"""Selectors of uiautomator2's server find what UiSelector would."""

from __future__ import annotations

from typing import Any

import pytest

from device.virtual_phone.agents.automation import Automation, RpcError
from device.virtual_phone.agents.selectors import SelectorError, find_nodes

TREE = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
<node index="0" text="" class="android.widget.ListView" resource-id="a:id/list" content-desc="">
<node index="0" text="First" class="android.widget.TextView" clickable="true" content-desc="one"/>
<node index="1" text="Second" class="android.widget.TextView" clickable="false" content-desc=""/>
<node index="2" text="second half" class="android.widget.Button" content-desc="Two"/>
</node><node index="1" text="First" class="android.widget.Button" content-desc="other"/>
</hierarchy>"""


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ({"text": "First"}, ["one", "other"]),
        ({"text": "First", "instance": 1}, ["other"]),
        ({"text": "first"}, []),
        ({"textContains": "FIR", "clickable": True}, ["one"]),
        ({"textStartsWith": "second", "className": "android.widget.Button"}, ["Two"]),
        ({"textMatches": "[A-Z].*half"}, []),
        ({"descriptionMatches": "T.o", "mask": 256}, ["Two"]),
        ({"resourceId": "a:id/list", "childOrSibling": ["child"],
          "childOrSiblingSelector": [{"index": 2}]}, ["Two"]),
        ({"text": "Second", "childOrSibling": ["sibling"],
          "childOrSiblingSelector": [{"text": "First"}]}, ["one"]),
    ],
)  # fmt: skip
def test_a_selector_finds_its_nodes(selector: dict[str, Any], found: list[str]) -> None:
    assert [node.get("content-desc") for node in find_nodes(TREE, selector)] == found


@pytest.mark.parametrize("selector", [{"colour": "red"}, {"textMatches": "("}, {"text": 7}])
def test_a_selector_that_can_t_be_read_is_refused(selector: dict[str, Any]) -> None:
    with pytest.raises(SelectorError):
        find_nodes(TREE, selector)


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("nope", [], -32601),
        ("click", [1], -32602),
        ("setOrientation", ["sideways"], -32602),
        ("objInfo", [{"text": "nowhere"}], -32001),
        ("injectInputEvent", [9, 1, 1, 0], -32602),
    ],
)
async def test_a_call_that_fails_says_how(
    system: Any, method: str, params: list[Any], code: int
) -> None:
    with pytest.raises(RpcError) as raised:
        await Automation(system).call(method, params)
    assert raised.value.code == code
    assert system.journal.entries(kind="gesture") == []


async def test_the_phone_is_turned_and_put_to_sleep(system: Any) -> None:
    automation = Automation(system)
    await automation.call("setOrientation", ["left"])
    assert system.phone.rotation == 1
    await automation.call("freezeRotation", [False])
    assert system.phone.rotation == 0
    await automation.call("sleep", [])
    assert (await automation.call("deviceInfo", []))["screenOn"] is False
    await automation.call("wakeUp", [])
    assert system.phone.wakefulness == "Awake"
