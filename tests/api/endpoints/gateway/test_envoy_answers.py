"""A worker remembers answers to Envoy: each check gets its own answer, whatever was answered before it."""

import pytest

from tests.support.envoy_checks import fields, read_answer

pytest.importorskip("google.protobuf", reason="protobuf is not installed")

from writ.api.endpoints.gateway.envoy.answers import LONGEST_NAMES, answer
from writ.api.endpoints.gateway.outcome import Outcome, refused

NAMES = ((b"accept",), (b"x-writ-team", b"accept"), (b"x_user",), (b"x-user", b"x-writ-id"), ())


def decided(outcome: Outcome, id: str) -> Outcome:
    """Returns the outcome of a decision with this id."""
    return Outcome(outcome.status, outcome.headers, outcome.body, outcome.told, id)


def id_told(message: bytes) -> bytes | None:
    """Returns the id of a decision in a denial, byte for byte, or None."""
    headers = [fields(fields(option)[1][0]) for option in fields(fields(message)[2][0])[2]]
    found: dict[bytes, bytes] = {one[1][0]: one[2][0] for one in headers}
    return found.get(b"writ-decision-id")


def test_each_denial_has_the_id_of_its_own_decision() -> None:
    outcome = refused("no")
    for id in ("0123456789abcdef-1", "0123456789abcdef-22", "0123456789abcdef-3"):
        assert id_told(answer(decided(outcome, id), ())) == id.encode()
        assert id_told(answer(outcome, ())) is None


@pytest.mark.parametrize("told", [(), (("X-User", "alice"),), (("X-User", "bob"),)])
def test_a_permission_removes_what_this_client_sent(told: tuple[tuple[str, str], ...]) -> None:
    own = {name.lower().encode() for name, _ in told}
    outcome = Outcome(200, (*told, ("Cache-Control", "no-store")), told=len(told), decision="0123456789abcdef-1")
    for names in (*NAMES, *NAMES):
        found = read_answer(answer(outcome, names))
        assert found.headers == {name.lower(): value for name, value in told}
        suspect = {name for name in names if name.startswith(b"x-writ-") or name.replace(b"_", b"-") in own} - own
        assert found.removed == sorted({"x-writ-authorization", *(name.decode() for name in suspect)})


def test_names_that_are_too_long_to_remember_are_removed_too() -> None:
    name = b"x-writ-" + b"a" * LONGEST_NAMES
    assert read_answer(answer(Outcome(200), (name,))).removed == [name.decode(), "x-writ-authorization"]
