"""Values that a route takes from a request have their type in the engine (C11), beside claims of the token."""

from pathlib import Path

import pytest
from writ.api.endpoints.gateway.gateway import without_credentials
from writ.api.endpoints.gateway.gateway_subjects import Asking, asking
from writ.api.endpoints.gateway.headers import Headers
from writ.api.endpoints.gateway.original import Original
from writ.api.endpoints.gateway.question import question_of
from writ.bundles.routing.settings import GatewaySettings, GatewaySubject, JwtSubject
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
    asker = Asking({"type": "user", "id": "alice"}, {})
    question = question_of(original, asker, Headers.of(fields), SETTINGS, engine, True)
    assert question["resource"]["properties"]["draft"] is True
    assert engine.decide(question)["decision"] is passes


def test_no_credential_gets_into_the_log_as_a_value_of_another_type() -> None:
    headers = Headers.of([(b"authorization", b"12345"), (b"cookie", b"secret")])
    taken = {"amount": typed_value("number", "12345"), "other": typed_value("number", "secret"), "open": 5}
    kept, cut = without_credentials({"resource": {"properties": taken}}, headers)
    assert (kept, cut) == ({"resource": {"properties": {"open": 5}}}, True)


def test_a_token_tells_the_context_what_the_settings_name(engine: Engine) -> None:
    """Never what is about the request itself, and nothing that the settings do not name."""

    class Tokens:
        def claims(self, _token: str, _settings: JwtSubject) -> dict[str, object]:
            return {"sub": "alice", "client_id": "shop", "host": "evil.example", "team": "x"}

    named = JwtSubject("i", "a", ("EdDSA",), jwks_file="/k", context_claims={"agent": "client_id", "none": "missing"})
    settings = GatewaySettings(GatewaySubject(jwt=named))
    headers = Headers.of([(b"Authorization", b"Bearer x")])
    asker = asking(headers, settings, True, Tokens())  # type: ignore[arg-type]
    assert asker == Asking({"type": "user", "id": "alice", "properties": {}}, {"agent": "shop"})
    question = question_of(Original("POST", "shop.example", "/payments/p1"), asker, headers, settings, engine, True)
    told = {"agent": "shop", "method": "POST", "host": "shop.example", "path": "/payments/p1"}
    assert question["context"] == told
