"""What was sent to a phone is on record: small, without typed words, at no extra round trip."""

from __future__ import annotations

import pytest

from device.command_record import MAX_CHARS, MAX_COMMANDS, CommandRecord, SentCommand, note_command
from device.errors import ConnectionLostError
from device.quoting import command
from device.scripted_adb_server import Reply, ScriptedAdbServer


def test_commands_are_kept_with_their_results_and_questions_with_the_size_of_the_answer(
    adb: ScriptedAdbServer,
) -> None:
    adb.reply = lambda command: Reply(stdout=b"what the\nscreen says", exit_code=3)
    transport = adb.transport()
    record = CommandRecord()
    with record.recording():
        transport.run(command("input", "tap", 1, 2))
        transport.read(command("dumpsys", "window"))
        transport.run(command("input", "text", "my secret"), shown="input text …")
    transport.run(command("input", "keyevent", 4))
    sent = record.to_wire()["commands"]
    assert all(one.pop("took_s") >= 0 for one in sent)
    assert sent == [
        {
            "command": "input tap 1 2",
            "exit_code": 3,
            "output_bytes": 20,
            "output": "what the screen says",
        },
        {"command": "dumpsys window", "exit_code": 3, "output_bytes": 20},
        {"command": "input text …", "exit_code": 3, "output_bytes": 20},
    ]
    assert len(adb.commands) == 4


def test_a_command_that_was_lost_is_on_record_with_the_code(adb: ScriptedAdbServer) -> None:
    adb.reply = lambda command: Reply(then="cut")
    record = CommandRecord()
    with record.recording(), pytest.raises(ConnectionLostError):
        adb.transport().run(command("input", "tap", 1, 2))
    (sent,) = record.to_wire()["commands"]
    assert (sent["command"], sent["error"]) == ("input tap 1 2", "device.connection_lost")


def test_a_record_is_small_however_much_is_sent(adb: ScriptedAdbServer) -> None:
    adb.reply = lambda command: Reply(stdout=b"x" * 5000)
    record = CommandRecord()
    with record.recording():
        adb.transport().run(command("echo", "y" * 5000))
        for number in range(MAX_COMMANDS + 5):
            note_command(SentCommand(f"command {number}", 0.0))
    wire = record.to_wire()
    assert (len(wire["commands"]), wire["commands_left_out"]) == (MAX_COMMANDS, 6)
    assert len(wire["commands"][0]["command"]) == len(wire["commands"][0]["output"]) == MAX_CHARS
    assert CommandRecord().to_wire() == {}
