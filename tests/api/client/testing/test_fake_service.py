"""`writ.testing.service`: real HTTP with an engine's answers, which are those of the real service (W4, W8, S4)."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import writ
import writ.testing
from writ import Client, Engine
from writ.api.engines.live.build import build_bundle
from writ.client import Refused
from writ.testing import FakeService

from tests.support.server import running

MODEL = """\
model: 1
resource_types: [{id: document, actions: [read, edit], attributes: {status: string}}, {id: memo, actions: [send]}]
roles: [{id: editor}]
subjects: [{type: user, id: alice, external_id: "idp|1"}, {type: user, id: bob}]
resources:
- {type: document, id: d1, name: Plan, attributes: {status: draft}}
- {type: document, id: d2, attributes: {status: draft}}
- {type: document, id: d3, attributes: {status: draft}}
- {type: document, id: d4, attributes: {status: final}}
assignments: [{role: editor, subject: {type: user, id: alice}}]
grants: [{id: g1, subject: {type: user, id: bob}, resource: {type: document, id: d4}, actions: [read]}]
policies:
- {id: all-read, effect: ALLOW, roles: [editor], resource_types: [{resource_type_id: document, actions: [read]}]}
- id: editing
  effect: ALLOW
  roles: [editor]
  resource_types: [{resource_type_id: document, actions: [edit]}]
  conditions: {resource_attrs: [{key: status, op: eq, value: draft}]}
- id: sending
  effect: ALLOW
  roles: [editor]
  resource_types: [{resource_type_id: memo, actions: [send]}]
  conditions:
    resource_attrs: [{key: size, op: lt, value: 9}]
    subject_attrs: [{key: desk, op: eq, value: 1}]
    context_attrs: [{key: mfa, op: eq, value: true}]
"""
ALICE = {"type": "user", "id": "alice"}
BOB = {"type": "user", "id": "bob"}
EDIT = {"name": "edit"}
D1 = {"type": "document", "id": "d1", "properties": {"status": "draft"}}
ASKED = {"subject": ALICE, "action": EDIT, "resource": D1}
FOUND = {"subject": ALICE, "action": EDIT, "resource": {"type": "document"}}
READERS = {"subject": {"type": "user"}, "action": {"name": "read"}, "resource": {"type": "document", "id": "d4"}}
SENDING = {"subject": ALICE, "action": {"name": "send"}, "resource": {"type": "memo", "id": "m1"}}
ONE, MANY, SHORT = "/access/v1/evaluation", "/access/v1/evaluations", "/v1/authorize"
SEARCH = "/access/v1/search/"

CALLS: list[tuple[str, Any]] = [
    (ONE, ASKED),
    (ONE, ASKED | {"subject": BOB}),
    (ONE, ASKED | {"options": {"explain": True}}),
    (ONE, {"subject": ALICE}),
    (ONE, ASKED | {"resource": {"type": "document", "id": 7}}),
    (ONE, ASKED | {"options": {"strict": True}, "contxt": {}}),
    (ONE, []),
    (MANY, ASKED),
    (
        MANY,
        {"subject": ALICE, "action": EDIT, "evaluations": [{"resource": D1}, {"resource": {"type": "document"}}, 3]},
    ),
    (MANY, ASKED | {"evaluations": [{"subject": BOB}, {}], "options": {"evaluations_semantic": "deny_on_first_deny"}}),
    (MANY, ASKED | {"evaluations": {}}),
    (SEARCH + "resource", FOUND | {"options": {"return": "results"}}),
    (SEARCH + "resource", FOUND),
    (SEARCH + "resource", FOUND | {"options": {"return": "both"}}),
    (SEARCH + "resource", FOUND | {"options": {"return": "neither"}}),
    (SEARCH + "resource", FOUND | {"resource": {"type": "page"}}),
    (SEARCH + "resource", FOUND | {"page": {"token": "none"}, "options": {"return": "results"}}),
    (SEARCH + "subject", READERS),
    (SEARCH + "subject", READERS | {"options": {}}),
    (SEARCH + "subject", READERS | {"subject": {}}),
    (SEARCH + "action", {"subject": ALICE, "resource": D1}),
    (SEARCH + "action", {"subject": ALICE, "resource": D1, "options": {}}),
    *((SEARCH + kind, SENDING) for kind in ("resource", "subject", "action")),
    *((SEARCH + "resource", SENDING | {"context": {}, "options": {"return": what}}) for what in ("results", "both")),
    (SHORT, {"subject": "user:alice", "action": "read", "resource": "document:d1"}),
    (SHORT, {"subject": "alice", "action": "read", "resource": "document:d1"}),
    (SHORT, {"requests": [{"subject": "user:bob", "action": "read", "resource": "document:d4"}, {"subject": "alice"}]}),
    (SHORT, {"requests": {}}),
    ("/access/v1/none", {}),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.yaml"
    path.write_text(MODEL)
    return path


@pytest.fixture
def fake(model: Path) -> Iterator[FakeService]:
    with writ.testing.service(writ.testing.engine(model, strict=False)) as served:
        yield served


@pytest.fixture(scope="module")
def real(model: Path) -> Iterator[httpx.Client]:
    with running(model.parent / "data", "--import", str(model)) as server, server.client() as client:
        yield client


@pytest.mark.parametrize(("path", "body"), CALLS)
def test_it_answers_as_the_service_does(real: httpx.Client, fake: FakeService, path: str, body: Any) -> None:
    told, expected = httpx.post(fake.url + path, json=body), real.post(path, json=body)
    assert (told.status_code, told.json()) == (expected.status_code, expected.json())
    for name in ("Content-Type", "Writ-Decision-Id", "Writ-Revision", "X-Request-ID"):
        shapes = [re.sub("[0-9a-f]+", "N", one.headers.get(name, "none")) for one in (told, expected)]
        assert shapes[0] == shapes[1], name


def test_other_faults_are_those_of_the_service(real: httpx.Client, fake: FakeService) -> None:
    for method, more in (
        ("POST", {"content": b"{", "headers": {"Content-Type": "application/json"}}),
        ("POST", {"content": b"{}", "headers": {"Content-Type": "text/plain"}}),
        ("POST", {"headers": {"Content-Type": "application/json"}}),
        ("PUT", {"json": ASKED}),
    ):
        told, expected = httpx.request(method, fake.url + ONE, **more), real.request(method, ONE, **more)
        assert (told.status_code, told.json()["error"]) == (expected.status_code, expected.json()["error"])
        assert told.json().get("details") == expected.json().get("details")


def test_a_refused_request_has_details(fake: FakeService) -> None:
    """W8"""
    told = httpx.post(fake.url + ONE, json={"subject": ALICE, "resource": D1})
    assert told.status_code == 400
    assert told.json()["details"][0]["path"] == "$.action"


def test_pages_follow_each_other(fake: FakeService) -> None:
    """S4"""
    asked = FOUND | {"options": {"return": "results"}, "page": {"limit": 2}}
    first = httpx.post(fake.url + SEARCH + "resource", json=asked).json()
    assert ([one["id"] for one in first["results"]], first["page"]["count"]) == (["d1", "d2"], 2)
    token = {"page": {"token": first["page"]["next_token"]}}
    last = httpx.post(fake.url + SEARCH + "resource", json=asked | token).json()
    assert ([one["id"] for one in last["results"]], last["page"]["next_token"]) == (["d3"], "")
    other = httpx.post(fake.url + SEARCH + "resource", json=asked | token | {"subject": BOB})
    assert (other.status_code, other.json()["details"][0]["path"]) == (400, "$.page.token")


def test_the_client_asks_it(fake: FakeService) -> None:
    """W7: the client finds each call in the metadata."""
    with Client(fake.url, token="a-secret") as client:
        assert client.allowed("user", "alice", "edit", "document", "d1", resource={"status": "draft"})
        assert [one["decision"] for one in client.decide_many([ASKED, ASKED | {"subject": BOB}])] == [True, False]
        assert [one["id"] for one in client.resources(FOUND)] == ["d1", "d2", "d3"]
        assert [one["id"] for one in client.subjects(READERS)] == ["alice", "bob"]
        assert client.filter(FOUND)["filter"]["type"] != "const"
        writ.testing.assert_allowed(client, "user", "alice", "edit", "document", "d1", resource={"status": "draft"})
        with pytest.raises(AssertionError, match="the role `editor`, which the subject does not hold"):
            writ.testing.assert_allowed(client, "user", "bob", "edit", "document", "d1", resource={"status": "draft"})


def test_it_records_what_it_got(fake: FakeService) -> None:
    httpx.post(fake.url + ONE, json=ASKED, headers={"Authorization": "Bearer a", "X-Request-ID": "r1"})
    told = httpx.post(fake.url + ONE + "?a=b", content=b"no JSON", headers={"X-Request-ID": "r2"})
    assert told.headers["X-Request-ID"] == "r2"
    first, second = fake.requests
    assert (first.method, first.path, first.body) == ("POST", ONE, ASKED)
    assert (first.headers["authorization"], first.headers["x-request-id"]) == ("Bearer a", "r1")
    assert (second.path, second.body) == (ONE, "no JSON")


def test_an_engine_of_a_bundle_has_no_searches(model: Path, tmp_path: Path) -> None:
    """Contract 7.3: 501, and the metadata does not name them."""
    build_bundle([model], tmp_path / "model.bundle")
    with writ.testing.service(Engine.open(tmp_path / "model.bundle")) as fake:
        assert httpx.post(fake.url + ONE, json=ASKED).json()["decision"] is True
        assert httpx.post(fake.url + SEARCH + "subject", json=READERS).status_code == 501
        found = httpx.get(f"{fake.url}/.well-known/authzen-configuration").json()
        assert "search_subject_endpoint" not in found
        assert found["writ_filter_endpoint"] == f"{fake.url}/access/v1/search/resource"


def test_a_failing_engine_is_no_permission(fake: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("a secret of the engine")

    monkeypatch.setattr(writ.testing.TestingEngine, "undeclared", fails)
    told = httpx.post(fake.url + SEARCH + "subject", json=READERS)
    assert (told.status_code, "secret" in told.text) == (500, False)


def test_a_body_over_the_limit_is_refused(fake: FakeService) -> None:
    told = httpx.post(fake.url + ONE, content=b" " * (2**20 + 1), headers={"Content-Type": "application/json"})
    assert told.status_code == 413


def test_each_decision_has_its_id(fake: FakeService) -> None:
    found = {httpx.post(fake.url + ONE, json=ASKED).headers["Writ-Decision-Id"] for _ in range(5)}
    assert len(found) == 5


def test_a_revision_token_counts_as_at_the_service(real: httpx.Client, fake: FakeService) -> None:
    """A newer revision never comes, as after a write that was lost. A service that was left behind refuses."""
    for ask, url in ((httpx.post, fake.url + ONE), (real.post, ONE)):
        token = ask(url, json=ASKED).headers["Writ-Revision"]
        uuid, epoch, revision = token.split(".")
        for least, status, code in (
            (token, 200, None),
            (f"{uuid}.{epoch}.{int(revision) + 9}", 503, None),
            (f"{uuid}.{int(epoch) + 1}.{revision}", 409, "later-epoch"),
            (f"{'0' * 8}-0000-0000-0000-{'0' * 12}.{epoch}.{revision}", 409, "other-environment"),
            ("newest", 400, None),
        ):
            told = ask(url, json=ASKED, headers={"Writ-Min-Revision": least})
            found = told.json().get("details", [{}])[0].get("code")
            assert (told.status_code, found, "Retry-After" in told.headers) == (status, code, status == 503), least
    with Client(fake.url) as client:
        client.revision = f"{uuid}.{epoch}.{revision}"  # of the real service
        with pytest.raises(Refused, match="another environment"):
            client.decide(ASKED)


def test_it_manages_nothing(fake: FakeService) -> None:
    with Client(fake.url) as client, pytest.raises(writ.Error, match="answers questions only"):
        client.grants.share({"type": "document", "id": "d1"}, ["read"], subject=BOB)
    assert httpx.get(fake.url + "/v1/environments/default/model").status_code == 501


def test_many_threads_ask_at_once(fake: FakeService) -> None:
    def ask() -> None:
        with httpx.Client() as client:
            found.extend(client.post(fake.url + ONE, json=ASKED).json()["decision"] for _ in range(20))

    found: list[bool] = []
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [True] * 160
    assert len(fake.requests) == 160


def test_it_ends_with_its_block(model: Path) -> None:
    with httpx.Client() as client:
        with writ.testing.service(writ.testing.engine(model)) as fake:
            assert client.post(fake.url + ONE, json=ASKED).status_code == 200
        with pytest.raises(httpx.TransportError):
            client.post(fake.url + ONE, json=ASKED)
