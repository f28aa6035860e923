"""Two never drive one phone: leases of clients, tasks, and single actions between them."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from device.claims import ForeignClaim, PhoneClaims
from device.scripted_device import Call, ScriptedDevice
from server.leases import LeaseLostError, Leases, PhoneLeasedError
from tests.device.test_claims import other_process, said
from tests.server.http.conftest import AWAKE, COMPLETE, INSTALLED, ScriptedPhones, Service, Start

TAP = {"action": {"action": "CLICK", "point": [500, 250]}}


def take(service: Service, **body: Any) -> dict[str, Any]:
    answer = service.raw.post(f"/v1/devices/{service.phone.serial}/lease", json=body)
    assert answer.status_code == 201, answer.text
    lease: dict[str, Any] = answer.json()
    return lease


def act(service: Service, **body: Any) -> Any:
    return service.raw.post(f"/v1/devices/{service.phone.serial}/actions", json={**TAP, **body})


def health(service: Service) -> dict[str, Any]:
    answer: dict[str, Any] = service.raw.get(f"/v1/devices/{service.phone.serial}").json()
    return answer


def test_an_action_reaches_the_phone_in_its_own_pixels(start: Start) -> None:
    service = start([])
    answer = act(service)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert service.phone.inputs() == [Call("tap", (540, 600))]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"action": "CLICK"}, "action.invalid"),
        ({"action": "CLICK", "point": [5000, 1]}, "action.invalid"),
        ({"action": "COMPLETE"}, "request.invalid"),
        ({"action": "WAIT", "value": 3600}, "request.invalid"),
        ({"action": "AWAKE", "value": "no such app"}, "device.app_not_found"),
    ],
)
def test_what_is_no_action_for_a_phone_never_reaches_it(
    start: Start, action: dict[str, Any], code: str
) -> None:
    service = start([])
    answer = act(service, action=action)
    status, found = service.error_of(answer)
    assert found == code or code == "action.invalid"
    assert 400 <= status < 500
    assert service.phone.inputs() == []


def test_a_lease_keeps_everyone_else_from_the_phone_and_says_until_when(start: Start) -> None:
    service = start([])
    lease = take(service, holder="bench 3", lasts_s=60)
    shown = health(service)["lease"]
    assert shown == {"kind": "client", "holder": "bench 3", "expires_at": lease["expires_at"]}
    assert lease["lease_id"] not in service.raw.get("/v1/devices").text
    for answer in (
        act(service),
        act(service, lease_id="guessed"),
        service.raw.post(f"/v1/devices/{service.phone.serial}/lease", json={"holder": "other"}),
        service.raw.post("/v1/tasks", json={"task": "打开设置"}),
    ):
        status, code = service.error_of(answer)
        assert (status, code) in {(409, "device.leased"), (409, "device.lease_lost")}
    assert service.phone.inputs() == []
    assert act(service, lease_id=lease["lease_id"]).status_code == 200


def test_a_lease_is_renewed_and_given_back_only_by_its_holder(start: Start) -> None:
    service = start([])
    lease = take(service, holder="a", lasts_s=60)
    renewed = take(service, holder="a", lasts_s=600, lease_id=lease["lease_id"])
    assert renewed["lease_id"] == lease["lease_id"]
    assert renewed["expires_at"] > lease["expires_at"]
    path = f"/v1/devices/{service.phone.serial}/lease/release"
    assert service.error_of(service.raw.post(path, json={"lease_id": "x"})) == (
        409,
        "device.lease_lost",
    )
    released = service.raw.post(path, json={"lease_id": lease["lease_id"]})
    assert released.json() == {"serial": service.phone.serial, "lease": None}
    assert act(service).status_code == 200
    assert service.error_of(act(service, lease_id=lease["lease_id"])) == (409, "device.lease_lost")


def test_a_lease_runs_out_by_itself(start: Start) -> None:
    service = start([])
    lease = take(service, holder="a", lasts_s=0.1)
    time.sleep(0.15)
    assert health(service)["lease"] is None
    assert service.error_of(act(service, lease_id=lease["lease_id"])) == (409, "device.lease_lost")
    assert act(service).status_code == 200


def test_the_holders_own_task_runs_and_keeps_single_actions_out(start: Start) -> None:
    looking, go_on = threading.Event(), threading.Event()

    def wait_in_open(call: Call) -> None:
        if call.name == "open_app":
            looking.set()
            go_on.wait(10)

    phone = ScriptedDevice(["1", "2"], installed=INSTALLED, on_call=wait_in_open)
    service = start([AWAKE, COMPLETE], phones=ScriptedPhones(phone))
    lease = take(service, holder="a", lasts_s=60)
    body = {"task": "打开设置", "lease_id": lease["lease_id"]}
    task = service.raw.post("/v1/tasks", json=body).json()
    assert looking.wait(10)
    assert health(service)["lease"] == {
        "kind": "task", "holder": task["task_id"], "expires_at": None,
    }  # fmt: skip
    assert service.error_of(act(service, lease_id=lease["lease_id"])) == (409, "device.leased")
    go_on.set()
    done = service.wait_for(task["task_id"], "done")
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY"


def test_a_task_waits_for_a_lease_and_ends_its_wait_when_it_is_stopped() -> None:
    leases = Leases()
    lease = leases.take("S1", "a", 60)

    class StoppedError(Exception):
        pass

    def stop() -> None:
        raise StoppedError

    with pytest.raises(StoppedError), leases.hold("S1", "t1", lambda: False, while_waiting=stop):
        raise AssertionError("it never had the phone")
    leases.give_back("S1", lease.id)
    with leases.hold("S1", "t1", lambda: False, while_waiting=stop):
        assert leases.holder("S1") == "t1"


def test_a_phone_that_another_process_drives_is_refused_by_its_holder(tmp_path: Path) -> None:
    with other_process(tmp_path, "S1") as process:
        assert said(process) == "None"
        leases = Leases(PhoneClaims(tmp_path))
        until = "2026-11-30T23:00:00.000Z"
        seen = {"kind": "process", "holder": "bench 3", "expires_at": until}
        assert leases.describe("S1") == seen
        with pytest.raises(PhoneLeasedError, match="bench 3 of another LocalServer"):
            leases.take("S1", "me", 60)
        with pytest.raises(PhoneLeasedError), leases.single_input("S1", wait_s=0):
            raise AssertionError("it never had the phone")
        waits: list[None] = []

        def wait() -> None:
            waits.append(None)
            if len(waits) == 3:
                raise InterruptedError

        hold = leases.hold("S1", "t1", lambda: False, while_waiting=wait)
        with pytest.raises(InterruptedError), hold:
            raise AssertionError("it never had the phone")
        assert leases.take("S2", "me", 60).holder == "me"
    assert leases.take("S1", "me", 60).holder == "me"


def test_other_processes_get_a_phone_when_nobody_here_drives_it_any_more(tmp_path: Path) -> None:
    """A task, an input and a lease; the lease runs out with nobody asking."""
    leases, others = Leases(PhoneClaims(tmp_path)), PhoneClaims(tmp_path)
    with leases.hold("S1", "t1", lambda: True):
        assert others.foreign("S1") == ForeignClaim("task t1")
        with leases.single_input("S1"):
            pass
        assert others.foreign("S1") == ForeignClaim("task t1")
    assert others.foreign("S1") is None
    with leases.single_input("S1"):
        assert others.foreign("S1") == ForeignClaim("a single input")
    assert others.foreign("S1") is None
    lease = leases.take("S1", "bench", 60)
    with leases.single_input("S1", lease_id=lease.id):
        pass
    assert others.foreign("S1") == ForeignClaim("bench", lease.expires_at)
    leases.give_back("S1", lease.id)
    assert others.foreign("S1") is None
    leases.take("S1", "bench", 0.2)
    until = time.monotonic() + 5
    while others.foreign("S1") is not None:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_one_of_many_clients_gets_the_phone() -> None:
    leases = Leases()
    got: list[str] = []
    gate = threading.Barrier(16)

    def client(name: str) -> None:
        gate.wait()
        try:
            leases.take("S1", name, 60)
        except PhoneLeasedError:
            return
        got.append(name)

    threads = [threading.Thread(target=client, args=(str(n),)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1
    with pytest.raises(LeaseLostError):
        leases.take("S1", "x", 60, lease_id="not one")
