"""A token from the future is refused, whether a worker remembers it or not: `iat` and `nbf` count at every use."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import jwt
import pytest
from writ.api.identity.tokens.token_claims import SKEW_SECONDS

from tests.support.clock import Clock
from tests.support.managed import SIGNING, Managed

NOW = 1_800_000_000.0
LISTED = "/v1/environments"


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def managed(directory: Path, clock: Clock) -> Iterator[Managed]:
    client = Managed(directory, clock=clock)
    yield client
    client.store.close()


def issued(managed: Managed) -> str:
    body = {"name": "app", "scopes": ["read"], "token_lifetime": 3_600}
    client = managed.simulate_post("/v1/clients", json=body).json
    form = {name: client[name] for name in ("client_id", "client_secret")} | {"grant_type": "client_credentials"}
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": ""}
    answer = managed.simulate_post("/v1/oauth/token", body=urlencode(form), headers=headers)
    return str(answer.json["access_token"])


def signed(token: str, **claims: float) -> str:
    """The token with other claims, signed by the service's own key."""
    header = jwt.get_unverified_header(token)
    payload = jwt.decode(token, options={"verify_signature": False}) | claims
    return jwt.encode(payload, SIGNING, header["alg"], headers=header)


def status(managed: Managed, token: str) -> int:
    return managed.simulate_get(LISTED, headers={"Authorization": f"Bearer {token}"}).status_code


@pytest.mark.parametrize("claim", ["iat", "nbf"])
@pytest.mark.parametrize("remembered", [False, True])
def test_the_leeway_is_the_limit(managed, directory, clock, claim, remembered):
    """By a worker that used the token at its time and whose clock was set back, and by one that never saw it."""
    token = signed(issued(managed), **{claim: int(NOW) + 100})
    asked = managed
    if not remembered:
        asked = Managed(directory, clock=clock)
    else:
        clock.now = NOW + 100
        assert [status(managed, token) for _ in range(3)] == [200] * 3
    for later, expected in ((99 - SKEW_SECONDS, 401), (100 - SKEW_SECONDS, 200), (100, 200), (0, 401), (-5_000, 401)):
        clock.now = NOW + later
        assert [status(asked, token) for _ in range(3)] == [expected] * 3, later
    if not remembered:
        asked.store.close()


def test_a_fraction_of_a_second_is_enough(managed, clock):
    """The header is remembered for a second, but not for a clock that was set back before the leeway."""
    token = issued(managed)
    clock.now = NOW - SKEW_SECONDS
    assert status(managed, token) == 200
    clock.now -= 0.01
    assert status(managed, token) == 401
    clock.now += 0.01
    assert status(managed, token) == 200
