"""A telling that is remembered is the same again: a law against reading each request anew."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.endpoints.gateway import tellings
from writ.api.endpoints.gateway.asked import GatewayQuestion
from writ.api.endpoints.gateway.contracts.all_contracts import CONTRACTS
from writ.api.endpoints.gateway.gateway_subjects import NoSubject
from writ.api.endpoints.gateway.headers import GatewayRefused, Headers
from writ.api.endpoints.gateway.tellings import Tellings
from writ.api.identity.issuers.user_tokens import UserTokens
from writ.bundles.routing.settings import AnonymousSubject, GatewaySettings

SETTINGS = msgspec.convert(
    {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}, type=GatewaySettings
)
ANONYMOUS = msgspec.structs.replace(SETTINGS, anonymous=AnonymousSubject("visitor", "anyone"))
NO_TOKENS: Any = UserTokens.__new__(UserTokens)
"""No subject of these settings comes from a token."""

VALUES: dict[bytes, tuple[bytes, ...]] = {
    b"x-writ-subject": (b"user:alice", b"user:bob", b"alice", b""),
    b"authorization": (b"Basic x", b"Bearer x", b"", b"Bearer"),
    b"x-original-method": (b"GET", b"PUT", b"a b"),
    b"x-original-uri": (b"/documents/d1", b"/documents/d2", b"", b"/\xe6"),
    b"x-original-host": (b"shop.example", b"SHOP.example:80", b"a b"),
    b"x-forwarded-method": (b"GET", b"PUT"),
    b"x-forwarded-uri": (b"/documents/d1", b"/documents/d2"),
    b"x-forwarded-host": (b"shop.example", b"other.example"),
    b"x-forwarded-proto": (b"https", b"http", b"ftp"),
    b"x-forwarded-for": (b"198.51.100.7", b"x, ::1", b"nowhere"),
    b"host": (b"shop.example", b"other.example"),
}
FIELDS = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in VALUES.items()})
COMPLETE = st.fixed_dictionaries({name: st.sampled_from(values[:2]) for name, values in VALUES.items()})


@st.composite
def requests(draw: st.DrawFn) -> GatewayQuestion:
    fields = draw(COMPLETE | COMPLETE | FIELDS)
    repeated = draw(st.sampled_from([(), (), (), (b"x-writ-subject",), (b"x-original-uri",), (b"authorization",)]))
    headers = Headers(fields, repeated)
    contract = CONTRACTS[draw(st.sampled_from(sorted(CONTRACTS)))]
    below, method = draw(st.sampled_from(("/documents/d1", "/documents/d2"))), draw(st.sampled_from(("GET", "PUT")))
    peer = draw(st.sampled_from(("127.0.0.1", "127.0.0.1", "192.0.2.1")))
    return GatewayQuestion(contract, "default", below, method, headers, peer, headers, False, b"7")


def told(by: Tellings, asked: GatewayQuestion) -> object:
    try:
        return by.of(asked)
    except (GatewayRefused, NoSubject) as ex:
        return type(ex), str(ex)


@given(st.sampled_from((SETTINGS, ANONYMOUS)), st.lists(requests(), min_size=1, max_size=30))
def test_what_was_told_before_is_told_as_if_it_were_read(
    settings: GatewaySettings, asked: list[GatewayQuestion]
) -> None:
    warm = Tellings(settings, NO_TOKENS)
    for one in asked * 2:
        assert told(warm, one) == told(Tellings(settings, NO_TOKENS), one)


def test_a_request_without_a_credential_is_remembered_and_one_with_a_credential_is_not_mistaken_for_it() -> None:
    warm, contract = Tellings(ANONYMOUS, NO_TOKENS), CONTRACTS["envoy"]
    for number, (sent, found) in enumerate(
        (({}, "anyone"), ({}, "anyone"), ({b"authorization": b"Basic x"}, "anyone"), ({b"authorization": b""}, None))
    ):
        headers = Headers({b"host": b"shop.example"} | sent)
        asked = GatewayQuestion(contract, "default", f"/{number}", "GET", headers, "127.0.0.1", headers, False, b"7")
        if found is None:
            with pytest.raises(NoSubject):
                warm.of(asked)
        else:
            telling = warm.of(asked)
            assert (telling.asker.subject["id"], telling.original.target) == (found, f"/{number}")
            assert telling.asker.missing
    assert len(warm._known) == 1


def test_it_remembers_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tellings, "MOST_TELLINGS", 2)
    warm, contract = Tellings(SETTINGS, NO_TOKENS), CONTRACTS["envoy"]
    for number in (*range(5), *range(5)):
        id = f"user:{number}" + "a" * (tellings.LONGEST_TELLING if number == 4 else 0)
        headers = Headers({b"x-writ-subject": id.encode(), b"host": b"shop.example"})
        asked = GatewayQuestion(contract, "default", "/", "GET", headers, "127.0.0.1", headers, False, b"7")
        assert warm.of(asked).asker.subject == {"type": "user", "id": id.removeprefix("user:")}
        assert len(warm._known) <= 2
