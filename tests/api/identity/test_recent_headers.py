"""A header is known again for a moment, as long as nothing was committed; of the header itself nothing is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.identity import recent_headers
from writ.api.identity.credential import Admission, Credential, Scope
from writ.api.identity.recent_headers import VALID_SECONDS, RecentHeaders
from writ.api.store.store import Store
from writ.runtime import Engine

from tests.support.clock import Clock
from tests.support.stored import ACTOR

HEADER, START = "Bearer writ_sk_secret", 1_700_000_000.0
READER = Credential(Scope.READ, "someone", expires=START + 0.5)
LASTING = Credential(Scope.READ, "someone")
ENGINE = object.__new__(Engine)
"""It is only passed on."""


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def recent(store: Store, clock: Clock) -> RecentHeaders:
    return RecentHeaders(store.watch, clock)


def test_it_is_known_until_something_is_committed(recent: RecentHeaders, store: Store) -> None:
    version = recent.version()
    recent.keep(HEADER, LASTING, version)
    assert recent.credential(HEADER, recent.version()) is LASTING
    assert recent.credential(HEADER + "x", version) is None
    store.create_environment(ACTOR, "other")
    assert recent.credential(HEADER, recent.version()) is None
    recent.keep(HEADER, LASTING, version)
    assert recent.credential(HEADER, recent.version()) is None, "it was looked at before the commit"


def test_it_is_known_for_a_moment_and_no_longer_than_it_is_good(recent: RecentHeaders, clock: Clock) -> None:
    version = recent.version()
    recent.keep(HEADER, LASTING, version)
    recent.keep("Bearer short", READER, version)
    for now, known in (
        (0.0, (True, True)),
        (0.5, (True, False)),
        (VALID_SECONDS, (False, False)),
        (-1.0, (False,) * 2),
    ):
        clock.now = START + now
        found = recent.credential(HEADER, version), recent.credential("Bearer short", version)
        assert tuple(one is not None for one in found) == known


def test_an_admission_ends_with_a_commit_a_moment_and_its_credential(
    recent: RecentHeaders, store: Store, clock: Clock
) -> None:
    def admitted(credential: Credential = LASTING, header: str = HEADER) -> Admission:
        version = recent.version()
        recent.keep(header, credential, version)
        return recent.admit(header, credential, version, "default", ENGINE)

    kept, sent = admitted(), HEADER.encode()
    assert recent.admits(kept, sent)
    assert not recent.admits(kept, sent + b"x")
    assert recent.admission(HEADER, recent.version(), "default") is kept
    assert recent.admission(HEADER, recent.version(), "other") is None
    clock.now = START + VALID_SECONDS
    assert not recent.admits(kept, sent)
    clock.now = START - 1
    assert not recent.admits(kept, sent), "the clock was set back"
    clock.now = START
    short = admitted(READER)
    assert recent.admits(short, sent)
    clock.now = READER.expires
    assert not recent.admits(short, sent)
    clock.now, kept = START, admitted()
    store.create_environment(ACTOR, "other")
    assert not recent.admits(kept, sent)
    assert recent.admission(HEADER, recent.version(), "default") is None


def test_an_admission_is_none_for_bytes_that_may_be_another_header(recent: RecentHeaders) -> None:
    version, header = recent.version(), "Bearer æ"
    recent.keep(header, LASTING, version)
    kept = recent.admit(header, LASTING, version, "default", ENGINE)
    assert not any(recent.admits(kept, header.encode(form)) for form in ("utf-8", "latin-1"))
    never = recent.admit(HEADER, LASTING, version, "default", ENGINE)
    assert not recent.admits(never, HEADER.encode()), "the header is not remembered"


def test_nothing_is_known_while_the_store_cannot_be_read(recent: RecentHeaders, store: Store, tmp_path: Path) -> None:
    recent.keep(HEADER, LASTING, recent.version())
    store.watch.close()
    (tmp_path / "writ.db").rename(tmp_path / "away")
    assert recent.version() is None
    recent.keep(HEADER, LASTING, None)
    assert recent.credential(HEADER, None) is None


def test_it_is_bounded_and_keeps_no_header(recent: RecentHeaders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_headers, "MOST_RECENT", 2)
    version = recent.version()
    for number in (1, 2, 1, 3):
        recent.keep(f"{HEADER}{number}", LASTING, version)
    assert [recent.credential(f"{HEADER}{number}", version) for number in (1, 2, 3)] == [LASTING, None, LASTING]
    assert "secret" not in str(vars(recent))
