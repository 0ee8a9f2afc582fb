"""What a route takes from a request reaches the engine as a value of the attribute's type (C11)."""

from pathlib import Path

import pytest
from writ.api.endpoints.gateway.gateway import without_credentials
from writ.api.endpoints.gateway.headers import Headers
from writ.api.endpoints.gateway.original import Original
from writ.api.endpoints.gateway.question import question_of
from writ.bundles.routing.settings import GatewaySettings, GatewaySubject
from writ.bundles.routing.typed_values import typed_value
from writ.runtime import Engine

from tests.support.bundling import engine_for

SETTINGS = GatewaySettings(GatewaySubject(header="X-Writ-Subject"))
MODEL = {
    "resource_types": [{"id": "payment", "actions": ["send"], "attributes": {"amount": "number", "draft": "boolean"}}],
    "policies": [
        {"id": "all", "effect": "ALLOW", "resource_types": [{"resource_type_id": "payment", "actions": ["send"]}]},
        {
            "id": "large",
            "effect": "DENY",
            "priority": 9,
            "resource_types": [{"resource_type_id": "payment", "actions": ["send"]}],
            "conditions": {"resource_attrs": [{"key": "amount", "op": "gt", "value": 100}]},
        },
    ],
    "routes": [
        {
            "id": "send",
            "methods": ["POST"],
            "path": "/payments/{id}",
            "resource_type": "payment",
            "action": "send",
            "attributes": {"amount": "header:X-Amount", "draft": "query:draft"},
        }
    ],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder: Path = tmp_path_factory.mktemp("typed")
    return engine_for(MODEL, folder / "b")


@pytest.mark.parametrize(
    ("amount", "passes"),
    [("99", True), ("150", False), ("1.5e2", False), ("0x96", False), ("", False), ("150.", False), (None, True)],
)
def test_a_denied_amount_never_passes_as_a_text(engine: Engine, amount: str | None, passes: bool) -> None:
    fields = [] if amount is None else [(b"X-Amount", amount.encode())]
    original = Original("POST", "shop.example", "/payments/p1?draft=true", None, None)
    subject = {"type": "user", "id": "alice"}
    question = question_of(original, subject, Headers.of(fields), SETTINGS, engine, True)
    assert question["resource"]["properties"]["draft"] is True
    assert engine.decide(question)["decision"] is passes


def test_no_credential_gets_into_the_log_as_a_value_of_another_type() -> None:
    headers = Headers.of([(b"authorization", b"12345"), (b"cookie", b"secret")])
    taken = {"amount": typed_value("number", "12345"), "other": typed_value("number", "secret"), "open": 5}
    kept, cut = without_credentials({"resource": {"properties": taken}}, headers)
    assert (kept, cut) == ({"resource": {"properties": {"open": 5}}}, True)
