"""What a task may use up: steps, tokens, money."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from server.errors import BadRequestError
from server.loop.options import LoopOptions
from server.model.providers import choose_model
from server.settings import Settings
from server.tasks.request import TaskRequest
from server.tasks.states import TaskEnd
from server.usage import Price, PriceList, Usage

PriceOf = Callable[[LoopOptions], Price | None]


def check_price_known(request: TaskRequest, price_of: PriceOf) -> None:
    """A cap in money that could never take effect is refused.

    Raises:
        BadRequestError: The model's price is not known.
    """
    if request.cost_limit is not None and price_of(request.options) is None:
        raise BadRequestError(
            "max_cost needs the model's price: add it to configs/prices.yaml, "
            "or use max_total_tokens",
            field="max_cost",
        )


def check_limits(request: TaskRequest, steps: int, used: Usage, price_of: PriceOf) -> None:
    """Called before each step.

    Raises:
        TaskEnd: A limit is reached.
    """
    if steps >= request.options.step_limit:
        raise TaskEnd("MAX_STEPS_REACHED", f"not done after {steps} steps")
    tokens, allowed = request.token_limit, request.cost_limit
    if (tokens or allowed) and used.replies and not used.total_tokens:
        raise TaskEnd(
            "COST_LIMIT_REACHED",
            "the model's endpoint tells no token counts, so a limit on tokens or cost cannot be "
            "kept; use max_steps, or have the endpoint send `usage`",
        )
    if tokens is not None and used.total_tokens >= tokens:
        raise TaskEnd(
            "COST_LIMIT_REACHED", f"{used.total_tokens} tokens are used; allowed are {tokens}"
        )
    price = price_of(request.options) if allowed is not None else None
    if price is None or allowed is None:
        return
    cost = price.cost(used)
    if cost >= allowed:
        raise TaskEnd(
            "COST_LIMIT_REACHED",
            f"{cost:.4f} {price.currency} are spent; allowed are {allowed}",
        )


def describe_cost(price: Price | None, used: Usage) -> dict[str, Any] | None:
    """The cost as a result tells it; None where the price is not known."""
    if price is None:
        return None
    return {"amount": round(price.cost(used), 6), "currency": price.currency}


def price_finder(settings: Settings) -> PriceOf:
    """Finds the price of the model that a task is run with.

    Raises:
        ConfigError: The list of prices is wrong; the message says where.
    """
    prices = PriceList.load(settings.config_dir)

    def find(options: LoopOptions) -> Price | None:
        model = dict(options.model_config or {})
        target = choose_model(settings, model.get("model_provider"), model.get("model_name"), None)
        return prices.find(target.provider, target.model)

    return find
