"""Commands call a service with the client of applications: its repetitions, its credentials and its messages."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest
from writ.api.cli.output import CommandFailed
from writ.api.cli.remote_service import RemoteService, ServiceRefused
from writ.api.cli.service_options import service_at

from tests.support.decision_point import DecisionPoint, answers, deciding, drops
from tests.support.ports import free_port

DONE = answers(200, {"done": True})


@pytest.fixture
def point() -> Iterator[DecisionPoint]:
    with deciding() as started:
        yield started


@pytest.fixture
def service(point: DecisionPoint) -> Iterator[RemoteService]:
    with closing(RemoteService(point.url + "/", "key")) as opened:
        yield opened


@pytest.mark.parametrize("trouble", [drops, answers(429), answers(503, Retry_After="0")])
def test_a_call_is_repeated(service: RemoteService, point: DecisionPoint, trouble: Any) -> None:
    point.script = [trouble, DONE]
    assert service.call("GET", "/v1/environments", dict[str, bool]) == {"done": True}
    assert [one.headers["authorization"] for one in point.asked] == ["Bearer key"] * 2


def test_a_call_that_may_have_done_its_work_is_not(service: RemoteService, point: DecisionPoint) -> None:
    point.script = [drops, DONE]
    with pytest.raises(CommandFailed, match="gave no answer: "):
        service.call("POST", "/v1/environments", dict[str, bool], {"id": "new"})
    assert len(point.asked) == 1
    point.script = [answers(503), DONE]
    assert service.call("POST", "/v1/environments", dict[str, bool], {"id": "new"}) == {"done": True}


def test_a_document_is_sent_again_from_its_start(service: RemoteService, point: DecisionPoint) -> None:
    point.script = [answers(503, Retry_After="0"), drops, DONE]
    headers = {"Content-Type": "application/json", "Content-Length": "8"}
    sent = service.send("PUT", "/model", lambda: iter([b'{"a"', b": 1}"]), headers, dict[str, bool])
    assert sent == {"done": True}
    assert [one.body for one in point.asked] == [{"a": 1}] * 3
    point.script = [drops]
    with pytest.raises(CommandFailed):
        service.send(
            "PUT", "/model", lambda: iter([b"{}"]), {"If-Match": '"1"', "Content-Length": "2"}, dict[str, bool]
        )
    assert len(point.asked) == 4, "the second request would find what the first one did"


def test_a_long_wait_is_told(service: RemoteService, point: DecisionPoint) -> None:
    point.always = answers(429, Retry_After="60")
    with pytest.raises(ServiceRefused, match="as the test says") as caught:
        service.answer("GET", "/v1/environments")
    assert (caught.value.status, caught.value.retry_after, len(point.asked)) == (429, "60", 1)


def test_no_service_of_writ(service: RemoteService, point: DecisionPoint, tmp_path: Path) -> None:
    point.script = [answers(404, b"<html>"), answers(200, b"<html>")]
    with pytest.raises(CommandFailed, match="answers 404; is it a service of Writ"):
        service.answer("GET", "/")
    with pytest.raises(CommandFailed, match="answers what a service of Writ does not"):
        service.call("GET", "/", dict[str, bool])
    nowhere = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(CommandFailed, match=f"`{nowhere}` can't be reached: connection refused"):
        RemoteService(nowhere, "key").answer("GET", "/")
    with pytest.raises(CommandFailed, match="no URL of a decision point"):
        RemoteService("http://", "key")
    with pytest.raises(CommandFailed, match=r"none\.pem: no such file or directory"):
        RemoteService(nowhere, "key", str(tmp_path / "none.pem"))


@pytest.fixture
def command() -> Iterator[None]:
    """A running command, which closes what it opened."""
    with click.Context(click.Command("test")):
        yield


@pytest.mark.usefixtures("command")
def test_a_client_logs_in(point: DecisionPoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an id and a secret in place of a token, which comes first if both are there."""
    monkeypatch.delenv("WRIT_TOKEN", raising=False)
    monkeypatch.setenv("WRIT_CLIENT_ID", "the id")
    with pytest.raises(CommandFailed, match="set WRIT_TOKEN"):
        service_at(point.url, None, None)
    monkeypatch.setenv("WRIT_CLIENT_SECRET", "the secret")
    point.script = [answers(200, {"access_token": "short", "expires_in": 60}), DONE, answers(401, {"error": "no"}),
                    answers(200, {"access_token": "new", "expires_in": 60}), DONE]  # fmt: skip
    service = service_at(point.url, None, None)
    service.answer("GET", "/first")
    service.answer("POST", "/second", {})
    assert [(one.path, one.headers["authorization"].split()[0]) for one in point.asked[:1]] == [
        ("/v1/oauth/token", "Basic")
    ]
    said = [one.headers["authorization"] for one in point.asked if one.path != "/v1/oauth/token"]
    assert said == ["Bearer short", "Bearer short", "Bearer new"]
    monkeypatch.setenv("WRIT_TOKEN", "key")
    point.script = [DONE]
    service_at(point.url, None, None).answer("GET", "/")
    assert point.asked[-1].headers["authorization"] == "Bearer key"
