"""The credentials of a client: keys that change, tokens that are renewed before they end, and once after a 401."""

import json
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import writ
from writ.client import BadAnswer, Client, ClientCredentials, Refused, Unreachable

from tests.api.client.client.conftest import Opened
from tests.api.conftest import ALLOWED
from tests.support.decision_point import DecisionPoint, Handler, answers, drops
from tests.support.server import Server, running

TOKENS = "/v1/oauth/token"


class Issuer:
    """Answers the token endpoint, and questions with a token that it issued and did not end."""

    def __init__(self, lifetime: float = 3600) -> None:
        self.lifetime, self.issued = lifetime, 0
        self.good: set[str] = set()
        self.trouble: Callable[[Handler], None] | None = None

    def __call__(self, handler: Handler) -> None:
        if handler.path != TOKENS:
            is_good = handler.headers["Authorization"] in self.good
            handler.reply(200 if is_good else 401, {"decision": True} if is_good else {"error": "no"})
        elif self.trouble is not None:
            self.trouble(handler)
        else:
            self.issued += 1
            self.good.add(f"Bearer t{self.issued}")
            handler.reply(200, {"access_token": f"t{self.issued}", "token_type": "Bearer", "expires_in": self.lifetime})


@pytest.fixture
def issuer(point: DecisionPoint) -> Issuer:
    point.always = made = Issuer()
    return made


CLIENT = ClientCredentials("an id", "s:ecret", scope="read")


def test_a_key_goes_along(opened: Opened, point: DecisionPoint) -> None:
    """Not with the metadata, which are public."""
    assert opened(point.url, token="key").allowed()
    assert [one.headers.get("authorization") for one in point.asked] == [None, "Bearer key"]


def test_a_key_is_not_repeated_after_401(opened: Opened, point: DecisionPoint) -> None:
    point.always = answers(401)
    assert not opened(point.url, token="key").allowed()
    assert len(point.questions) == 1


def test_a_function_reads_the_present_key(opened: Opened, point: DecisionPoint, issuer: Issuer) -> None:
    """If it was refused, another one is tried once."""
    issuer.good = {"Bearer new"}
    keys = iter(["old", "new", "new"])
    assert opened(point.url, token=lambda: next(keys)).allowed()
    assert [one.headers["authorization"] for one in point.questions] == ["Bearer old", "Bearer new"]


def test_a_token_is_kept(opened: Opened, point: DecisionPoint, issuer: Issuer) -> None:
    asker = opened(point.url, token=CLIENT)
    assert asker.allowed()
    assert asker.allowed()
    assert issuer.issued == 1
    (asked,) = [one for one in point.asked if one.path == TOKENS]
    assert asked.body == "grant_type=client_credentials&scope=read"
    assert b64decode(asked.headers["authorization"].removeprefix("Basic ")) == b"an%20id:s%3Aecret"


def test_a_token_is_renewed_before_it_ends(
    opened: Opened, point: DecisionPoint, issuer: Issuer, later: Callable[[float], None]
) -> None:
    """After three quarters of its life."""
    issuer.lifetime = 200
    asker = opened(point.url, token=CLIENT)
    assert asker.allowed()
    later(160)
    assert asker.allowed()
    assert issuer.issued == 2
    assert point.questions[-1].headers["authorization"] == "Bearer t2"


def test_a_good_token_serves_while_it_cannot_be_renewed(
    opened: Opened,
    point: DecisionPoint,
    issuer: Issuer,
    caplog: pytest.LogCaptureFixture,
    later: Callable[[float], None],
) -> None:
    issuer.lifetime = 200
    asker = opened(point.url, token=CLIENT)
    assert asker.allowed()
    issuer.trouble = answers(500)
    later(160)
    assert asker.allowed()
    assert "can't be renewed" in caplog.text


def test_a_refused_token_is_renewed_once(opened: Opened, point: DecisionPoint, issuer: Issuer) -> None:
    asker = opened(point.url, token=CLIENT)
    assert asker.allowed()
    issuer.good.clear()
    assert asker.allowed()
    assert issuer.issued == 2
    issuer.good = set()
    point.always = answers(401)
    before = len(point.questions)
    point.script = [answers(401), issuer, answers(401)]
    with pytest.raises(Refused) as caught:
        asker.call("decide", ALLOWED)
    assert caught.value.status == 401
    assert len(point.questions) - before == 2


@pytest.mark.parametrize("trouble", [answers(401), answers(400), answers(500), drops])
def test_without_a_token_nothing_is_asked(
    opened: Opened, point: DecisionPoint, issuer: Issuer, trouble: Callable[[Handler], None]
) -> None:
    issuer.trouble = trouble
    asker = opened(point.url, token=CLIENT)
    with pytest.raises((Refused, Unreachable)):
        asker.call("decide", ALLOWED)
    assert asker.allowed() is False
    assert point.questions == []


@pytest.mark.parametrize("body", [{}, {"access_token": 1}, {"access_token": "a\nb"}, b"no"])
def test_an_answer_without_a_token(opened: Opened, point: DecisionPoint, issuer: Issuer, body: object) -> None:
    issuer.trouble = answers(200, body)
    with pytest.raises(BadAnswer, match="token endpoint"):
        opened(point.url, token=CLIENT).call("decide", ALLOWED)


def test_threads_share_one_token(point: DecisionPoint, issuer: Issuer) -> None:
    together = threading.Barrier(8)

    def ask(_: int) -> bool:
        together.wait()
        return client.allowed("user", "alice", "read", "document", "d1")

    with Client(point.url, token=CLIENT, timeout=10) as client, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))
    assert issuer.issued == 1
    assert len([one for one in point.asked if one.path.startswith("/.well-known")]) == 1


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    """A service of which these tests end clients."""
    with running(tmp_path_factory.mktemp("credentials") / "data", "--import", str(model_file)) as server:
        yield server


def test_a_client_of_writ(opened: Opened, service: Server) -> None:
    """Its tokens end at once when it is revoked, and so does its secret."""
    with service.client() as http:
        made = http.post("/v1/clients", json={"name": "web", "scopes": ["read"], "token_lifetime": 60}).json()
        token = ClientCredentials(made["client_id"], made["client_secret"])
        assert made["client_secret"] not in repr(token)
        asker = opened(service.url, token=token, timeout=10)
        assert asker.call("decide", ALLOWED)["decision"]
        http.post(f"/v1/clients/{made['client_id']}/revoke").raise_for_status()
        with pytest.raises(writ.Error, match="refuses the client"):
            asker.call("decide", ALLOWED)
    assert json.dumps(made["client_id"]).strip('"') in repr(token)
