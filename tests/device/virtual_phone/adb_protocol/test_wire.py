"""The packet rules, byte by byte, from the side of an adb server."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

CNXN, OPEN, OKAY, CLSE, WRTE, AUTH = (
    0x4E584E43, 0x4E45504F, 0x59414B4F, 0x45534C43, 0x45545257, 0x48545541,
)  # fmt: skip


class Peer:
    """A bare adb server's end of a connection."""

    def __init__(self, port: int, version: int = 0x01000001, limit: int = 1 << 20) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.checksum = version < 0x01000001
        self.send(CNXN, version, limit, b"host::\0")
        self.greeting = self.receive()

    def send(self, command: int, arg0: int, arg1: int, data: bytes = b"") -> None:
        total = sum(data) if self.checksum else 0
        head = struct.pack("<6I", command, arg0, arg1, len(data), total, command ^ 0xFFFFFFFF)
        self.socket.sendall(head + data)

    def receive(self) -> tuple[int, int, int, bytes]:
        head = self._exactly(24)
        command, arg0, arg1, length, total, magic = struct.unpack("<6I", head)
        assert magic == command ^ 0xFFFFFFFF
        data = self._exactly(length)
        if self.checksum:
            assert total == sum(data)
        return command, arg0, arg1, data

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, "the phone closed the connection"
            data += part
        return data

    def open(self, service: bytes, local: int = 7) -> int:
        self.send(OPEN, local, 0, service + b"\0")
        command, remote, to, _ = self.receive()
        assert (command, to) == (OKAY, local)
        return remote

    def read_all(self, remote: int, local: int = 7) -> list[bytes]:
        chunks: list[bytes] = []
        while True:
            command, from_id, to, data = self.receive()
            assert (from_id, to) == (remote, local)
            if command == CLSE:
                self.send(CLSE, local, remote)
                return chunks
            assert command == WRTE
            chunks.append(data)
            self.send(OKAY, local, remote)


@pytest.fixture
def peer(phone: Any) -> Iterator[Peer]:
    connected = Peer(phone.adb_port)
    yield connected
    connected.socket.close()


def test_the_greeting_offers_only_what_is_there(peer: Peer) -> None:
    command, version, limit, banner = peer.greeting
    assert (command, version, limit) == (CNXN, 0x01000001, 1 << 20)
    kind, _, fields = banner.decode().partition("::")
    assert kind == "device"
    features = dict(part.split("=") for part in fields.split(";"))["features"].split(",")
    assert sorted(features) == [
        "abb_exec", "cmd", "fixed_push_mkdir", "ls_v2", "shell_v2", "stat_v2",
    ]  # fmt: skip


def test_an_old_peer_gets_byte_sums_and_its_own_payload_limit(phone: Any) -> None:
    old = Peer(phone.adb_port, version=0x01000000, limit=4096)
    chunks = old.read_all(old.open(b"exec:screencap -p"))
    assert max(map(len, chunks)) == 4096
    assert b"".join(chunks).endswith(b"IEND\xaeB`\x82")
    old.socket.close()


def test_data_is_acknowledged_before_it_is_answered(peer: Peer) -> None:
    remote = peer.open(b"exec:cat")
    peer.send(WRTE, 7, remote, b"ping")
    assert peer.receive() == (OKAY, remote, 7, b"")
    assert peer.receive() == (WRTE, remote, 7, b"ping")
    peer.send(OKAY, 7, remote)
    peer.send(CLSE, 7, remote)
    assert peer.receive() == (CLSE, remote, 7, b"")


def test_one_write_is_in_flight_until_it_is_acknowledged(peer: Peer) -> None:
    remote = peer.open(b"exec:echo a; echo b")
    assert peer.receive() == (WRTE, remote, 7, b"a\n")
    peer.socket.settimeout(0.2)
    with pytest.raises(TimeoutError):
        peer.receive()
    peer.socket.settimeout(5)
    peer.send(OKAY, 7, remote)
    assert peer.receive() == (WRTE, remote, 7, b"b\n")
    peer.socket.settimeout(0.2)
    with pytest.raises(TimeoutError):
        peer.receive()
    peer.socket.settimeout(5)
    peer.send(OKAY, 7, remote)
    assert peer.receive() == (CLSE, remote, 7, b"")


@pytest.mark.parametrize("name", [b"nosuch:", b"tcp:80", b"localabstract:x", b"host:devices", b""])
def test_an_unknown_service_is_refused(peer: Peer, name: bytes) -> None:
    peer.send(OPEN, 9, 0, name + b"\0")
    assert peer.receive() == (CLSE, 0, 9, b"")


def test_shell_packets_may_be_split_anywhere(peer: Peer) -> None:
    remote = peer.open(b"shell,v2,raw:cat")
    stream = struct.pack("<BI", 0, 5) + b"hello" + struct.pack("<BI", 4, 0)
    echoed: list[bytes] = []
    for start in range(len(stream)):
        peer.send(WRTE, 7, remote, stream[start : start + 1])
        while (packet := peer.receive())[0] == WRTE:
            echoed.append(packet[3])
            peer.send(OKAY, 7, remote)
        assert packet == (OKAY, remote, 7, b"")
    reply = b"".join([*echoed, *peer.read_all(remote)])
    assert reply == struct.pack("<BI", 1, 5) + b"hello" + struct.pack("<BI", 3, 1) + b"\0"


def test_abb_arguments_are_separated_by_nul_bytes(peer: Peer) -> None:
    remote = peer.open(b"abb_exec:settings\0get\0system\0font_scale")
    assert b"".join(peer.read_all(remote)) == b"1.0\n"


def test_sync_v1_answers_a_missing_file_with_zeros(peer: Peer) -> None:
    remote = peer.open(b"sync:")
    path = b"/sdcard/nope"
    peer.send(WRTE, 7, remote, b"STAT" + struct.pack("<I", len(path)) + path)
    assert peer.receive() == (OKAY, remote, 7, b"")
    assert peer.receive() == (WRTE, remote, 7, b"STAT" + bytes(12))
    peer.send(OKAY, 7, remote)
    peer.send(WRTE, 7, remote, b"STA2" + struct.pack("<I", len(path)) + path)
    assert peer.receive() == (OKAY, remote, 7, b"")
    reply = peer.receive()[3]
    assert (len(reply), reply[:8]) == (72, b"STA2" + struct.pack("<I", 2))


def test_nothing_on_the_phone_opens_a_stream_to_the_host(peer: Peer) -> None:
    remote = peer.open(b"reverse:forward:tcp:1;tcp:2")
    assert b"".join(peer.read_all(remote)).startswith(b"FAIL")
    peer.socket.settimeout(0.2)
    with pytest.raises(TimeoutError):
        peer.receive()


@pytest.mark.parametrize(
    "garbage",
    [b"GET / HTTP/1.1\r\n\r\n" + bytes(30), b"\xff" * 24,
     struct.pack("<6I", OPEN, 1, 0, 1 << 30, 0, OPEN ^ 0xFFFFFFFF)],
)  # fmt: skip
def test_garbage_ends_only_its_own_connection(phone: Any, peer: Peer, garbage: bytes) -> None:
    with socket.create_connection(("127.0.0.1", phone.adb_port), timeout=5) as other:
        other.sendall(garbage)
        assert other.recv(1) == b""
    assert b"".join(peer.read_all(peer.open(b"exec:echo alive"))) == b"alive\n"
