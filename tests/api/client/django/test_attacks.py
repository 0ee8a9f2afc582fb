"""`writ.django` against paths, methods and objects that its views did not expect."""

from collections.abc import Iterator

import httpx
import pytest

from tests.api.client.django.test_hooks import ALICE, BOB, served
from tests.support.web_applications import REASON_CODE

pytest.importorskip("django", reason="django is not installed")
pytest.importorskip("rest_framework", reason="djangorestframework is not installed")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with served(tmp_path_factory.mktemp("project"), "engine") as client:
        yield client


@pytest.mark.parametrize("path", ["/folders/d1/documents", "/sets/d1/documents", "/folders/x/documents"])
def test_a_list_below_another_object_is_filtered(path: str, client: httpx.Client) -> None:
    """The key in the path is that of the folder. It makes no view of one document."""
    assert [one["id"] for one in client.get(path, headers=BOB).json()] == ["d3"]
    assert [one["id"] for one in client.get(path, headers=ALICE).json()] == ["d1", "d2", "d3"]


def test_nothing_is_created_below_another_object(client: httpx.Client) -> None:
    refused = client.post("/sets/d1/documents", headers=BOB, json={"id": "d9", "status": "draft"})
    assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "DENIED")


def test_head_needs_what_get_needs(client: httpx.Client) -> None:
    for method in ("GET", "HEAD"):
        refused = client.request(method, "/exports/d1", headers=ALICE)
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "CONDITION_FAILED"), method


def test_a_view_without_a_model_runs_for_no_one(client: httpx.Client) -> None:
    for path in ("/plain", "/plain/d1"):
        refused = client.get(path, headers=ALICE)
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "REQUEST_REFUSED"), path


def test_a_user_that_is_not_active_is_no_subject(client: httpx.Client) -> None:
    for path in ("/documents/d3", "/documents", "/unfiltered"):
        refused = client.get(path, headers={"User": "gone"})
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_SUBJECT"), path


def test_options_tell_no_refusal_of_another_method(client: httpx.Client) -> None:
    """REST framework asks what PUT could do, and answers 200 without it."""
    answer = client.options("/documents/d1", headers=BOB)
    assert answer.status_code == 200
    assert "actions" not in answer.json()
    assert REASON_CODE not in answer.headers
    assert client.options("/documents/d1").headers[REASON_CODE] == "NO_SUBJECT"


@pytest.mark.parametrize("call", ["has_perm", "ahas_perm"])
def test_permissions_of_strange_objects_and_names(call: str, client: httpx.Client) -> None:
    for perm, id, expected in [
        ("documents.read_document", "a text", False),
        ("documents.read_document", "the model", False),
        ("documents.read_paper", "", True),  # its type is `document`
        ("documents.change_paper", "", False),
        ("post.read_document", "", False),  # its type is `parcel`
        ("documents.read", "", False),
        ("documents.read_", "", False),
        ("documents._document", "", False),
        ("_", "", False),
        ("", "", False),
        ("a.b.read_document\n", "", False),
        ("documents._document", "d1", False),
        ("", "d1", False),
        ("read_document_document", "d1", False),
        ("documents.read_" + "document" * 100, "d1", False),
    ]:
        answer = client.get(f"/{call}", params={"user": "alice", "perm": perm, "id": id})
        assert (answer.status_code, answer.json()) == (200, {"answer": expected}), (perm, id)


def test_attributes_are_those_that_the_database_holds(client: httpx.Client) -> None:
    """A file is its name. A naive instant is one of `TIME_ZONE`, here New York in summer."""
    asked = client.get("/attributes").json()
    assert asked["action"] == {"name": "read"}
    expected = {"scan": "scans/p1.pdf", "due": "2026-07-01T16:00:00.000000Z"}
    assert asked["resource"] == {"type": "document", "id": "p1", "properties": expected}


def test_a_view_that_asks_about_no_object_answers_nothing(client: httpx.Client) -> None:
    for name in (ALICE, BOB):
        assert client.get("/actions/d1/forgetful/", headers=name).status_code == 500
        assert client.options("/actions/d1/forgetful/", headers=name).status_code == 200
    for path in ("careful", "publish"):
        assert client.get(f"/actions/d1/{path}/", headers=ALICE).json() == "draft"
        refused = client.get(f"/actions/d1/{path}/", headers=BOB)
        assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "NO_POLICY_MATCH")
        assert client.get(f"/actions/d3/{path}/", headers=BOB).json() == "draft"


def test_to_post_to_an_action_is_not_to_create(client: httpx.Client) -> None:
    """The model is strict and has no action `publish`, so the question names one that is not declared."""
    refused = client.post("/actions/d1/publish/", headers=ALICE)
    assert (refused.status_code, refused.headers[REASON_CODE]) == (403, "REQUEST_REFUSED")
