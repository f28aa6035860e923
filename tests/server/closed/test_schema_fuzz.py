"""Requests made from the OpenAPI document, good and bad ones: none is a fault of the server."""

from __future__ import annotations

import os

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case

from tests.server.http.conftest import CLICK, Start

EXAMPLES = int(os.environ.get("LOCALSERVER_SCHEMA_EXAMPLES", "3"))
"""For each route, once with what the document allows and once with what it does not."""


def test_no_request_that_the_document_allows_or_forbids_is_a_server_error(start: Start) -> None:
    """The long edition: `make schemathesis`."""
    service = start(lambda request: CLICK)
    schema = schemathesis.openapi.from_dict(service.app.openapi())
    asked = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
            is_plain = not (operation.body or operation.query)
            if is_plain and mode is schemathesis.GenerationMode.NEGATIVE:
                continue  # there is nothing in it that could be wrong

            @settings(
                max_examples=EXAMPLES,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def send(case: Case) -> None:
                nonlocal asked
                asked += 1
                response = case.call(base_url=service.url, headers=service.authorization)
                if response.status_code >= 500:
                    code = response.json()["error"]["code"]
                    assert code.startswith(("device.", "model.", "server.")), response.text
                    assert code != "server.error", (case.as_curl_command(), response.text)

            send()
    assert asked > 15 * EXAMPLES
