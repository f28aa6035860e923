"""ADB packets: the 24-byte header and its rules.

Format: AOSP `packages/modules/adb/protocol.txt`. Six little-endian u32 (command, arg0, arg1,
payload length, payload checksum, command xor 0xFFFFFFFF), then the payload.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass
from enum import IntEnum

HEADER = struct.Struct("<6I")
VERSION_WITH_CHECKSUM = 0x01000000
VERSION_SKIP_CHECKSUM = 0x01000001
MAX_PAYLOAD_BYTES = 1024 * 1024


class Command(IntEnum):
    """The packet kinds, as the four letters read little-endian."""

    SYNC = 0x434E5953
    CNXN = 0x4E584E43
    OPEN = 0x4E45504F
    OKAY = 0x59414B4F
    CLSE = 0x45534C43
    WRTE = 0x45545257
    AUTH = 0x48545541
    STLS = 0x534C5453


class WireError(Exception):
    """The peer sent bytes that are no ADB packet; the connection can't be trusted any more."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One ADB packet.

    Attributes:
        command: Kind of packet.
        arg0: The sender's stream id (CNXN: protocol version).
        arg1: The receiver's stream id (CNXN: the sender's largest payload in bytes).
        payload: The data; at most the receiver's largest payload.
    """

    command: Command
    arg0: int
    arg1: int
    payload: bytes = b""

    def encode(self, *, checksum: bool) -> bytes:
        """Writes header and payload.

        Args:
            checksum: Whether to fill the byte sum; peers of the newer version expect 0.
        """
        total = sum(self.payload) & 0xFFFFFFFF if checksum else 0
        header = HEADER.pack(
            self.command,
            self.arg0,
            self.arg1,
            len(self.payload),
            total,
            self.command ^ 0xFFFFFFFF,
        )
        return header + self.payload


async def read_packet(reader: asyncio.StreamReader) -> Packet:
    """Reads the next packet.

    Raises:
        asyncio.IncompleteReadError: The peer closed the connection.
        WireError: The bytes are no packet, or its payload is larger than allowed.
    """
    raw = await reader.readexactly(HEADER.size)
    command, arg0, arg1, size_bytes, _, magic = HEADER.unpack(raw)
    if magic != command ^ 0xFFFFFFFF:
        raise WireError(f"bad magic {magic:#x} for command {command:#x}")
    try:
        kind = Command(command)
    except ValueError:
        raise WireError(f"unknown command {command:#x}") from None
    if size_bytes > MAX_PAYLOAD_BYTES:
        raise WireError(f"payload of {size_bytes} bytes is larger than {MAX_PAYLOAD_BYTES}")
    payload = await reader.readexactly(size_bytes) if size_bytes else b""
    return Packet(kind, arg0, arg1, payload)
