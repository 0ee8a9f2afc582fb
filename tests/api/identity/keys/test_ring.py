"""The keys of a process: read anew when they change, and soon again when they could not be read."""

import pytest
from writ.api.identity.keys.ring import RETRY_SECONDS, KeyRing
from writ.api.identity.keys.signing_keys import Pem, UnusableSigningKey, new_key

from tests.support.managed import LOG

OLD, NEW = (new_key("EdDSA") for _ in range(2))


class Source:
    """Keys that can be swapped; None for no looking at them at all."""

    def __init__(self, *pems: Pem) -> None:
        self.found: list[Pem] | None = list(pems)
        self.number = self.read = 0

    def stamp(self) -> int:
        return self.number

    def pems(self) -> list[Pem]:
        self.read += 1
        if self.found is None:
            raise UnusableSigningKey("no looking")
        return list(self.found)


GOOD, OTHER = Pem("here", NEW[1]), Pem("there", OLD[1])
BAD = Pem("there", b"", "Permission denied")


def test_keys_are_read_anew_only_when_they_change() -> None:
    source = Source(GOOD)
    ring = KeyRing(source, LOG)
    before = ring.keys()
    assert (ring.keys() is before, source.read) == (True, 1)
    source.number += 1
    assert ring.keys() is before, "touched, and no other than before"
    source.number, source.found = source.number + 1, [OTHER]
    assert ring.keys().verifying.keys() == {OLD[0].id}


@pytest.mark.parametrize("found", [[GOOD, BAD], None])
def test_what_could_not_be_read_is_tried_again_soon_though_nothing_seems_to_change(
    found: list[Pem] | None, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    source = Source()
    source.found = found
    ring = KeyRing(source, LOG, lambda: now[0])
    before = ring.keys()
    assert OLD[0].id not in before.verifying
    now[0] += RETRY_SECONDS
    assert (ring.keys() is before, source.read, len(caplog.records)) == (True, 2, 1)
    source.found = [GOOD, OTHER]
    assert ring.keys() is before, "not with every request"
    now[0] += RETRY_SECONDS
    assert ring.keys().verifying.keys() == {NEW[0].id, OLD[0].id}
    now[0] += RETRY_SECONDS
    assert (ring.keys().signer()[0].id, source.read) == (NEW[0].id, 3)


def test_an_unreadable_newest_key_signs_nothing_and_the_others_verify() -> None:
    ring = KeyRing(Source(BAD, GOOD), LOG)
    assert ring.keys().verifying.keys() == {NEW[0].id}
    with pytest.raises(UnusableSigningKey, match="there can't be read: Permission denied"):
        ring.keys().signer()
