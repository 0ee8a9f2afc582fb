"""A service whose people sign in at a small provider in this process, both with a clock that tests move."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.settings.settings import HttpLimits
from writ.api.settings.sign_in_settings import SignInSettings

from tests.support.clock import Clock
from tests.support.managed import Managed
from tests.support.openid_provider import CLIENT, SECRET, OpenIdProvider, openid_provider
from tests.support.signing_in import MOST_FAILED, PUBLIC, RULES, Browser


@pytest.fixture(scope="module")
def the_provider() -> Iterator[OpenIdProvider]:
    with openid_provider() as found:
        yield found


@pytest.fixture
def provider(the_provider: OpenIdProvider) -> OpenIdProvider:
    """The provider, as honest as at first."""
    url = the_provider.url
    the_provider.__dict__.clear()
    the_provider.__init__(url)  # type: ignore[misc]
    return the_provider


@pytest.fixture
def browser(provider: OpenIdProvider, tmp_path: Path) -> Iterator[Browser]:
    clock = Clock(1_900_000_000.0)
    provider.clock = clock
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    settings = SignInSettings(
        issuer=provider.url,
        client_id=CLIENT,
        secret_file=str(tmp_path / "secret"),
        roles=str(tmp_path / "rules.json"),
    )
    limits = HttpLimits(failed_attempts=MOST_FAILED)
    service = Managed(tmp_path / "data", limits, clock=clock, sign_in=settings, public_url=PUBLIC)
    service.simulate_post("/v1/environments", json={"id": "stage"})
    yield Browser(service, provider, clock)
    service.store.close()
