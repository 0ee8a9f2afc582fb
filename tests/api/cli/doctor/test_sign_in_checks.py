"""`writ doctor` about the sign-in of people: the provider, the client's secret, and the rules."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from writ.api.cli.doctor.sign_in_checks import check_sign_in
from writ.api.settings.settings import settings_from
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.openid_provider import CLIENT, SECRET, OpenIdProvider, openid_provider

SOUND = ["ok", "ok", "ok", "ok", "ok"]
RULES = {"ask": "us", "rules": [{"group": "admins", "scope": "admin", "environments": ["default"]}]}


@pytest.fixture(scope="module")
def provider() -> Iterator[OpenIdProvider]:
    with openid_provider() as found:
        yield found


@pytest.fixture
def given(provider: OpenIdProvider, tmp_path: Path) -> dict[str, str]:
    """The settings of a sound installation, and its data directory `data`."""
    provider.metadata, provider.raw = {}, None
    Store.open(tmp_path / "data").close()
    (tmp_path / "rules").write_text(json.dumps(RULES))
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "secret").chmod(0o600)
    return {
        "WRIT_OIDC_ISSUER": provider.url,
        "WRIT_OIDC_CLIENT_ID": CLIENT,
        "WRIT_OIDC_CLIENT_SECRET_FILE": str(tmp_path / "secret"),
        "WRIT_OIDC_ROLES": str(tmp_path / "rules"),
    }


def checked(given: dict[str, str], tmp_path: Path) -> list[tuple[str, str]]:
    found = list(check_sign_in(settings_from(given), tmp_path / "data"))
    assert all(bool(one.remedy) == (one.level != "ok") for one in found)
    assert SECRET not in str(found)
    return [(one.level, one.message) for one in found]


def fault(given: dict[str, str], tmp_path: Path) -> tuple[str, str]:
    (only,) = [one for one in checked(given, tmp_path) if one[0] != "ok"]
    return only


def test_a_sound_sign_in(given: dict[str, str], tmp_path: Path) -> None:
    assert [level for level, _ in checked(given, tmp_path)] == SOUND
    before = {path: path.read_bytes() for path in (tmp_path / "data").iterdir()}
    done = writ("doctor", "--data", tmp_path / "data", settings=given)
    lines = [line for line in done.stdout.decode().splitlines() if " sign-in: " in line]
    assert [line.split()[0] for line in lines] == ["OK"] * 5, done.stderr
    assert {path: path.read_bytes() for path in before} == before


CHANGES: dict[str, tuple[Callable[[OpenIdProvider, Path], object], str, str]] = {
    "issuer": (lambda p, _: p.metadata.update(issuer="https://evil.example"), "failure", "names another issuer"),
    "metadata": (lambda p, _: setattr(p, "raw", b"[" * 60_000), "failure", "metadata can't be read"),
    "no keys": (lambda p, _: p.metadata.update(jwks_uri=f"{p.url}/other"), "failure", "can't be read: it is no set"),
    "keys away": (lambda p, _: p.metadata.update(jwks_uri="http://127.0.0.1:1/"), "failure", "keys of the provider"),
    "empty": (lambda _, at: (at / "secret").write_text("\n"), "failure", "is empty"),
    "gone": (lambda _, at: (at / "secret").unlink(), "failure", "names no file"),
    "shared": (lambda _, at: (at / "secret").chmod(0o640), "warning", "other users can use"),
    "no rules": (lambda _, at: (at / "rules").write_text("{"), "failure", "is no file of rules"),
    "scope": (
        lambda _, at: (at / "rules").write_text(json.dumps(RULES).replace('"admin"', '"root"')),
        "failure",
        "root",
    ),
    "environment": (
        lambda _, at: (at / "rules").write_text(json.dumps(RULES).replace("default", "prod")),
        "warning",
        "do not exist: `prod`",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_fault_is_one_line(given: dict[str, str], provider: OpenIdProvider, tmp_path: Path, name: str) -> None:
    change, level, said = CHANGES[name]
    change(provider, tmp_path)
    found = fault(given, tmp_path)
    assert found[0] == level
    assert said in found[1], found


def test_what_the_service_refuses_at_its_start(given: dict[str, str], tmp_path: Path) -> None:
    assert "needs `WRIT_OIDC_CLIENT_ID`" in fault({**given, "WRIT_OIDC_CLIENT_ID": ""}, tmp_path)[1]
    public = fault({**given, "WRIT_OIDC_ISSUER": "http://127.0.0.1:1"}, tmp_path)
    assert public[1].startswith("the provider `http://127.0.0.1:1` can't be used: ")
