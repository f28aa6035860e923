"""Who may drive which phone, until when: a task, a client with a lease, or single inputs between.

Two never drive one phone. A task holds its phone from its first look to its end; a client takes a
lease that runs out by itself; a single input needs a phone that is neither's, or the lease.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from device.claims import ForeignClaim, PhoneClaims
from server.errors import ServerError
from server.records.schema import format_utc

INPUT_WAIT_S = 5.0
"""How long one input waits for another one on the same phone."""
LEASE_MAX_S = 3600.0
_LOOK_AGAIN_S = 0.2
_EXPIRED_S = 0.05


class PhoneLeasedError(ServerError):
    """Somebody else drives this phone: a task, or a client whose lease has not run out."""

    code: ClassVar[str] = "device.leased"
    status: ClassVar[int] = 409
    retryable: ClassVar[bool] = True


class LeaseLostError(ServerError):
    """This lease is over: it ran out, was given back, or never was."""

    code: ClassVar[str] = "device.lease_lost"
    status: ClassVar[int] = 409


@dataclass(frozen=True, slots=True)
class Lease:
    """A client's right to drive a phone.

    Attributes:
        id: The secret of the one who took it; nobody else learns it.
        serial: The phone.
        holder: How the client calls itself, for others to read.
        expires_at: When it runs out, in UTC.
        until: The same on this process's clock.
    """

    id: str = field(repr=False)
    serial: str
    holder: str
    expires_at: str
    until: float = field(repr=False, compare=False)

    def to_wire(self) -> dict[str, Any]:
        """What the holder gets; others see it without the id."""
        return {"lease_id": self.id, "serial": self.serial, **self.facts()}

    def facts(self) -> dict[str, Any]:
        return {"holder": self.holder, "expires_at": self.expires_at}


@dataclass(slots=True)
class _Phone:
    task: str | None = None
    is_lent: Callable[[], bool] = lambda: False
    inputs: int = 0
    lease: Lease | None = None


class Leases:
    """The leases of all phones.

    While its task is paused or taken over, a phone is lent: single inputs pass.

    Args:
        claims: Keeps other processes of this machine off a phone while it is driven here; None
            for phones that no other process can reach.
    """

    def __init__(self, claims: PhoneClaims | None = None) -> None:
        self._changed = threading.Condition()
        self._phones: dict[str, _Phone] = {}
        self._claims = claims

    def holder(self, serial: str) -> str | None:
        """The task that drives the phone; None if none does."""
        with self._changed:
            phone = self._phones.get(serial)
            return phone.task if phone else None

    def describe(self, serial: str) -> dict[str, Any] | None:
        """Who has the phone and until when, for anyone to read; None if it is free."""
        with self._changed:
            phone = self._phones.get(serial, _Phone())
            if phone.task is not None:
                return {"kind": "task", "holder": phone.task, "expires_at": None}
            if (lease := _valid(phone)) is not None:
                return {"kind": "client", **lease.facts()}
            foreign = self._claims.foreign(serial) if self._claims else None
            return {"kind": "process", **asdict(foreign)} if foreign else None

    # --- of clients -------------------------------------------------------------------------------

    def take(
        self, serial: str, holder: str, lasts_s: float, *, lease_id: str | None = None
    ) -> Lease:
        """Take a phone, or keep one that is held under `lease_id` for longer.

        Args:
            serial: The phone.
            holder: How the client calls itself.
            lasts_s: From now on, at most `LEASE_MAX_S`.
            lease_id: A lease to be renewed; it keeps its id.

        Raises:
            PhoneLeasedError: Somebody else has it.
            LeaseLostError: The lease to be renewed is over.
        """
        with self._changed:
            phone = self._phones.setdefault(serial, _Phone())
            if lease_id is not None:
                _check_held(phone, serial, lease_id)
            else:
                _check_free(phone, serial, None)
            lasts_s = min(lasts_s, LEASE_MAX_S)
            expires_at = format_utc(datetime.now(UTC) + timedelta(seconds=lasts_s))
            if phone.task is None:
                self._claim(serial, holder, expires_at)
            phone.lease = Lease(
                id=lease_id or secrets.token_urlsafe(24),
                serial=serial,
                holder=holder,
                expires_at=expires_at,
                until=time.monotonic() + lasts_s,
            )
            if self._claims is not None:
                self._let_go_later(serial, lasts_s)
            return phone.lease

    def give_back(self, serial: str, lease_id: str) -> None:
        """End a lease before its time.

        Raises:
            LeaseLostError: It is over already.
        """
        with self._changed:
            phone = self._phones.setdefault(serial, _Phone())
            _check_held(phone, serial, lease_id)
            phone.lease = None
            self._let_go_if_idle(serial)
            self._changed.notify_all()

    def check(self, serial: str, lease_id: str | None = None) -> None:
        """Whether a client keeps this phone from a caller; a task in front only makes it wait.

        Raises:
            PhoneLeasedError: Another client has it.
        """
        with self._changed:
            phone = self._phones.get(serial)
            if phone is not None:
                _check_lease(phone, serial, lease_id)

    # --- of tasks ---------------------------------------------------------------------------------

    @contextmanager
    def hold(
        self,
        serial: str,
        holder: str,
        is_lent: Callable[[], bool],
        *,
        lease_id: str | None = None,
        while_waiting: Callable[[], None] = lambda: None,
    ) -> Iterator[None]:
        """Hold a phone for a task; waits until no client, and no single input, has it.

        Args:
            serial: The phone.
            holder: The task's id.
            is_lent: Whether the task lets others in just now.
            lease_id: The lease of the client that started the task.
            while_waiting: Called now and then until it has the phone; what it raises ends the wait.
        """
        with self._changed:
            phone = self._phones.setdefault(serial, _Phone())
            while (
                phone.task is not None
                or phone.inputs
                or _is_foreign(phone, lease_id)
                or self._take_claim(serial, f"task {holder}") is not None
            ):
                while_waiting()
                self._changed.wait(_LOOK_AGAIN_S)
            phone.task, phone.is_lent = holder, is_lent
        try:
            yield
        finally:
            with self._changed:
                phone.task, phone.is_lent = None, lambda: False
                self._let_go_if_idle(serial)
                self._changed.notify_all()

    # --- of single inputs -------------------------------------------------------------------------

    @contextmanager
    def single_input(
        self, serial: str, wait_s: float = INPUT_WAIT_S, *, lease_id: str | None = None
    ) -> Iterator[None]:
        """The right to give a phone one input.

        Raises:
            PhoneLeasedError: A task or another client drives it, or another input does not end.
            LeaseLostError: The lease that was named is over.
        """
        until = time.monotonic() + wait_s
        with self._changed:
            phone = self._phones.setdefault(serial, _Phone())
            while True:
                if lease_id is not None:
                    _check_held(phone, serial, lease_id)
                _check_free(phone, serial, lease_id)
                if phone.inputs == 0:
                    break
                if not self._changed.wait(until - time.monotonic()):
                    raise PhoneLeasedError(
                        f"another input is still running on {serial}; try again in a moment",
                        serial=serial,
                    )
            if phone.task is None and _valid(phone) is None:
                self._claim(serial, "a single input")
            phone.inputs += 1
        try:
            yield
        finally:
            with self._changed:
                phone.inputs -= 1
                self._let_go_if_idle(serial)
                self._changed.notify_all()

    # --- of processes -----------------------------------------------------------------------------

    def _take_claim(
        self, serial: str, holder: str, expires_at: str | None = None
    ) -> ForeignClaim | None:
        return self._claims.take(serial, holder, expires_at) if self._claims else None

    def _claim(self, serial: str, holder: str, expires_at: str | None = None) -> None:
        """Keep other processes off the phone.

        Raises:
            PhoneLeasedError: One of them drives it.
        """
        foreign = self._take_claim(serial, holder, expires_at)
        if foreign is not None:
            raise claimed_error(serial, foreign)

    def _let_go_if_idle(self, serial: str) -> None:
        phone = self._phones[serial]
        is_idle = phone.task is None and not phone.inputs
        if self._claims is None or not is_idle:
            return
        lease = _valid(phone)
        if lease is None:
            self._claims.release(serial)
        else:
            self._claims.take(serial, lease.holder, lease.expires_at)

    def _let_go_later(self, serial: str, after_s: float) -> None:
        """A lease that runs out frees the phone for other processes too, with nobody asking."""

        def let_go() -> None:
            with self._changed:
                self._let_go_if_idle(serial)

        timer = threading.Timer(after_s + _EXPIRED_S, let_go)
        timer.daemon = True
        timer.start()


@contextmanager
def hold_for_command(claims: PhoneClaims, serial: str, holder: str) -> Iterator[None]:
    """Hold a phone for a command that drives it without a service; it does not wait.

    Raises:
        PhoneLeasedError: Another process drives the phone.
    """
    foreign = claims.take(serial, holder)
    if foreign is not None:
        raise claimed_error(serial, foreign)
    try:
        yield
    finally:
        claims.release(serial)


def claimed_error(serial: str, foreign: ForeignClaim) -> PhoneLeasedError:
    """Another process of this machine drives the phone."""
    until = f" until {foreign.expires_at}" if foreign.expires_at else ""
    return PhoneLeasedError(
        f"{foreign.holder} of another LocalServer on this machine drives {serial}{until}; "
        "wait for its end, or stop it there",
        serial=serial,
        **asdict(foreign),
    )


def _valid(phone: _Phone) -> Lease | None:
    if phone.lease is not None and phone.lease.until <= time.monotonic():
        phone.lease = None
    return phone.lease


def _is_foreign(phone: _Phone, lease_id: str | None) -> bool:
    lease = _valid(phone)
    return lease is not None and not hmac.compare_digest(lease.id.encode(), _key(lease_id))


def _key(lease_id: str | None) -> bytes:
    return (lease_id or "").encode("utf-8", "replace")


def _check_lease(phone: _Phone, serial: str, lease_id: str | None) -> None:
    lease = phone.lease
    if _is_foreign(phone, lease_id) and lease is not None:
        raise PhoneLeasedError(
            f"{lease.holder} drives {serial} until {lease.expires_at}; wait, or name its lease_id",
            serial=serial,
            **lease.facts(),
        )


def _check_free(phone: _Phone, serial: str, lease_id: str | None) -> None:
    if phone.task is not None and not phone.is_lent():
        raise PhoneLeasedError(
            f"task {phone.task} drives {serial}; wait for its end, stop it, or take the phone over",
            serial=serial,
            task_id=phone.task,
        )
    _check_lease(phone, serial, lease_id)


def _check_held(phone: _Phone, serial: str, lease_id: str) -> None:
    lease = _valid(phone)
    if lease is None or _is_foreign(phone, lease_id):
        raise LeaseLostError(
            f"this lease of {serial} is over; take a new one before the next action",
            serial=serial,
        )
