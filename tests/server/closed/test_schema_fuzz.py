"""Requests made from the OpenAPI document, good and bad ones: none is a fault of the server."""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode
from schemathesis.schemas import APIOperation

from tests.server.http.conftest import CLICK, Start

REQUESTS = int(os.environ.get("LOCALSERVER_SCHEMA_REQUESTS", "5000"))
CASES = max(8, REQUESTS // 1250)
"""Generated for each route and mode: what the document allows, and what it does not."""


def generate_cases(operation: APIOperation[Any, Any], mode: GenerationMode) -> list[dict[str, Any]]:
    """Cases of one route as arguments of `requests.request`."""
    made: list[dict[str, Any]] = []

    @seed(2026)
    @settings(
        max_examples=CASES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def keep(case: Case) -> None:
        made.append(case.as_transport_kwargs(base_url="http://service"))

    keep()
    return made


def combine(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each address with each query and each body of a route's cases, all different.

    Making a case costs twenty times as much as sending one; a route reads the three apart.
    """
    addresses = [pick(case, "method", "url") for case in cases]
    queries = [pick(case, "params", "cookies") for case in cases]
    bodies = [pick(case, "headers", "json", "data", "files") for case in cases]
    combined = itertools.product(*map(without_doubles, (addresses, queries, bodies)))
    return [{**address, **query, **body} for address, query, body in combined]


def pick(case: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: case[name] for name in names if name in case}


def without_doubles(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({repr(part): part for part in parts}.values())


def test_no_request_that_the_document_allows_or_forbids_is_a_server_error(start: Start) -> None:
    """The long edition: `make schemathesis`."""
    service = start(lambda request: CLICK)
    schema = schemathesis.openapi.from_dict(service.app.openapi())
    by_route: list[list[dict[str, Any]]] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        cases = generate_cases(operation, GenerationMode.POSITIVE)
        if operation.body or operation.query:  # else there is nothing in it that could be wrong
            cases += generate_cases(operation, GenerationMode.NEGATIVE)
        by_route.append(combine(cases))
    chance = random.Random(2026)
    for route in by_route:
        chance.shuffle(route)
    turns = itertools.zip_longest(*by_route)  # routes in turn: the rare ones are sent whole
    wanted = itertools.islice((one for turn in turns for one in turn if one), REQUESTS)
    statuses: Counter[int] = Counter()
    with requests.Session() as session:
        session.trust_env = False
        for one in wanted:
            headers = {**dict(one.get("headers") or {}), **service.authorization}
            url = one["url"].replace("http://service", service.url, 1)
            asked = {**one, "headers": headers, "url": url, "timeout": 30, "stream": True}
            with session.request(**asked) as response:
                statuses[response.status_code] += 1
                if response.status_code >= 500:
                    code = response.json()["error"]["code"]
                    assert code.startswith(("device.", "model.", "server.")), (one, response.text)
                    assert code != "server.error", (one, response.text)
                elif not response.headers["content-type"].startswith("text/event-stream"):
                    assert response.content is not None
            session.cookies.clear()
    print(f"{statuses.total()} requests to {len(by_route)} routes: {dict(statuses)}")
    assert statuses.total() == REQUESTS
    assert statuses[200] and statuses[422]
