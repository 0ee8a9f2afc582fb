"""Envoy's checks: bytes are refused, or are a check; and only what the model allows is let through.

The model lets Alice read one document. A header of a trusted proxy names her. It lets a visitor, who brings no
credential, read one page (E11).
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import msgspec
from writ.api.endpoints.gateway.envoy.answers import answer
from writ.api.endpoints.gateway.envoy.check_reading import Check, UnreadableCheck
from writ.api.endpoints.gateway.envoy.messages import CHECK_REQUEST
from writ.api.endpoints.gateway.gateway import Gateway
from writ.api.endpoints.gateway.headers import GatewayRefused
from writ.bundles.delta import Delta, RoutingChange
from writ.bundles.routing.settings import AnonymousSubject, GatewaySettings, GatewaySubject
from writ.runtime.routing.target import read_target

from tests.deep.fuzz.targets import Law
from tests.support.bundling import compiled, engine_for
from tests.support.envoy_checks import check_request, field, read_answer
from tests.support.gateways import ATTACKS
from tests.support.strategies_pick import Pick

SUBJECT: Final = "x-writ-subject"
MODEL: Final[dict[str, Any]] = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "grants": [
        {
            "id": "g",
            "subject": {"type": "user", "id": "alice"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["read"],
        },
        {
            "id": "v",
            "subject": {"type": "visitor", "id": "anyone"},
            "resource": {"type": "document", "id": "p1"},
            "actions": ["read"],
        },
    ],
    "routes": [
        {
            "id": "public",
            "methods": ["GET"],
            "path": "/public/{id}",
            "resource_type": "document",
            "action": "read",
            "anonymous": True,
        },
        {"id": "read", "methods": ["GET"], "path": "/documents/{id}", "resource_type": "document", "action": "read"},
        {
            "id": "write",
            "methods": ["PUT"],
            "path": "/documents/{id}",
            "resource_type": "document",
            "action": "update",
            "attributes": {"mode": "query:mode", "size": "header:X-Size as number"},
        },
    ],
}
SETTINGS: Final = GatewaySettings(
    GatewaySubject(header="X-Writ-Subject"),
    ("127.0.0.1",),
    response_headers={"X-Policy": "policy_id"},
    anonymous=AnonymousSubject("visitor", "anyone"),
)
_ALICE: Final = (SUBJECT, "user:alice")
_METHODS: Final = ("GET", "PUT", "get", "", "CONNECT", "G T", "HEAD")
_PATHS: Final = (
    "/documents/d1",
    "/documents/d%31",
    "/documents/d1?mode=a",
    "/documents/d1/",
    "/documents",
    "/public/p1",
    *ATTACKS,
)
_FIELDS: Final = (
    *(_ALICE, (SUBJECT, "user:bob"), ("X-Writ-Subject", "user:alice,user:bob"), (":path", "/x"), ("x-size", "1e9")),
    *(("x-forwarded-for", "10.0.0.1, ::1"), ("x-forwarded-proto", "https"), ("x-request-id", "a\r\nb"), ("", "a")),
    *(("authorization", "Bearer k"), ("authorization", "Basic k"), ("authorization", ""), (SUBJECT, "")),
    *(("x-writ-authorization", "Bearer k"), ("x-é", "ü"), ("host", "other"), ("x-forwarded-for", "999.1.1.1")),
)
_HOSTS: Final = ("shop.example", "SHOP.example:443", "", "a b", "[::1]:80", "x" * 300)


def starts() -> Iterator[bytes]:
    """A check that is allowed, in both forms, one that is denied, and those that are refused."""
    for joined in (False, True):
        yield check_request("GET", "/documents/d1", [_ALICE], joined=joined)
        yield check_request("PUT", "/documents/d1?mode=a", [_ALICE, ("x-size", "7")], joined=joined)
        yield check_request("GET", "/documents/d1", [_ALICE, (SUBJECT, "user:bob")], joined=joined)
        yield check_request("GET", "/public/p1", [], joined=joined)
        yield check_request("GET", "/public/p1", [("authorization", "Bearer k")], joined=joined)
    yield check_request("GET", "/documents/d1", [_ALICE], more=field(7, "a=b"))
    yield check_request("GET", "/documents/d1", [_ALICE], more=field(3, field(1, "a") + field(2, "b")))
    yield from (check_request("GET", str(path), [_ALICE]) for path in _PATHS)


def mutated(pick: Pick, data: bytes) -> bytes:
    """Another check, or the fields of one after those of this one, which protobuf merges."""
    fields = [pick.one(_FIELDS) for _ in range(pick.number(0, 3))]
    if pick.chance(2, 3):
        fields.insert(pick.number(0, len(fields)), _ALICE)
    made = check_request(
        pick.one(_METHODS),
        str(pick.one(_PATHS)),
        fields,
        pick.one(_HOSTS),
        pick.chance(1, 3),
        field(8, pick.one(("", "x"))),
    )
    return data + made if pick.chance(1, 4) else made


@cache
def _gateway(folder: Path) -> Gateway:
    engine = engine_for(MODEL, folder / "model.bundle")
    routing = compiled(MODEL).routing
    engine.apply_deltas([Delta(engine.revision + 1, (RoutingChange(_with_settings(routing)),))])
    admissions: Any = SimpleNamespace(engine_of=None, of=lambda header, env: (SimpleNamespace(actor="a"), engine))
    counts: Any = SimpleNamespace(decided=lambda *_: None, faulted=lambda *_: None)
    tokens: Any = None  # the subject comes from a header
    return Gateway(admissions, tokens, lambda: 0.0, counts)


def _with_settings(routing: Any) -> Any:
    if isinstance(routing, tuple):
        return routing._replace(gateway=SETTINGS)
    return msgspec.structs.replace(routing, gateway=SETTINGS)


def law(folder: Path) -> Law:
    """See the module."""
    gateway = _gateway(folder)

    def holds(data: bytes) -> None:
        try:
            check = Check(data, (), "ipv4:127.0.0.1:4711")
        except (UnreadableCheck, GatewayRefused):
            return
        outcome = gateway.at_once(check.asked)
        told = read_answer(answer(outcome, check.names))
        assert (told.code == 0) == (outcome.status == 200)
        if outcome.status == 200:
            _check_allowed(data)

    return holds


def _check_allowed(data: bytes) -> None:
    """The message is about what its subject may read: Alice, whom alone it names, or a visitor without a credential."""
    http = CHECK_REQUEST.FromString(data).attributes.request.http
    assert http.method == "GET"
    fields = [(one.key.lower(), one.value or one.raw_value.decode("latin-1")) for one in http.header_map.headers]
    fields += [(one.key.lower(), one.value) for one in http.headers]
    named = [value for name, value in fields if name == SUBJECT]
    assert named in ([], ["user:alice"])
    assert read_target(http.path).segments == (("documents", "d1") if named else ("public", "p1"))
    sent = [value.strip(" \t").lower() for name, value in fields if name == "authorization"]
    assert named or not [value for value in sent if not value or value.startswith("bearer")]
