"""A full or broken disk: refused before the model is paid, nothing torn, then it goes on."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from server.errors import StorageError, StorageFullError
from server.records.faulty_disk import FaultyDisk
from server.records.store import RESERVE_BYTES, RESERVE_NAME, RecordFiles
from server.upkeep import verify_session
from tests.server.records.conftest import Start
from tests.server.records.house import CountingModel, take_step


class FullDisk(FaultyDisk):
    """Says how much room there is."""

    room_bytes = 10**9

    def free_bytes(self, folder: object) -> int:
        return self.room_bytes


def test_a_full_disk_refuses_steps_and_sessions_before_the_model_is_paid(
    start: Start, model: CountingModel
) -> None:
    disk = FullDisk()
    server = start(disk=disk, min_free_bytes=64 << 20)
    session_id = server.get_session({"task": "t"})
    assert take_step(server, session_id)["current_step"] == 1
    disk.room_bytes = 60 << 20
    with pytest.raises(StorageFullError, match="only 60 MiB are free") as caught:
        take_step(server, session_id, 2)
    assert (caught.value.code, caught.value.status) == ("storage.full", 507)
    with pytest.raises(StorageFullError):
        server.get_session({"task": "t"})
    assert model.calls == 1
    disk.room_bytes = 10**9
    assert take_step(server, session_id, 2)["current_step"] == 2


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("short", [False, True])
def test_a_fault_at_any_call_tears_nothing_and_the_session_goes_on(
    start: Start, model: CountingModel, error: int, short: bool
) -> None:
    disk = FaultyDisk()
    server = start(disk=disk)
    session_id = server.get_session({"task": "t"})
    take_step(server, session_id, 1, idempotency_key="first")
    disk.calls = 0
    take_step(server, session_id, 2)
    calls_per_step = disk.calls
    assert calls_per_step > 10
    files = RecordFiles(server.settings.log_dir, server.settings.image_dir)
    number, failures = 3, 0
    for fail_at in range(1, calls_per_step + 1):
        key = f"key-{fail_at}"
        disk.calls, disk._fail_at, disk._error, disk._short = 0, fail_at, error, short
        paid = model.calls
        try:
            answer = take_step(server, session_id, number, idempotency_key=key)
        except StorageError as fault:
            failures += 1
            full = error in (errno.ENOSPC, errno.EDQUOT)
            assert fault.code == ("storage.full" if full else "storage.failed")
            assert model.calls - paid <= 1
            disk.heal()
            answer = take_step(server, session_id, number, idempotency_key=key)
        disk.heal()
        assert answer["current_step"] == number
        assert take_step(server, session_id, number, idempotency_key=key) == answer
        verdict = verify_session(files, session_id)
        assert (verdict.findings, verdict.steps) == ((), number)
        number += 1
    assert failures >= calls_per_step - 3
    assert take_step(server, session_id, 1, idempotency_key="first")["current_step"] == 1


class BrimmingDisk(FaultyDisk):
    """Takes no byte while it is full, unless the reserve was given up."""

    is_full = False
    reserve: Path

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        if self.is_full and self.reserve.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(descriptor, data)


def test_a_disk_that_fills_up_in_mid_step_still_takes_the_record_of_the_failure(
    start: Start, model: CountingModel
) -> None:
    disk = BrimmingDisk()
    server = start(disk=disk)
    disk.reserve = server.settings.log_dir / RESERVE_NAME
    assert disk.reserve.stat().st_size == RESERVE_BYTES
    session_id = server.get_session({"task": "t"})
    take_step(server, session_id)
    disk.is_full = True
    with pytest.raises(StorageFullError):
        take_step(server, session_id, 2)
    assert model.calls == 1
    assert not disk.reserve.exists()
    last = server.read_events(session_id)[-1]
    assert (last["kind"], last["data"]["error"]["code"]) == ("step_failed", "storage.full")
    disk.is_full = False
    assert take_step(server, session_id, 2)["current_step"] == 2
    assert disk.reserve.stat().st_size == RESERVE_BYTES
