"""Gateway settings: what each member may be, so that nobody is believed by accident."""

from typing import Any

import msgspec
import pytest
from writ.bundles.routing.settings import MAX_CACHE_SECONDS, GatewaySettings, settings_faults

HEADER: dict[str, Any] = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["10.0.0.0/8", "unix"]}
TOKEN: dict[str, Any] = {
    "issuer": "https://idp.example",
    "audience": "api",
    "algorithms": ["RS256", "EdDSA"],
    "jwks_url": "https://idp.example/jwks.json",
}


def read(given: dict[str, Any]) -> GatewaySettings:
    return msgspec.convert(given, GatewaySettings)


def faults(given: dict[str, Any]) -> list[str]:
    """The paths of the faults, with dots."""
    return [".".join(map(str, one.path)) for one in settings_faults(read(given))]


def jwt(**members: Any) -> dict[str, Any]:
    stated = {name: value for name, value in (TOKEN | members).items() if value is not None}
    return {"subject": {"jwt": stated}}


def test_the_defaults_trust_nobody_and_cache_nothing() -> None:
    settings = read(jwt())
    assert settings.subject.jwt is not None
    assert (settings.trusted_proxies, settings.max_cache_seconds) == ((), 0)
    assert (settings.subject.jwt.id_claim, settings.subject.jwt.type) == ("sub", "user")
    assert not [*settings_faults(settings)]


SOUND = {
    "header": HEADER,
    "file": jwt(jwks_url=None, jwks_file="/etc/writ/idp.json"),
    "this machine": jwt(jwks_url="http://127.0.0.1:8080/jwks"),
    "this machine by name": jwt(jwks_url="http://localhost/jwks"),
    "this machine in IPv6": jwt(jwks_url="http://[::1]:8080/jwks"),
    "claims": jwt(context_claims={"agent": "client_id"}, attribute_claims={"team": "team"}),
    "all headers": HEADER
    | {
        "action_header": "X-Action",
        "resource_header": "X-Resource",
        "max_cache_seconds": MAX_CACHE_SECONDS,
        "response_headers": {"X-Writ-Policy-Id": "policy_id", "X-Department": "attribute:department"},
    },
    "anonymous": HEADER | {"anonymous": {"type": "visitor", "id": "anyone"}},
}


@pytest.mark.parametrize("case", SOUND)
def test_sound_settings(case: str) -> None:
    assert faults(SOUND[case]) == []
    settings = read(SOUND[case])
    assert msgspec.json.decode(msgspec.json.encode(settings), type=GatewaySettings) == settings


FAULTY: dict[str, tuple[dict[str, Any], str]] = {
    "no source": ({"subject": {}}, "subject"),
    "two sources": ({"subject": {"header": "X-Subject", "jwt": TOKEN}}, "subject"),
    "a token that says where it comes from": (jwt(context_claims={"ip": "addr"}), "subject.jwt.context_claims.ip"),
    "a token that says the time": (jwt(context_claims={"time": "iat"}), "subject.jwt.context_claims.time"),
    "no keys": (jwt(jwks_url=None), "subject.jwt"),
    "two places of keys": (jwt(jwks_file="/etc/keys"), "subject.jwt"),
    "relative file": (jwt(jwks_url=None, jwks_file="keys.json"), "subject.jwt.jwks_file"),
    "file above": (jwt(jwks_url=None, jwks_file="/etc/../keys.json"), "subject.jwt.jwks_file"),
    "plain HTTP": (jwt(jwks_url="http://idp.example/jwks"), "subject.jwt.jwks_url"),
    "a name that begins like this machine's": (
        jwt(jwks_url="http://localhost.evil.example/jwks"),
        "subject.jwt.jwks_url",
    ),
    "a file's URL": (jwt(jwks_url="file:///etc/keys"), "subject.jwt.jwks_url"),
    "a user in the URL": (jwt(jwks_url="https://a:b@idp.example/jwks"), "subject.jwt.jwks_url"),
    "no host": (jwt(jwks_url="https:///jwks"), "subject.jwt.jwks_url"),
    "a bad port": (jwt(jwks_url="https://idp.example:x/jwks"), "subject.jwt.jwks_url"),
    "everyone": (HEADER | {"trusted_proxies": ["0.0.0.0/0"]}, "trusted_proxies.0"),
    "everyone in IPv6": (HEADER | {"trusted_proxies": ["10.0.0.1", "::/0"]}, "trusted_proxies.1"),
    "everyone, mapped": (HEADER | {"trusted_proxies": ["::ffff:0:0/96"]}, "trusted_proxies.0"),
    "a name as proxy": (HEADER | {"trusted_proxies": ["gateway.example"]}, "trusted_proxies.0"),
    "host bits": (HEADER | {"trusted_proxies": ["10.0.0.1/8"]}, "trusted_proxies.0"),
    "the user's credential": ({"subject": {"header": "Authorization"}}, "subject.header"),
    "the gateway's credential": ({"subject": {"header": "x-writ-authorization"}}, "subject.header"),
    "no header's name": ({"subject": {"header": "X Subject"}}, "subject.header"),
    "a line end": ({"subject": {"header": "X-Subject\r\nX"}}, "subject.header"),
    "one header for two": (HEADER | {"action_header": "x-writ-subject"}, "action_header"),
    "a header of the message": (HEADER | {"resource_header": "Content-Length"}, "resource_header"),
    "an answer's credential": (
        HEADER | {"response_headers": {"Set-Cookie": "subject_id"}},
        "response_headers.Set-Cookie",
    ),
    "an unknown value": (HEADER | {"response_headers": {"X-A": "password"}}, "response_headers.X-A"),
    "no attribute": (HEADER | {"response_headers": {"X-A": "attribute:"}}, "response_headers.X-A"),
    "twice": (HEADER | {"response_headers": {"X-A": "subject_id", "x-a": "policy_id"}}, "response_headers.x-a"),
}


@pytest.mark.parametrize("case", FAULTY)
def test_faulty_settings(case: str) -> None:
    given, path = FAULTY[case]
    assert faults(given) == [path]


@pytest.mark.parametrize("algorithm", ["none", "HS256", "HS512", "ES256K", ""])
def test_algorithms_are_asymmetric(algorithm: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(jwt(algorithms=[algorithm]))


@pytest.mark.parametrize(
    "given",
    [
        {},
        jwt(algorithms=[]),
        HEADER | {"max_cache_seconds": -1},
        HEADER | {"max_cache_seconds": MAX_CACHE_SECONDS + 1},
        HEADER | {"trusted": []},
    ],
)
def test_what_does_not_fit_is_no_settings(given: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(given)
