"""Wrong credentials: counted by address over all workers, and slowed down; whoever has a right one notices nothing."""

import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import jwt
import pytest
from falcon import testing
from writ.api.identity.failed_attempts import SLOTS, FailedAttempts
from writ.api.identity.secret_format import API_KEY, new_secret
from writ.api.settings.settings import HttpLimits
from writ.runtime.rates.server_share import BYTES, ServerShare

from tests.support.clock import Clock
from tests.support.managed import Managed
from tests.support.server import Server, running
from tests.support.waiting import wait_until

CALL, TOKEN, REVOKE = "/v1/environments", "/v1/oauth/token", "/v1/oauth/revoke"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
NOW = 1_800_000_000.0
"""The first second of a minute."""


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


def test_a_minute_has_so_many_attempts_of_one_address(clock: Clock) -> None:
    attempts = FailedAttempts(2, clock)
    clock.now = NOW + 12.7
    assert [attempts.count("192.0.2.1") for _ in range(4)] == [None, None, 48, 48]
    assert attempts.count("192.0.2.2") is None
    clock.now = NOW + 59.99
    assert attempts.count("192.0.2.1") == 1
    clock.now = NOW + 60
    assert [attempts.count("192.0.2.1") for _ in range(3)] == [None, None, 60]


@pytest.mark.parametrize("moved", [-1.0, -60.0, -86_400.0, -2 * NOW, 1e12])
def test_a_clock_that_is_set_blocks_nobody(clock: Clock, moved: float) -> None:
    attempts = FailedAttempts(1, clock)
    assert [attempts.count("192.0.2.1") for _ in range(2)] == [None, 60]
    for clock.now in (NOW + moved, NOW):
        assert attempts.count("192.0.2.1") is None
        assert attempts.count("192.0.2.1") in range(1, 61)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:0:0:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("", "not an address", True),
        ("", "192.0.2.1", False),
    ],
)
def test_who_is_counted_as_one(clock: Clock, one: str, other: str, same: bool) -> None:
    attempts = FailedAttempts(1, clock)
    assert attempts.count(one) is None
    assert (attempts.count(other) is not None) is same


def test_more_addresses_than_slots_share_them(clock: Clock) -> None:
    attempts = FailedAttempts(1, clock)
    found = [attempts.count(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}") for number in range(2 * SLOTS)]
    assert 0 < found.count(None) <= SLOTS


def test_processes_that_fork_share_the_counts(clock: Clock) -> None:
    attempts = FailedAttempts(3, clock)
    for _ in range(3):
        child = os.fork()
        if not child:
            os._exit(attempts.count("192.0.2.1") is not None)
        assert os.waitpid(child, 0)[1] == 0
    assert attempts.count("192.0.2.1") == 60


@pytest.fixture
def strict(tmp_path: Path, clock: Clock) -> Iterator[Managed]:
    """A service on which the second failure in a minute is one too many, and the first has happened."""
    service = Managed(tmp_path / "data", HttpLimits(failed_attempts=1), clock=clock)
    yield service
    service.store.close()


def client_of(service: Managed, **more: Any) -> dict[str, str]:
    made = service.simulate_post("/v1/clients", json={"name": "c", "scopes": ["read"]} | more)
    assert made.status_code == 201, made.text
    return {"client_id": made.json["client_id"], "client_secret": made.json["client_secret"]}


def with_key(service: Managed, header: str | None, **more: Any) -> testing.Result:
    headers = {} if header is None else {"Authorization": header}
    return testing.TestClient(service.app).simulate_get(CALL, headers=headers, **more)


def post(service: Managed, fields: dict[str, str], path: str = TOKEN, **headers: str) -> testing.Result:
    return testing.TestClient(service.app).simulate_post(path, body=urlencode(fields), headers=FORM | headers)


def token_of(service: Managed, client: dict[str, str]) -> str:
    answer = post(service, {"grant_type": "client_credentials"} | client)
    assert answer.status_code == 200, answer.text
    return str(answer.json["access_token"])


def exhaust(service: Managed) -> None:
    while with_key(service, "Bearer wrong").status_code != 429:
        pass


def test_a_guess_too_many_is_429_and_says_when_to_come_back(strict: Managed, clock: Clock) -> None:
    assert with_key(strict, "Bearer wrong").status_code == 401
    clock.now += 20
    answer = with_key(strict, "Bearer wrong")
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "40")
    assert answer.json == {"error": "too many wrong credentials came from this address; try again in 40 s"}
    assert "WWW-Authenticate" not in answer.headers
    clock.now += 40
    assert with_key(strict, "Bearer wrong").status_code == 401


@pytest.mark.parametrize("path", [TOKEN, REVOKE])
def test_so_is_a_secret_at_the_endpoints_of_clients(strict: Managed, path: str) -> None:
    own = client_of(strict)
    fields = {"grant_type": "client_credentials", "token": "x"}
    exhaust(strict)
    for wrong, header in [
        (own | {"client_secret": "wrong"}, {}),
        (own | {"client_id": "nobody"}, {}),
        ({}, {"Authorization": "Basic !"}),
        ({}, {"Authorization": "Basic " + b64encode(b"nobody:wrong").decode()}),
    ]:
        answer = post(strict, fields | wrong, path, **header)
        assert (answer.status_code, answer.json) == (429, {"error": "invalid_client"})
        assert (answer.headers["Retry-After"], answer.headers["Cache-Control"]) == ("60", "no-store")
        assert "WWW-Authenticate" not in answer.headers
    assert post(strict, fields | own, path).status_code == 200


def test_what_is_no_attempt_is_neither_counted_nor_refused(strict: Managed) -> None:
    own = client_of(strict)
    for _ in range(2):
        for _ in range(3):
            assert [with_key(strict, header).status_code for header in (None, "Basic eDp5", "x")] == [401] * 3
            assert post(strict, {"grant_type": "password"} | own).status_code == 400
            assert post(strict, own).status_code == 400
            assert post(strict, {"grant_type": "client_credentials", "scope": "admin"} | own).status_code == 400
            assert post(strict, {"token": "x"}, REVOKE).status_code == 400
        assert with_key(strict, "Bearer wrong").status_code in (401, 429)
    assert with_key(strict, "Bearer wrong").status_code == 429


def test_one_count_for_keys_and_secrets(strict: Managed) -> None:
    own = client_of(strict) | {"client_secret": "wrong", "grant_type": "client_credentials"}
    assert [post(strict, own).status_code, with_key(strict, "Bearer wrong").status_code] == [401, 429]


def test_what_was_good_once_stays_401(strict: Managed, clock: Clock) -> None:
    """A client gets itself another token on 401 (contract 5)."""
    expired, revoked, deleted, ended = (client_of(strict, token_lifetime=seconds) for seconds in (60, 3600, 3600, 3600))
    clients = {"expired": expired, "revoked": revoked, "deleted": deleted, "ended": ended}
    tokens = {name: token_of(strict, one) for name, one in clients.items()}
    tokens["key"] = strict.simulate_post(
        "/v1/api-keys", json={"name": "k", "scopes": ["read"], "expires_at": "2027-01-15T08:00:30Z"}
    ).json["key"]
    assert {with_key(strict, f"Bearer {token}").status_code for token in tokens.values()} == {200}
    assert strict.simulate_post(f"/v1/clients/{revoked['client_id']}/revoke").status_code == 204
    assert strict.simulate_delete(f"/v1/clients/{deleted['client_id']}").status_code == 204
    assert post(strict, ended | {"token": tokens["ended"]}, REVOKE).status_code == 200
    clock.now += 120
    exhaust(strict)
    for name, token in tokens.items():
        answer = with_key(strict, f"Bearer {token}")
        assert answer.status_code == 401, name
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="writ", error="invalid_token"', name
        assert with_key(strict, f"Bearer {token[:-1]}").status_code == 429, name
    grant = {"grant_type": "client_credentials"}
    assert post(strict, grant | revoked).status_code == 401
    assert post(strict, grant | revoked | {"client_secret": "wrong"}).status_code == 429
    unsigned = jwt.encode(jwt.decode(tokens["expired"], options={"verify_signature": False}), None, algorithm="none")
    for guess in (unsigned, new_secret(API_KEY)[0]):
        assert with_key(strict, f"Bearer {guess}").status_code == 429


def test_addresses_are_counted_by_themselves_and_headers_are_not_believed(strict: Managed) -> None:
    claims = ["Forwarded", "X-Forwarded-For", "X-Real-IP"]
    statuses = []
    for number, name in enumerate(claims):
        headers = {"Authorization": "Bearer wrong", name: f"for=192.0.2.{number}" if name == "Forwarded" else "::1"}
        answer = testing.TestClient(strict.app).simulate_get(CALL, headers=headers, remote_addr="192.0.2.77")
        statuses.append(answer.status_code)
    assert statuses == [401, 429, 429]
    malformed = {"Authorization": "Bearer wrong", "Forwarded": 'for="[::1]:port";for=,='}
    assert testing.TestClient(strict.app).simulate_get(CALL, headers=malformed).status_code == 401
    assert with_key(strict, "Bearer wrong", remote_addr="192.0.2.78").status_code == 401


MOST = 20


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("attempts") / "data"
    with running(folder, workers=2, settings={"WRIT_MAX_FAILED_ATTEMPTS": str(MOST)}) as started:
        yield started


def asked(server: Server, key: str, address: str) -> httpx.Response:
    """A call on a connection of its own, from that address."""
    with httpx.Client(base_url=server.url, transport=httpx.HTTPTransport(local_address=address)) as client:
        return client.get(CALL, headers={"Authorization": f"Bearer {key}"})


def refused(attempt: Callable[..., httpx.Response], *arguments: Any) -> tuple[int, httpx.Response]:
    """How often an attempt is made until it is one too many, and the answer then. A minute may end meanwhile."""
    for number in range(2 * MOST + 1):
        answer = attempt(*arguments)
        if answer.status_code == 429:
            return number, answer
        assert answer.status_code == 401
    raise AssertionError("there is no limit")


def test_two_workers_count_together_and_each_address_by_itself(workers: Server) -> None:
    counts = []
    for address in ("127.0.0.11", "127.0.0.12"):  # two, since a minute may end in one
        count, answer = refused(asked, workers, "wrong", address)
        assert int(answer.headers["Retry-After"]) in range(1, 61)
        counts.append(count)
    assert MOST in counts


def test_nobody_can_lock_a_client_out(workers: Server) -> None:
    with workers.client() as admin:
        made = admin.post("/v1/clients", json={"name": "c", "scopes": ["read"], "token_lifetime": 1}).json()
    own = {"client_id": made["client_id"], "client_secret": made["client_secret"]}
    grant = {"grant_type": "client_credentials"}
    wrong = grant | own | {"client_secret": "wrong"}

    def with_secret(fields: dict[str, str]) -> httpx.Response:
        return httpx.post(f"{workers.url}{TOKEN}", data=fields)

    _, answer = refused(with_secret, wrong)
    assert (answer.json(), answer.headers["Cache-Control"]) == ({"error": "invalid_client"}, "no-store")
    token = with_secret(grant | own).json()["access_token"]
    assert wait_until(lambda: asked(workers, token, "127.0.0.1").status_code == 401), "it expires"
    refused(asked, workers, "wrong", "127.0.0.1")
    for _ in range(8):
        assert asked(workers, workers.key, "127.0.0.1").status_code == 200
        assert asked(workers, token, "127.0.0.1").status_code == 401
        assert with_secret(grant | own).status_code == 200
        assert httpx.get(f"{workers.url}{CALL}").status_code == 401


def test_several_servers_allow_together_what_one_allows(clock: Clock) -> None:
    memory = bytearray(BYTES)
    share = ServerShare(memory)
    attempts = FailedAttempts(4, clock, share)
    share.set(0, 2)
    assert [attempts.count("192.0.2.1") is None for _ in range(3)] == [True, True, False]
    found = 0
    for place in range(100):
        share.set(place, 100)
        found += FailedAttempts(4, clock, share).count("192.0.2.2") is None
    assert found == 4, "some servers allow none"
