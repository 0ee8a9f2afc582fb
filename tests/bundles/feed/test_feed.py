"""Messages of the feed: updates, lists of callers and indexes. Each is refused unless it is genuine and leads on."""

from hashlib import sha256
from typing import Any

import msgspec
import pytest
from writ.bundles.delta import Delta, RoleChange, encode_delta
from writ.bundles.errors import (
    BadSignature,
    BundleError,
    ChangedBundle,
    DoesNotFollow,
    ExpiredBundle,
    OlderBundle,
    UnknownKey,
    WrongEnvironment,
)
from writ.bundles.feed.callers import CALLERS, Callers, name_of, sign_callers, verified_callers
from writ.bundles.feed.index import INDEX, Index, PublishedBundle, PublishedFile, sign_index, verified_index
from writ.bundles.feed.position import Position
from writ.bundles.feed.times import LIFETIME_SECONDS
from writ.bundles.feed.update import UPDATE, Update, claims_about, encode_update, verified_update
from writ.bundles.signing.signature_check import SKEW_SECONDS

from tests.support.signed import ISSUED, KEY, NOW, OTHER_KEY, PROD, STAGING, public_pem

PEM = public_pem(KEY)
BASE = "ab" * 32
DELTAS = [encode_delta(Delta(revision, (RoleChange(f"r{revision}", True),))) for revision in (8, 9)]
AT = Position(PROD.uuid, 1, 7, BASE)


def update_bytes(deltas: list[bytes] = DELTAS, parent: int = 7, key: Any = KEY, **changed: Any) -> bytes:
    """An update of these deltas, with some claims changed before it is signed."""
    claims = claims_about(PROD, 1, [BASE], parent, deltas, ISSUED)
    return encode_update(msgspec.structs.replace(claims, **changed), deltas, key)


def opened(data: bytes, now: float = NOW) -> Update:
    """The update in `data`, verified with the usual key."""
    return verified_update(data, PEM, now)


def test_an_update_carries_its_deltas() -> None:
    """A genuine update gives its deltas, and follows its parent."""
    update = opened(update_bytes())
    assert [delta.revision for delta in update.deltas] == [8, 9]
    update.check_follows(AT)


def test_an_update_without_deltas_tells_that_nothing_changed() -> None:
    """It starts and ends at one revision."""
    update = opened(update_bytes([]))
    assert (update.claims.parent, update.claims.revision, update.deltas) == (7, 7, ())
    update.check_follows(AT)


@pytest.mark.parametrize(
    ("position", "error"),
    [
        (AT._replace(environment=STAGING.uuid), WrongEnvironment),
        (AT._replace(epoch=2), OlderBundle),
        (AT._replace(revision=10), OlderBundle),
        (AT._replace(epoch=0), DoesNotFollow),
        (AT._replace(revision=6), DoesNotFollow),
        (AT._replace(revision=8), DoesNotFollow),
        (AT._replace(revision=9), DoesNotFollow),
        (AT._replace(manifest="cd" * 32), DoesNotFollow),
    ],
)
def test_an_update_that_does_not_lead_on_is_refused(position: Position, error: type[BundleError]) -> None:
    """Applied twice, out of order, backwards, or to another environment or bundle."""
    with pytest.raises(error):
        opened(update_bytes()).check_follows(position)


def test_an_update_is_accepted_in_its_time_only() -> None:
    """The signer's clock may be a little ahead."""
    opened(update_bytes(), ISSUED - SKEW_SECONDS)
    for now in (ISSUED - SKEW_SECONDS - 1, ISSUED + LIFETIME_SECONDS, float("nan")):
        with pytest.raises(ExpiredBundle):
            opened(update_bytes(), now)


def test_every_flipped_bit_of_an_update_is_noticed() -> None:
    """Whichever byte is damaged, the update is refused."""
    data = update_bytes()
    for place in range(len(data)):
        for bit in (1, 128):
            damaged = data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]
            with pytest.raises(BundleError):
                opened(damaged)
        with pytest.raises(BundleError):
            opened(data[:place])


def test_the_deltas_must_be_the_signed_ones() -> None:
    """Another list of deltas under a genuine signature is refused, and so is a gap."""
    token, _, callers = msgspec.msgpack.decode(update_bytes())
    with pytest.raises(ChangedBundle):
        opened(msgspec.msgpack.encode([token, DELTAS[:1], callers]))
    with pytest.raises(BundleError, match="a revision is missing"):
        opened(update_bytes(parent=6))
    with pytest.raises(UnknownKey):
        opened(update_bytes(key=OTHER_KEY))


def test_a_kind_of_message_is_no_other_kind() -> None:
    """Each kind of JWS has its own type."""
    token, *_ = msgspec.msgpack.decode(update_bytes())
    for kind in (CALLERS, INDEX):
        with pytest.raises(BadSignature, match="its type is not"):
            kind.unverified(token)
    with pytest.raises(BadSignature, match="its type is not"):
        UPDATE.unverified(sign_callers(callers_list(), KEY))


def callers_list(**changed: Any) -> Callers:
    """A list of callers of the environment `prod`."""
    listed = Callers(
        PROD, 1, 5, "https://writ", "https://writ", {"keys": []}, (name_of("c1"),), ("t1",), ISSUED, ISSUED + 9
    )
    return msgspec.structs.replace(listed, **changed)


def test_a_list_of_callers_never_follows_a_newer_one() -> None:
    """Neither by epoch nor by generation nor by time."""
    listed = callers_list()
    assert verified_callers(sign_callers(listed, KEY), PEM, NOW - 5) == listed
    listed.check_follows(PROD.uuid, None)
    listed.check_follows(PROD.uuid, listed)
    callers_list(epoch=2, generation=0).check_follows(PROD.uuid, listed)
    for newer in (callers_list(epoch=2), callers_list(generation=6), callers_list(issued=ISSUED + 1)):
        with pytest.raises(OlderBundle):
            listed.check_follows(PROD.uuid, newer)
    with pytest.raises(WrongEnvironment):
        listed.check_follows(STAGING.uuid, None)


def test_a_list_of_callers_expires_unless_it_was_accepted_before() -> None:
    """An agent that starts again uses the list that it has."""
    token = sign_callers(callers_list(), KEY)
    with pytest.raises(ExpiredBundle):
        verified_callers(token, PEM, ISSUED + 9)
    assert verified_callers(token, PEM, None) == callers_list()
    with pytest.raises(UnknownKey):
        verified_callers(sign_callers(callers_list(), OTHER_KEY), PEM, None)


def index_of(**changed: Any) -> Index:
    """An index of the environment `prod` with one bundle."""
    bundle = PublishedBundle(PublishedFile("1-7-ab.bundle", 9, sha256(b"x").hexdigest()), 7, BASE, 1, 2)
    made = Index(PROD, 1, 3, 7, bundle, (), (BASE,), None, (), ISSUED, ISSUED + 99)
    return msgspec.structs.replace(made, **changed)


def test_an_index_names_plain_files_only() -> None:
    """A name that leads to another folder is refused, though its signature is right."""
    assert verified_index(sign_index(index_of(), KEY), PEM, NOW) == index_of()
    for name in ("../7.bundle", "a/b.bundle", "A.bundle", ".bundle", "7.txt", "7.bundle\n"):
        bundle = PublishedBundle(PublishedFile(name, 9, BASE), 7, BASE, 1, 2)
        with pytest.raises(BadSignature):
            verified_index(sign_index(index_of(bundle=bundle), KEY), PEM, NOW)


def test_an_index_never_follows_a_newer_one() -> None:
    """An old index under a right signature is refused."""
    for newer in (index_of(epoch=2, revision=0, number=0), index_of(revision=8), index_of(number=4)):
        newer.check_follows(PROD.uuid, index_of())
        with pytest.raises(OlderBundle):
            index_of().check_follows(PROD.uuid, newer)
    with pytest.raises(WrongEnvironment):
        index_of().check_follows(STAGING.uuid, None)
