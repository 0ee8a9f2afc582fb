"""`Writ-Revision` on every write and every decision of the service, and `Writ-Min-Revision`."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.conftest import ALICE, ALLOWED, PLAN, READ
from tests.support.command import writ
from tests.support.managed import MEMBERS, Managed
from tests.support.server import Server, running

ENV = "/v1/environments/default"
EVALUATION = "/access/v1/evaluation"
DECISIONS: dict[str, dict[str, Any]] = {
    EVALUATION: ALLOWED,
    "/environments/default/access/v1/evaluation": ALLOWED,
    "/access/v1/evaluations": {"evaluations": [ALLOWED, ALLOWED]},
    "/v1/authorize": {"subject": "user:alice", "action": "read", "resource": "document:d1"},
    "/access/v1/search/resource": {"subject": ALICE, "action": READ, "resource": {"type": "document"}},
    "/access/v1/search/subject": {"subject": {"type": "user"}, "action": READ, "resource": PLAN},
    "/access/v1/search/action": {"subject": ALICE, "resource": PLAN},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    """A service that these tests change."""
    with running(tmp_path_factory.mktemp("tokens") / "data", "--import", str(model_file)) as started:
        yield started


@pytest.fixture(scope="module")
def http(server: Server) -> Iterator[httpx.Client]:
    """A client of this service."""
    with server.client() as client:
        yield client


def token(http: httpx.Client) -> str:
    """The token of the environment's newest revision."""
    found = http.get(ENV).json()
    return f"{found['uuid']}.{found['epoch']}.{found['revision']}"


def asked(http: httpx.Client, least: str, path: str = EVALUATION) -> httpx.Response:
    """Ask for a decision by a revision."""
    return http.post(path, json=DECISIONS[path], headers={"Writ-Min-Revision": least})


@pytest.mark.parametrize("path", DECISIONS)
def test_every_decision_tells_the_revision_that_decided(http: httpx.Client, path: str) -> None:
    """In the lane and in the application."""
    answers = [http.post(path, json=DECISIONS[path]) for _ in range(3)] + [asked(http, token(http), path)]
    assert {one.status_code for one in answers} == {200}
    assert {one.headers["writ-revision"] for one in answers} == {token(http)}


def test_a_write_is_seen_by_a_decision_that_asks_for_it(http: httpx.Client) -> None:
    body = {"role": "editor", "subject": {"type": "user", "id": "tess"}}
    made = http.post(f"{ENV}/assignments", json=body)
    question = ALLOWED | {"subject": body["subject"]}
    found = http.post(EVALUATION, json=question, headers={"Writ-Min-Revision": made.headers["writ-revision"]})
    assert (found.json()["decision"], found.headers["writ-revision"]) == (True, made.headers["writ-revision"])
    again = http.post(f"{ENV}/assignments", json=body)
    assert (again.status_code, again.headers["writ-revision"]) == (200, made.headers["writ-revision"]), "no change"


@pytest.mark.parametrize("path", DECISIONS)
def test_a_token_that_nothing_can_follow_is_refused(http: httpx.Client, path: str) -> None:
    uuid, epoch, revision = token(http).split(".")
    other = http.post("/v1/environments", json={"id": f"other{len(path)}"}).json()["uuid"]
    for least, code in ((f"{other}.{epoch}.1", "other-environment"), (f"{uuid}.{int(epoch) + 1}.1", "later-epoch")):
        answer = asked(http, least, path)
        assert (answer.status_code, answer.json()["details"][0]["code"]) == (409, code)
    for least in (revision, f"{uuid}.{epoch}", f"{uuid}.{epoch}.-1", f"{uuid}.{epoch}.{revision}, x", "", "٣"):
        sent = {"Writ-Min-Revision": least.encode()}
        assert http.post(path, json=DECISIONS[path], headers=sent).status_code == 400, least


def test_a_revision_that_does_not_come_is_503_after_a_second(http: httpx.Client) -> None:
    uuid, epoch, revision = token(http).split(".")
    began = time.monotonic()
    answer = asked(http, f"{uuid}.{epoch}.{int(revision) + 1}")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert 0.9 < time.monotonic() - began < 20


def test_every_write_in_an_environment_tells_its_revision(service: Managed) -> None:
    def current() -> str:
        return service.store.environment("default").etag

    for path, body in MEMBERS.items():
        made = service.simulate_post(f"{ENV}/{path}", json=body)
        assert (made.status_code, made.headers["writ-revision"]) == (201, current()), path
    model = service.simulate_get(f"{ENV}/model").json
    writes: list[tuple[str, str, Any]] = [
        ("PUT", "/roles/editor", {"id": "editor", "name": "Writer"}),
        ("PUT", "/roles/editor", {"id": "editor", "name": "Writer"}),
        ("PATCH", "/roles/editor", {"name": "Editor"}),
        ("POST", "/roles:batch", {"items": [{"id": "one"}, {"id": "two"}]}),
        ("DELETE", "/roles/two", None),
        ("PUT", "/attributes", {"context": {"mfa": "boolean"}}),
        ("PUT", "/gateway", {"subject": {"header": "X-User"}}),
        ("DELETE", "/gateway", None),
        ("PATCH", "", {"description": "tried"}),
        ("POST", "/revisions/3/restore", {"dry_run": True}),
        ("PUT", "/model", model),
    ]
    for method, path, body in writes:
        answer = service.simulate_request(method, ENV + path, json=body)
        assert answer.status_code < 300, (method, path, answer.text)
        assert answer.headers["writ-revision"] == current(), (method, path)
    made = service.simulate_post("/v1/environments", json={"id": "staging"})
    assert (made.status_code, made.headers.get("writ-revision")) == (201, None), "outside an environment"
    assert "writ-revision" not in service.simulate_get(ENV).headers


def test_a_restored_backup_begins_another_epoch(tmp_path: Path, model_file: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy.db"
    with running(data, "--import", str(model_file)) as server, server.client() as http:
        assert writ("backup", copy, "--data", data).returncode == 0
        http.post(f"{ENV}/roles", json={"id": "later"}).raise_for_status()
        before = http.post(EVALUATION, json=ALLOWED).headers["writ-revision"]
    assert writ("restore", copy, "--data", data).returncode == 0
    with running(data) as server, server.client() as http:
        assert asked(http, before).json()["details"][0]["code"] == "other-epoch"
        after = http.post(EVALUATION, json=ALLOWED).headers["writ-revision"]
        assert after == token(http) != before
        assert asked(http, after).status_code == 200
