"""What the model's replies cost: tokens per session, and money where prices are known."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.config_files import read_config_file
from server.engine import Engine
from server.errors import ConfigError
from server.journal import Journal
from server.model.reply import ModelReply
from server.records.store import KeepsRecords
from server.session import Session

PRICES_FILE = "prices.yaml"
MAX_SESSIONS = 10_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Replies and their tokens. Replies that could not be read count too: they were paid for."""

    replies: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def plus(self, other: Usage) -> Usage:
        return Usage(
            self.replies + other.replies,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def minus(self, other: Usage) -> Usage:
        return Usage(
            self.replies - other.replies,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
        )

    def to_wire(self) -> dict[str, int]:
        return {
            "replies": self.replies,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.total_tokens,
        }


def usage_of_reply(tokens: Mapping[str, Any] | None) -> Usage:
    """One reply, with the token counts that the provider gave."""
    tokens = tokens or {}
    return Usage(1, _count(tokens, "prompt_tokens"), _count(tokens, "completion_tokens"))


def _count(tokens: Mapping[str, Any], name: str) -> int:
    value = tokens.get(name)
    return value if isinstance(value, int) and value > 0 else 0


class UsageMeter:
    """Counts per session, in this process. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: OrderedDict[str, Usage] = OrderedDict()

    def add(self, session_id: str, usage: Usage) -> None:
        with self._lock:
            self._sessions[session_id] = self._sessions.get(session_id, Usage()).plus(usage)
            self._sessions.move_to_end(session_id)
            if len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)

    def read(self, session_id: str) -> Usage:
        with self._lock:
            return self._sessions.get(session_id, Usage())


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost at a provider, in one currency."""

    input_per_million: float
    output_per_million: float
    currency: str = "USD"

    def cost(self, usage: Usage) -> float:
        return (
            usage.prompt_tokens * self.input_per_million
            + usage.completion_tokens * self.output_per_million
        ) / 1_000_000


class PriceList:
    """Prices by provider and model, from `configs/prices.yaml`; without the file none is known.

    Raises:
        ConfigError: The file is wrong; the message says where.
    """

    def __init__(self, prices: Mapping[tuple[str, str], Price] | None = None) -> None:
        self._prices = dict(prices or {})

    @classmethod
    def load(cls, config_dir: Path) -> PriceList:
        path = config_dir / PRICES_FILE
        if not path.exists():
            return cls()
        file = read_config_file(path)
        prices: dict[tuple[str, str], Price] = {}
        for provider, models in file.data.items():
            if not isinstance(models, dict):
                raise file.error((provider,), "must map models to their prices")
            for model, price in models.items():
                prices[str(provider), str(model)] = _read_price(file.error, provider, model, price)
        return cls(prices)

    def find(self, provider: str, model: str) -> Price | None:
        """The model's price, or the provider's price for any model (`*`)."""
        return self._prices.get((provider, model)) or self._prices.get((provider, "*"))


def _read_price(error: Any, provider: str, model: str, price: object) -> Price:
    known = {"input_per_million", "output_per_million", "currency"}
    wrong: ConfigError = error(
        (provider, model),
        "must have input_per_million and output_per_million (numbers), optionally currency",
    )
    if not isinstance(price, dict) or not set(price) <= known:
        raise wrong
    try:
        return Price(
            float(price["input_per_million"]),
            float(price["output_per_million"]),
            str(price.get("currency", "USD")),
        )
    except (KeyError, TypeError, ValueError):
        raise wrong from None


class MeteredJournal(Journal):
    """A journal that also counts what each reply used, whether it could be read or not."""

    def __init__(self, meter: UsageMeter, engine: Engine, store: KeepsRecords, *, debug: bool):
        super().__init__(engine, store, debug=debug)
        self._meter = meter

    async def note_reply(self, session: Session, reply: ModelReply, reask: int) -> None:
        self._meter.add(session.id, usage_of_reply(reply.usage))
        await super().note_reply(session, reply, reask)
