"""What is remembered of credentials: bounded, forgotten when one changes, and not believed for long in the dark."""

import logging
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from writ.api.identity import known_credentials
from writ.api.identity.credential import Credential, Scope
from writ.api.identity.known_credentials import CredentialKind, KnownApiKeys, KnownCredentials
from writ.api.identity.secret_format import API_KEY, new_secret
from writ.api.store.database.sqlite.watch import SqliteWatch
from writ.api.store.errors import Stale
from writ.api.store.store import Store

from tests.support.stored import ACTOR


class Counting:
    """A kind of credential: any token that begins with `k`, with the scope READ; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.keys, self.looks = "old", 0

    def basis(self) -> object:
        self.looks += 1
        return self.keys

    def recognises(self, token: bytes) -> bool:
        return token.startswith(b"k")

    def credential(self, token: bytes, digest: bytes) -> Credential | None:
        assert digest == sha256(token).digest()
        self.asked.append(token)
        return None if token == b"k-unknown" else Credential(Scope.READ, token.decode())

    def was_issued(self, token: bytes, digest: bytes) -> bool:
        assert digest == sha256(token).digest()
        return True


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def kind() -> Counting:
    return Counting()


def known_over(
    store: Store, kind: CredentialKind, stale_seconds: float = 60.0, clock: Callable[[], float] = lambda: 0.0
) -> KnownCredentials:
    log = logging.getLogger("tests")
    return KnownCredentials(store.credentials, SqliteWatch(store._connections), [kind], clock, stale_seconds, log)


def test_a_credential_is_looked_up_once_until_one_changes(store: Store, kind: Counting) -> None:
    known = known_over(store, kind)
    found = [known.credential(b"k1") for _ in range(3)]
    assert (found, kind.asked) == ([Credential(Scope.READ, "k1")] * 3, [b"k1"])
    store.create_environment(ACTOR, "other")
    assert (known.credential(b"k1"), kind.asked) == (found[0], [b"k1"]), "no credential has changed"
    store.credentials.rotate_keys(ACTOR, lambda: "kid")
    assert (known.credential(b"k1"), kind.asked) == (found[0], [b"k1", b"k1"])


def test_what_rests_on_a_key_that_is_gone_is_forgotten_within_a_second(store: Store, kind: Counting) -> None:
    """Looked at no more often, though it is asked for all the time, and though the clock is set back."""
    now = [1_000.0]
    known = known_over(store, kind, clock=lambda: now[0])
    for now[0] in (1_000.0, 1_000.9, 1_001.0, 1_001.1):
        assert known.credential(b"k1")
    assert (kind.asked, kind.looks) == ([b"k1"], 2), "no key has changed"
    for now[0] in (1_002.0, 10.0):
        kind.keys += "er"
        assert known.credential(b"k1")
    assert (kind.asked, kind.looks) == ([b"k1"] * 3, 4)


def test_keys_are_followed_while_the_store_cannot_be_read(store: Store, kind: Counting) -> None:
    now = [1_000.0]
    known = known_over(store, kind, clock=lambda: now[0])
    assert known.credential(b"k1")
    known._watch.close()
    store.close()
    store.path.rename(store.path.with_name("away"))
    kind.keys, now[0] = "new", 1_001.0
    known.credential(b"k1")
    assert kind.asked == [b"k1"] * 2


def test_what_is_not_known_is_not_remembered(store: Store, kind: Counting) -> None:
    known = known_over(store, kind)
    assert [known.credential(b"k-unknown") for _ in range(2)] == [None, None]
    assert kind.asked == [b"k-unknown"] * 2
    assert known.credential(b"other") is None
    assert len(kind.asked) == 2, "its form alone tells"
    assert [known.was_issued(token) for token in (b"k-unknown", b"other")] == [True, False]


def test_it_is_bounded(store: Store, kind: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_credentials, "MOST_REMEMBERED", 2)
    known = known_over(store, kind)
    for token in (b"k1", b"k2", b"k3", b"k3", b"k2", b"k1"):
        assert known.credential(token)
    assert kind.asked == [b"k1", b"k2", b"k3", b"k1"]


def test_while_the_store_cannot_be_read_what_is_known_serves_for_a_while(
    store: Store, kind: Counting, caplog: pytest.LogCaptureFixture
) -> None:
    patient, strict = known_over(store, kind), known_over(store, kind, stale_seconds=0.0)
    assert patient.credential(b"k1")
    assert strict.credential(b"k1")
    for known in (patient, strict):
        known._watch.close()
    store.close()
    store.path.rename(store.path.with_name("away"))
    assert patient.credential(b"k1")
    with pytest.raises(Stale):
        strict.credential(b"k1")
    with pytest.raises(Stale):
        patient.environment_uuid("default")
    assert len(caplog.records) == 2, "told once each"
    store.path.with_name("away").rename(store.path)
    assert strict.credential(b"k1")


def test_while_the_store_cannot_be_read_nobody_knows_what_was_an_api_key(store: Store) -> None:
    key = new_secret(API_KEY)[0].encode()
    known = known_over(store, KnownApiKeys(store.credentials))
    assert not known.was_issued(key)
    store.close()
    store.path.rename(store.path.with_name("away"))
    with pytest.raises(Stale):
        known.was_issued(key)


def test_an_environment_is_known_by_its_uuid_as_it_is_now(store: Store, kind: Counting) -> None:
    known = known_over(store, kind)
    assert known.environment_uuid("stage") is None
    assert known.environment_uuid("x" * 10_000) is None
    assert all(len(name) <= 64 for name in known._uuids), "what can be no environment takes no memory"
    first = store.create_environment(ACTOR, "stage").uuid
    assert known.environment_uuid("stage") == first
    store.delete_environment(ACTOR, "stage")
    assert known.environment_uuid("stage") is None
    assert store.create_environment(ACTOR, "stage").uuid != first
    assert known.environment_uuid("stage") not in (None, first)
