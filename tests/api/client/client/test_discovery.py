"""The URLs of a decision point: its metadata, the standard paths without them, and what it does not offer."""

import logging

import pytest
import writ
from writ.client import Unreachable

from tests.api.client.client.conftest import Opened
from tests.api.conftest import ALICE, ALLOWED, READ
from tests.support.decision_point import METADATA, DecisionPoint, answers, deciding
from tests.support.ports import free_port
from tests.support.server import KEY, Server

DOCUMENT = {
    "policy_decision_point": "",
    "access_evaluation_endpoint": "/access/own/one",
    "access_evaluations_endpoint": "/access/own/many",
    "search_resource_endpoint": "/access/own/search",
}
SEARCH = {"subject": ALICE, "action": READ, "resource": {"type": "document"}}


def test_the_urls_are_those_of_the_metadata(opened: Opened, point: DecisionPoint) -> None:
    """They are read once."""
    point.metadata = DOCUMENT
    asker = opened(point.url + "/")
    assert asker.call("decide", ALLOWED) == {"decision": True}
    assert asker.call("decide_many", [ALLOWED, ALLOWED]) == [{"decision": True}] * 2
    point.script = [answers(200, {"results": [{"type": "document", "id": "d1"}]})]
    assert asker.call("resources", SEARCH) == [{"type": "document", "id": "d1"}]
    paths = [one.path for one in point.asked]
    assert paths == [METADATA, "/access/own/one", "/access/own/many", "/access/own/search"]


def test_without_metadata_the_standard_paths_hold(opened: Opened, point: DecisionPoint) -> None:
    asker = opened(point.url, environment="a b")
    assert asker.call("decide", ALLOWED) == {"decision": True}
    assert point.asked[0].path == f"{METADATA}/environments/a%20b"
    with pytest.raises(writ.SearchUnavailable, match="no filters"):
        asker.call("filter", SEARCH)


def test_what_is_not_offered_is_not_asked(opened: Opened, point: DecisionPoint) -> None:
    """authzen.md 85: a member that is absent tells so. A batch is then asked one by one."""
    point.metadata = {name: DOCUMENT[name] for name in ("policy_decision_point", "access_evaluation_endpoint")}
    asker = opened(point.url)
    for kind in ("resources", "subjects", "actions", "filter"):
        with pytest.raises(writ.SearchUnavailable):
            asker.call(kind, SEARCH | {"resource": {"type": "document", "id": "d1"}})
        with pytest.raises(writ.BadRequest):
            asker.call(kind, {})
    point.script = [answers(200, {"decision": False}), answers(400), answers(200, {"decision": True})]
    found = asker.call("decide_many", [ALLOWED] * 3)
    assert [one["decision"] for one in found] == [False, False, True]
    assert found[1]["context"]["error"]["status"] == 400
    assert {one.path for one in point.questions} == {"/access/own/one"}


def test_metadata_with_another_identifier_are_not_followed(
    opened: Opened, point: DecisionPoint, caplog: pytest.LogCaptureFixture
) -> None:
    """authzen.md 85: they may come from anyone, and lead anywhere. The standard paths hold."""
    point.metadata = {**DOCUMENT, "policy_decision_point": "/other", "writ_filter_endpoint": "/elsewhere"}
    asker = opened(point.url)
    point.script = [answers(200, {"filter": {"type": "const", "value": True}, "context": {}})]
    with caplog.at_level(logging.WARNING, "writ.client"):
        assert asker.call("filter", SEARCH)["filter"] == {"type": "const", "value": True}
    assert [one.path for one in point.questions] == ["/access/v1/search/resource"]
    assert "calls itself" in caplog.text


ODD = ("http://[::1", "http://127.0.0.1:99999/a", "http://a b/", "http://a\x00/", "http:///a", "ftp://a/", "//a/b", "a",
       "http://" + "a" * 70_000, "http://\u2028/", "http://a\\@b/", "http://é.example/")  # fmt: skip


def told(point: DecisionPoint, url: str) -> None:
    """Makes the metadata name a URL for searches, which is another server's."""
    metadata = {
        "policy_decision_point": point.url,
        "access_evaluation_endpoint": f"{point.url}/access/own/one",
        "search_resource_endpoint": url,
    }
    point.always = lambda handler: handler.reply(200, {"decision": True, "results": []})
    point.whole = metadata


@pytest.mark.parametrize("url", ODD)
def test_an_odd_url_in_the_metadata_is_not_used(opened: Opened, point: DecisionPoint, url: str) -> None:
    """The standard paths hold."""
    told(point, url)
    asker = opened(point.url, timeout=20, token="key")
    assert asker.call("decide", ALLOWED)["decision"] is True
    assert asker.call("resources", SEARCH) == []
    assert [one.path for one in point.questions] == ["/access/v1/evaluation", "/access/v1/search/resource"]


def test_a_key_goes_only_to_the_origin_of_the_identifier(
    opened: Opened, point: DecisionPoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor does the client send a user and a password that stand in a URL of the metadata."""
    with deciding() as other:
        other.always = point.always = answers(200, {"results": []})
        with_user = point.url.replace("http://", "http://user:pw@")
        for url in (f"{other.url}/search", f"{with_user}/search", f"https{point.url[4:]}/search"):
            told(point, url)
            point.asked.clear()
            with caplog.at_level(logging.WARNING, "writ.client"):
                assert opened(point.url, timeout=20, token="key").call("resources", SEARCH) == []
            assert [one.path for one in point.questions] == ["/access/v1/search/resource"]
            assert all(one.headers.get("authorization") in (None, "Bearer key") for one in point.asked)
            assert "Name its origin in `origins`" in caplog.text
        assert other.asked == []
        told(point, f"{other.url}/search")
        assert opened(point.url, timeout=20, token="key", origins=[other.url]).call("resources", SEARCH) == []
        assert [(one.path, one.headers["authorization"]) for one in other.asked] == [("/search", "Bearer key")]
    with pytest.raises(ValueError, match="no origin"):
        opened(point.url, origins=["search.example"])


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "http://127.0.0.1:x", "http://[::1", "http://a:0"])
def test_an_odd_url_of_the_application_is_refused_at_once(opened: Opened, url: str) -> None:
    with pytest.raises(ValueError, match="no URL of a decision point"):
        opened(url)


@pytest.mark.parametrize("document", [{}, {"policy_decision_point": ""}])
def test_metadata_without_what_is_required(opened: Opened, point: DecisionPoint, document: dict[str, str]) -> None:
    point.metadata = document
    assert opened(point.url).allowed()
    assert point.questions[0].path == "/access/v1/evaluation"


def test_a_service_of_writ(opened: Opened, server: Server) -> None:
    """Named environments have their own metadata."""
    for options in ({}, {"environment": "default"}, {"discover": False}):
        asker = opened(server.url, token=KEY, timeout=10, **options)
        assert asker.call("decide", ALLOWED)["decision"]
        assert asker.call("filter", SEARCH)["filter"]
    with pytest.raises(writ.Error, match="no environment `nowhere`"):
        opened(server.url, token=KEY, environment="nowhere", timeout=10).call("decide", ALLOWED)


def test_no_metadata_are_read_if_not_wanted(opened: Opened, point: DecisionPoint) -> None:
    assert opened(point.url, discover=False).allowed()
    assert [one.path for one in point.asked] == ["/access/v1/evaluation"]


def test_nothing_is_assumed_while_nobody_answers(opened: Opened) -> None:
    with pytest.raises(Unreachable):
        opened(f"http://127.0.0.1:{free_port()}", timeout=0.3).call("decide", ALLOWED)
