"""The service keeps what its OpenAPI document says: schemathesis asks, and holds every answer against the document."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import load_all_checks
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from writ.api.service.routes.all_routes import openapi_document

from tests.api.conftest import MODEL
from tests.support.server import Server, running

CHECKS = {
    # A body of the right shape may still name a role that there is not, or the like.
    "positive_data_acceptance": {"enabled": False},
    # `If-Match` is looked at before the body is.
    "negative_data_rejection": {"expected-statuses": [400, 401, 403, 404, 405, 409, 412, 415]},
}


@schemathesis.serializer("application/vnd.writ.policy")
def policy_text(_context: schemathesis.SerializationContext, value: Any) -> bytes:
    """Sends any text as a model in the `.writ` language."""
    return str(value).encode()


schema = schemathesis.openapi.from_dict(
    openapi_document(), config=schemathesis.Config.from_dict({"checks": CHECKS})
).exclude(method="HEAD")
"""HEAD is served by the same code as GET, and would double the time that this takes."""

load_all_checks()
OPERATIONS = {found.ok().label: found.ok() for found in schema.get_all_operations()}
COVERAGE = [HypothesisTestMode.COVERAGE]
OTHERS = [one for one in HypothesisTestMode if one not in COVERAGE]
MODES = [pytest.param(OTHERS, id="some"), pytest.param(COVERAGE, id="every", marks=pytest.mark.service)]
"""Some requests are made up. Those that try every keyword of the document are many, so heavy tests ask them."""

KNOWN = {
    "resource-types": ("document",),
    "roles": ("editor",),
    "subjects": ("user", "alice"),
    "resources": ("document", "d1"),
    "grants": ("g1",),
    "policies": ("drafts",),
}
"""The key of an element that is there at first; asked for instead of every other one that is made up."""


@schema.hook
def map_path_parameters(context: schemathesis.HookContext, parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Ask mostly for what exists: what is made up does not."""
    if not parameters or "env" not in parameters:
        return parameters
    known = KNOWN.get(context.operation.path.split("/")[4] if context.operation.path.count("/") > 3 else "")
    if known and "id" in parameters and len(str(parameters["id"])) % 2:
        parameters |= zip(("type", "id")[-len(known) :], known, strict=True)
    return parameters | {"env": "default"}


@pytest.fixture(scope="module")
def managed_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("contract")
    model = folder / "model.json"
    model.write_text(json.dumps({"model": 1} | MODEL))
    with running(folder / "data", "--import", str(model)) as started:
        yield started


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """Connections that are kept: there are ten thousand requests."""
    with requests.Session() as kept:
        yield kept


@pytest.mark.parametrize("modes", MODES)
@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_is_as_the_document_says(
    label: str, modes: list[HypothesisTestMode], managed_server: Server, session: requests.Session
) -> None:
    """Requests are made up here, not when tests are collected: every process of a run would make up all of them."""

    @settings(max_examples=3, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    def ask(case: schemathesis.Case) -> None:
        case.call_and_validate(
            base_url=managed_server.url,
            headers=dict.fromkeys(("Authorization", "X-Writ-Authorization"), f"Bearer {managed_server.key}"),
            timeout=60,
            session=session,
        )

    config = HypothesisTestConfig(project=schema.config, modes=modes)
    create_test(operation=OPERATIONS[label], test_func=ask, config=config)()
