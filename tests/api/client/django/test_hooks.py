"""`writ.django` in Django's own server: `has_perm`, `ahas_perm`, and the views of REST framework."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.pages import ROOT
from tests.support.web_applications import REASON_CODE

pytest.importorskip("django", reason="django is not installed")
pytest.importorskip("rest_framework", reason="djangorestframework is not installed")

PROJECT = "tests.api.client.django.project"
ALICE, BOB = {"User": "alice"}, {"User": "bob"}


@contextmanager
def served(folder: Path, kind: str) -> Iterator[httpx.Client]:
    """Serves the project with a decision point of this kind."""
    line = [sys.executable, "-m", PROJECT, folder, kind]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            assert port, (folder / "log").read_text()
            with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
                yield client
        finally:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module", params=["engine", "looping"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with served(tmp_path_factory.mktemp("project"), request.param) as client:
        yield client


@pytest.mark.parametrize("call", ["has_perm", "ahas_perm"])
def test_permissions(call: str, client: httpx.Client) -> None:
    """Without an object, a permission is that on every object of the type."""
    for user, perm, id, expected in [
        ("alice", "documents.read_document", "d1", True),
        ("alice", "read", "d1", True),
        ("bob", "documents.read_document", "d1", False),
        ("bob", "documents.read_document", "d3", True),  # a direct grant
        ("alice", "documents.read_document", "", True),
        ("bob", "documents.read_document", "", False),
        ("alice", "documents.change_document", "", False),  # under conditions alone
        ("alice", "read", "", False),
        ("gone", "read", "d1", False),
        ("", "read", "d1", False),
        ("alice", "erase", "d1", False),  # strict: no such action
    ]:
        answer = client.get(f"/{call}", params={"user": user, "perm": perm, "id": id})
        assert answer.json() == {"answer": expected}, (user, perm, id)


def test_views_of_rest_framework(client: httpx.Client) -> None:
    assert client.get("/documents/d1", headers=ALICE).json() == {"id": "d1", "status": "draft"}
    assert [one["id"] for one in client.get("/documents", headers=BOB).json()] == ["d3"]
    assert [one["id"] for one in client.get("/documents", headers=ALICE).json()] == ["d1", "d2", "d3"]
    assert len(client.get("/unfiltered", headers=ALICE).json()) == 3


def test_refusals_of_rest_framework(client: httpx.Client) -> None:
    refused = client.get("/documents/d1", headers=BOB)
    assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_POLICY_MATCH")
    assert refused.json()["reason_code"] == "NO_POLICY_MATCH"
    refused = client.put("/documents/d1", headers=ALICE, json={"id": "d1", "status": "final"})
    assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "CONDITION_FAILED")
    for call in ({"method": "GET", "url": "/unfiltered", "headers": BOB}, {"method": "POST", "url": "/documents"}):
        refused = client.request(**{"headers": ALICE, **call})
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "DENIED")
    for path in ("/documents", "/documents/d1"):
        assert client.get(path).headers[REASON_CODE] == "NO_SUBJECT"


def test_a_new_object_is_asked_about_before_it_stays(tmp_path: Path) -> None:
    new = {"id": "d8", "status": "draft"}
    with served(tmp_path, "engine") as client:
        refused = client.post("/creating", headers=BOB, json=new)
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_POLICY_MATCH")
        assert client.post("/creating", headers=BOB, json=[new, new | {"id": "d9"}]).status_code == 403
        assert client.post("/careless", headers=ALICE, json=new).status_code == 500
        assert client.post("/creating", json=new).headers[REASON_CODE] == "NO_SUBJECT"
        assert client.post("/creating", headers=ALICE, json={"id": "d8"}).status_code == 400
        assert client.get("/documents/d8", headers=ALICE).status_code == 404
        assert client.post("/creating", headers=ALICE, json=new).json() == new
        several = [new | {"id": "d9"}, new | {"id": "d10"}]
        assert client.post("/creating", headers=ALICE, json=several).json() == several
        assert client.post("/documents", headers=ALICE, json=new | {"id": "d11"}).status_code == 403
        found = [one["id"] for one in client.get("/documents", headers=ALICE).json()]
        assert found == ["d1", "d10", "d2", "d3", "d8", "d9"]


def test_an_update_is_asked_about_with_the_new_values(tmp_path: Path) -> None:
    """Who owns a document can't give it to another tenant or owner, and what the view did beside is taken back."""
    with served(tmp_path, "owners") as client:
        for method, body in (("PATCH", {"status": "bob"}), ("PUT", {"id": "d1", "status": "bob"})):
            refused = client.request(method, "/updating/d1", headers=ALICE, json=body)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "CONDITION_FAILED")
            assert client.request(method, "/updating/d1", headers=BOB, json=body).status_code == 403
        assert client.request("PATCH", "/updating/d2", headers=ALICE, json={"status": "alice"}).status_code == 403
        allowed = client.request("PATCH", "/updating/d1", headers=ALICE, json={"status": "alice"})
        assert (allowed.status_code, allowed.json()) == (200, {"id": "d1", "status": "alice"})
        assert client.request("PATCH", "/updating/d2", headers=ALICE, json={"status": "bob"}).status_code == 403
        assert client.request("PATCH", "/trusting/d1", headers=ALICE, json={"status": "bob"}).status_code == 200
        assert client.request("PATCH", "/updating/d1", headers=BOB, json={"status": "bob"}).status_code == 200


def test_a_block_of_changes_is_asked_about_before_and_after(tmp_path: Path) -> None:
    with served(tmp_path, "owners") as client:

        def change(id: str, user: str, status: str) -> int:
            return client.get("/changing", params={"id": id, "user": user, "status": status}).status_code

        assert change("d1", "alice", "bob") == 403
        assert change("d1", "bob", "bob") == 403
        assert change("d1", "alice", "alice") == 200
        assert change("new", "alice", "bob") == 403
        assert change("new", "alice", "alice") == 200
        assert change("new", "bob", "bob") == 403


def test_without_a_decision_there_is_no_permission(tmp_path: Path) -> None:
    with served(tmp_path, "none") as client:
        for call in ("has_perm", "ahas_perm"):
            for id in ("", "d1"):
                asked = {"user": "alice", "perm": "documents.read_document", "id": id}
                assert client.get(f"/{call}", params=asked).json() == {"answer": False}
        for path in ("/documents", "/documents/d1", "/unfiltered"):
            refused = client.get(path, headers=ALICE)
            assert (refused.status_code, refused.headers[REASON_CODE]) == (503, "NO_DECISION")
