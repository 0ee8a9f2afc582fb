"""Names of headers that some backend reads as another one: Writ refuses them, or tells Envoy to remove them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.endpoints.gateway.header_names import FORWARDING, OWN, REPLACING, are_plain, is_withheld, read_as
from writ.api.endpoints.gateway.headers import GatewayRefused, Headers
from writ.api.endpoints.gateway.tellings import Tellings
from writ.bundles.routing.settings import GatewaySettings, GatewaySubject

from tests.api.endpoints.gateway.test_tellings import NO_TOKENS
from tests.support.envoy_checks import check_request, read_answer
from tests.support.header_names import SEPARATORS, other_forms

pytest.importorskip("google.protobuf", reason="protobuf is not installed")

from writ.api.endpoints.gateway.envoy.answers import answer
from writ.api.endpoints.gateway.envoy.check_reading import Check
from writ.api.endpoints.gateway.outcome import Outcome

READ = ("X-Writ-Subject", "X-Forwarded-For", "X-Original-URI", "Mcp-Name")
GUARDED = (
    *("X-Writ-Subject-Id", "X-Writ-Team", "X-Writ-Anything-Else", "X-Writ-Authorization"),
    *("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Client-Cert", "X-Real-IP"),
    *("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL"),
)


@st.composite
def spelled(draw: st.DrawFn, names: tuple[str, ...] = GUARDED) -> tuple[str, str]:
    """A name, and another one that some backend reads as the same."""
    name = draw(st.sampled_from(names))
    parts = name.split("-")
    marks = draw(st.lists(st.sampled_from(SEPARATORS), min_size=len(parts) - 1, max_size=len(parts) - 1))
    other = parts[0] + "".join(mark + part for mark, part in zip(marks, parts[1:], strict=True))
    return name, draw(st.sampled_from((other, other.lower(), other.upper(), other.swapcase())))


@given(spelled())
def test_every_spelling_is_read_as_the_name(pair: tuple[str, str]) -> None:
    name, other = (one.encode() for one in pair)
    assert read_as(other) == name.lower() == read_as(name)
    assert are_plain([b"host", other.lower()]) is (other.lower() == name.lower())


@given(st.text("abcxyz0189", min_size=1), st.text("abcxyz0189", min_size=1))
def test_no_other_name_is_read_as_it(one: str, other: str) -> None:
    assert (read_as(one.encode()) == read_as(other.encode())) is (one == other)
    assert are_plain([one.encode(), f"{one}-{other}".encode()])


@given(spelled(), st.booleans())
def test_envoy_removes_every_spelling_and_writ_does_not_read_it(pair: tuple[str, str], joined: bool) -> None:
    """Of those that Envoy sets itself, the plain form stays."""
    name, other = (one.lower() for one in pair)
    message = check_request("GET", "/", [("accept", "a"), (other, "forged")], joined=joined)
    check = Check(message, [], "ipv4:127.0.0.1:1")
    stays = other == name and name.encode().startswith(FORWARDING)
    removed = read_answer(answer(Outcome(200), check.names)).removed
    assert removed == sorted({"x-writ-authorization"} | (set() if stays else {other}))
    headers = check.asked.headers
    assert headers.is_plain
    assert headers.one(name) == ("forged" if other == name else None)


@given(spelled(("X-User", "X-Acme-Plan-Code")))
def test_envoy_removes_every_spelling_of_what_the_settings_tell(pair: tuple[str, str]) -> None:
    name, other = pair
    found = read_answer(answer(Outcome(200, ((name, "told"),), told=1), (other.lower().encode(), b"x-users")))
    assert found.removed == sorted({"x-writ-authorization"} | {other.lower()} - {name.lower()})


@given(spelled(READ))
def test_a_field_that_is_read_is_refused_under_another_name(pair: tuple[str, str]) -> None:
    """A backend would read the last of both. It is refused alone too: the backend reads it, and Writ would not."""
    name, other = pair
    if other.lower() == name.lower():
        assert Headers.of([(other.encode(), b"x")]).one(name) == "x"
        return
    for fields in ([(other, "x")], [(name, "y"), (other, "x")], [(other, "x"), (name, "y"), ("Host", "a")]):
        headers = Headers.of([(key.encode(), value.encode()) for key, value in fields])
        with pytest.raises(GatewayRefused, match="is read as"):
            headers.one(name)
        with pytest.raises(GatewayRefused, match="is read as"):
            headers.several(("Host", name))
        assert headers.one("Accept") is None


def test_a_name_of_the_settings_that_is_not_plain_is_refused_beside_the_plain_one() -> None:
    """So it is where a worker remembers what a gateway told."""
    both = Headers.of([(b"X_User", b"user:alice"), (b"X-User", b"user:bob")])
    for name in ("X_User", "X-User"):
        with pytest.raises(GatewayRefused, match="is read as"):
            both.one(name)
    assert Headers.of([(b"X_User", b"user:alice")]).one("X_User") == "user:alice"
    with pytest.raises(GatewayRefused, match="is read as"):
        Headers.of([(b"X-User", b"user:alice")]).one("X_User")
    assert not Tellings(GatewaySettings(GatewaySubject(header="X_User")), NO_TOKENS)._remembers


def test_all_forms_that_the_real_gateways_are_tried_with_are_others() -> None:
    for name in GUARDED:
        forms = other_forms(name)
        assert len(forms) >= len(SEPARATORS) - 1
        assert {read_as(one.encode()) for one in forms} == {name.lower().encode()}
        assert all(is_withheld(one.lower().encode()) for one in forms)
    assert all(is_withheld(one) for one in REPLACING)
    assert not any(map(is_withheld, (b"x-forwarded-for", b"accept", b"x-writer", OWN.rstrip(b"-"), b"x_tenant")))
