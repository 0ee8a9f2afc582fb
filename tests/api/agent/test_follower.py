"""The follower, step by step: it goes forward only, and answers from the last good state whatever its source sends."""

from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryFile
from typing import Any

import msgspec
import pytest
from writ.api.agent.follower import WAIT_SECONDS
from writ.api.agent.in_force import Events
from writ.api.agent.pacing import (
    FIRST_BACK_OFF,
    LONGEST_AWAY,
    LONGEST_BACK_OFF,
    LONGEST_PAUSE,
    LONGEST_SPREAD,
    PATIENT_SECONDS,
)
from writ.api.agent.sources.bundle_source import Answer, Ask, FetchedUpdate, SourceError, Unchanged
from writ.api.agent.trust import Trust
from writ.bundles import manifest
from writ.bundles.delta import Delta, encode_delta, policy_change
from writ.bundles.program.clauses import Clause
from writ.bundles.signing.sign import sign

from tests.support.feed import History, may_read, model, revision_of
from tests.support.following import TRUST, Direct, Time, bundle_answer, down, follower, stepped
from tests.support.signed import ISSUED, KEY, LIFETIME, NOW, OTHER_KEY, PROD, STAGING, public_pem


def settled(source: Direct, time: Time, folder: Path | None = None, **options: Any) -> Any:
    """A follower at the newest revision of a source."""
    one = follower(source, time, folder, **options)
    stepped(one, time, 3)
    assert one.status().state == "following"
    return one


def test_a_follower_takes_the_bundle_then_the_updates(source: Direct, time: Time) -> None:
    """The engine stays the same object, and every revision comes into force."""
    one = follower(source, time, None)
    assert (one.engine, one.status().state) == (None, "starting")
    source.history.commit(2)
    stepped(one, time)
    engine = one.engine
    assert revision_of(engine) == 1
    stepped(one, time)
    assert revision_of(engine) == 3
    source.history.commit()
    stepped(one, time, 2)
    assert one.engine is engine
    assert revision_of(engine) == 4
    assert one.status().bundle_revision == 1


def test_a_request_keeps_its_snapshot(source: Direct, time: Time) -> None:
    """What began before a swap ends as it began."""
    one = settled(source, time)
    before = one.engine.pinned()
    source.history.commit()
    stepped(one, time, 2)
    assert (may_read(before, 1), may_read(one.engine, 1), may_read(one.engine, 2)) == (True, False, True)


def test_nothing_is_left_beside_the_state(source: Direct, time: Time, tmp_path: Path) -> None:
    """The bundle that is in force stays mapped after its file is gone."""
    one = settled(source, time, tmp_path / "state")
    source.history.commit()
    source.history.compact()
    one._ask_for_bundle(True)
    stepped(one, time, 3)
    assert revision_of(one.engine) == 2
    names = {path.suffix or path.name for path in (tmp_path / "state").iterdir()}
    assert names == {"lock", ".json", ".bundle"}


# -- an older bundle


def test_a_bundle_older_than_what_is_in_force_waits_for_its_updates(source: Direct, time: Time, tmp_path: Path) -> None:
    """The engine never goes back. The older bundle and the updates on it come into force together."""
    history = source.history
    history.commit(3)
    history.compact()
    one = settled(source, time, tmp_path)
    history.commit(3)
    stepped(one, time, 2)
    assert revision_of(one.engine) == 7
    history.base, seen = 5, []
    one._in_force._events.change = lambda: seen.append(one.engine.revision)
    one._ask_for_bundle(True)
    history.commit()
    for _ in range(3):
        stepped(one, time)
        seen.append(revision_of(one.engine))
    assert seen[-1] == 8
    assert seen == sorted(seen)
    assert one.status().bundle_revision == 5
    assert restarted(source, time, tmp_path, one) == 8


def restarted(source: Direct, time: Time, folder: Path, one: Any) -> int | None:
    """The revision that a follower starts with, from what another one left, while its source is away."""
    one.close()
    source.fault = down
    again = follower(source, time, folder)
    found = revision_of(again.engine)
    again.close()
    source.fault = None
    return found


def test_the_least_revision_counts_for_a_first_bundle(source: Direct, time: Time) -> None:
    """An old bundle is no start, but updates may lead on from it."""
    source.history.commit(3)
    one = follower(source, time, None, floor=(1, 4))
    stepped(one, time)
    assert one.engine is None
    stepped(one, time)
    assert revision_of(one.engine) == 4
    other = follower(source, time, None, floor=(1, 5))
    stepped(other, time, 5)
    assert other.engine is None
    assert "is the least that is accepted" in str(other.status().error)


def test_a_source_that_went_back_is_refused(source: Direct, time: Time, tmp_path: Path) -> None:
    """Neither before a restart nor after it."""
    source.history.commit(5)
    one = settled(source, time, tmp_path)
    source.history = History(revision=3)
    stepped(one, time, 4)
    assert (revision_of(one.engine), one.status().state) == (6, "behind")
    one.close()
    again = follower(source, time, tmp_path)
    stepped(again, time, 4)
    assert (revision_of(again.engine), again.status().state) == (6, "behind")


def test_a_higher_epoch_may_have_a_lower_revision(source: Direct, time: Time, tmp_path: Path) -> None:
    """A backup was restored. Then the old epoch is refused."""
    source.history.commit(5)
    one = settled(source, time, tmp_path)
    old, source.history = source.history, History(epoch=2, revision=3)
    stepped(one, time, 8)
    assert (one.status().epoch, revision_of(one.engine)) == (2, 3)
    source.history = old
    stepped(one, time, 8)
    assert (one.status().epoch, revision_of(one.engine)) == (2, 3)
    assert restarted(source, time, tmp_path, one) == 3


# -- bad answers


def bundle_of(history: History, **changed: Any) -> Any:
    """A fault: whatever is asked, a bundle is sent."""
    return lambda ask, answer: bundle_answer(ask, history.bundle(**changed))


def update_of(history: History, since: int, **changed: Any) -> Any:
    """A fault: whatever is asked, an update is sent."""
    return lambda ask, answer: FetchedUpdate(history.update(since, **changed), '"u"')


# A policy on a type that is not declared.
CLAUSE = Clause("ALLOW", "p", "p", 0, None, ("unknown",), ("read",), ())
BROKEN = encode_delta(Delta(2, (policy_change("p", (CLAUSE,)),)))
LATER = History()
LATER.commit(3)
FAULTS = {
    "wrong key": bundle_of(LATER, revision=4, key=OTHER_KEY),
    "expired": bundle_of(LATER, revision=4, issued=ISSUED - LIFETIME),
    "from the future": bundle_of(LATER, revision=4, issued=ISSUED + 1_000),
    "older": bundle_of(History()),
    "other environment": bundle_of(History(STAGING, revision=9)),
    "truncated": lambda ask, answer: bundle_answer(ask, LATER.bundle(4)[:-1]),
    "empty": lambda ask, answer: bundle_answer(ask, b""),
    "garbage": lambda ask, answer: bundle_answer(ask, b"<html>" * 1_000),
    "update with wrong key": update_of(LATER, 2, key=OTHER_KEY),
    "update of other environment": update_of(History(STAGING, revision=9), 2),
    "update out of order": update_of(LATER, 3),
    "update repeated": update_of(LATER, 1, until=2),
    "update to an older revision": update_of(LATER, 1, until=1),
    "update expired": update_of(LATER, 2, claims={"expires": int(NOW)}),
    "garbage for an update": lambda ask, answer: FetchedUpdate(b"<html>", '"u"'),
    "never": down,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_answer_changes_nothing(fault: str, source: Direct, time: Time, tmp_path: Path) -> None:
    """The last good state decides, the status says so, a restart finds it, and a good answer ends it."""
    source.history.commit()
    one = settled(source, time, tmp_path)
    source.fault = FAULTS[fault]
    for _ in range(5):
        stepped(one, time)
        status = one.status()
        assert revision_of(one.engine) == 2
        assert status.state == "behind"
        assert status.error is not None
        assert status.is_ready
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    assert restarted(source, time, tmp_path, one) == 2
    source.fault = None
    source.history.commit()
    again = follower(source, time, tmp_path)
    stepped(again, time, 8)
    assert (revision_of(again.engine), again.status().state) == (3, "following")


def test_every_region_of_a_bundle_may_be_damaged(source: Direct, time: Time) -> None:
    """A flipped bit in any of its bytes is noticed."""
    one = settled(source, time)
    content = LATER.bundle(4)
    for place in range(0, len(content), 7):
        damaged = content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]
        source.fault = lambda ask, answer, damaged=damaged: bundle_answer(
            ask, damaged, f'"{ask.wait}{len(source.asked)}"'
        )
        one.step()
        assert one.engine.revision == 1


def test_an_update_that_the_engine_refuses_is_followed_by_a_bundle(
    source: Direct, time: Time, monkeypatch: Any
) -> None:
    """The update is genuine, but does not fit. The state stays, and a whole bundle repairs it."""
    one = settled(source, time)
    source.history.commit()
    monkeypatch.setattr("tests.support.feed.delta", lambda revision: BROKEN)
    stepped(one, time)
    assert (revision_of(one.engine), one.status().state) == (1, "behind")
    source.history.compact()
    stepped(one, time, 3)
    assert (revision_of(one.engine), one.status().bundle_revision) == (2, 2)


def test_a_bundle_with_an_extension_that_the_agent_does_not_know_is_refused(
    source: Direct, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine in force stays, and the status says what to do."""
    one = settled(source, time)
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "EXTENSIONS", ("joins",))
        newer = bundle_with(source.history, extensions=("joins",))
    source.history.commit()
    source.fault = lambda ask, answer: bundle_answer(ask, newer)
    one._ask_for_bundle(True)
    stepped(one, time, 2)
    assert revision_of(one.engine) == 1
    assert "the extension `joins`, which this Writ does not know: install a newer Writ" in str(one.status().error)


def bundle_with(history: History, **members: Any) -> bytes:
    """A signed bundle with other members of its manifest."""
    made = model(2)
    changed = msgspec.structs.replace(made.manifest, environment=PROD, epoch=history.epoch, revision=2, **members)
    with TemporaryFile() as file:
        replace(made, manifest=changed).write(file)
        sign(file, KEY, history.issued, history.lifetime)
        file.seek(0)
        return file.read()


def test_an_update_for_another_bundle_is_followed_by_a_bundle(
    source: Direct, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    """The pause before it spreads the load of many followers. It is part of following, and no reason to warn."""
    one = settled(source, time)
    source.history.commit()
    source.fault = lambda ask, answer: (
        FetchedUpdate(source.history.update(1, claims={"manifests": ("ab" * 32,)}), '"u"') if ask.position else answer
    )
    source.history.compact()
    pause = one.step()
    assert 0 <= pause <= LONGEST_SPREAD
    assert (one.status().state, one.status().error, caplog.messages) == ("following", None, [])
    stepped(one, time)
    assert revision_of(one.engine) == 2
    assert source.asked[-1].position is None


def test_a_repeated_update_is_no_reason_for_a_bundle(source: Direct, time: Time) -> None:
    """Only three in a row are."""
    source.history.commit()
    one = settled(source, time)
    source.fault = update_of(source.history, 1)
    stepped(one, time, 2)
    source.fault = None
    source.history.commit()
    stepped(one, time, 2)
    assert revision_of(one.engine) == 3
    assert [ask for ask in source.asked[1:] if ask.position is None] == []


# -- load


def test_pauses_grow_after_failures_and_are_bounded(source: Direct, time: Time) -> None:
    """A success ends them. A source may ask for more."""
    one = settled(source, time)
    source.fault = refusing()
    pauses = [one.step() for _ in range(40)]
    for number, pause in enumerate(pauses):
        assert 0 <= pause <= min(LONGEST_BACK_OFF, FIRST_BACK_OFF * 2**number)
    assert max(pauses) > LONGEST_BACK_OFF / 2
    source.fault = refusing(100.0)
    assert 100 <= one.step() <= 100 + LONGEST_BACK_OFF
    source.fault = None
    one.step()
    source.fault = refusing()
    assert one.step() <= FIRST_BACK_OFF


def refusing(retry_after: float | None = None, is_away: bool = False) -> Any:
    """A fault: the source answers with an error."""

    def fault(ask: Ask, answer: Answer) -> Answer:
        raise SourceError("`the source` refuses", retry_after, is_away=is_away)

    return fault


def test_a_source_that_is_away_is_asked_within_two_seconds_of_its_return(source: Direct, time: Time) -> None:
    """However long it was away, and after a refusal too. The first questions of a fleet are spread over that time."""
    fleet = [follower(source, time, None, random=Random(number)) for number in range(40)]
    for one in fleet:
        stepped(one, time, 2)
    source.fault = down
    first = sorted(one.step() for one in fleet)
    assert first[0] < LONGEST_AWAY / 10
    assert LONGEST_AWAY * 0.9 < first[-1] <= LONGEST_AWAY
    assert {LONGEST_AWAY / 2 <= one.step() <= LONGEST_AWAY for one in fleet for _ in range(40)} == {True}
    source.fault = refusing()
    for _ in range(40):
        fleet[0].step()
    source.fault = refusing(5.0, is_away=True)
    assert 5 <= fleet[0].step() <= 5 + LONGEST_AWAY


def test_the_first_question_after_a_start_or_a_failure_is_not_held(source: Direct, time: Time, tmp_path: Path) -> None:
    """Else a follower that has the newest revision would hear so late, and not be ready until then."""
    one = settled(source, time, tmp_path)
    assert [ask.wait for ask in source.asked] == [0.0, WAIT_SECONDS, WAIT_SECONDS]
    one.close()
    again = follower(source, time, tmp_path)
    pause = again.step()
    assert (source.asked[-1].wait, again.has_heard, again.status().state) == (0.0, True, "following")
    assert pause <= LONGEST_PAUSE, "the next question is held, so it has the next change at once"
    again.step()
    assert source.asked[-1].wait == WAIT_SECONDS
    source.fault = down
    stepped(again, time, 3)
    source.fault = None
    stepped(again, time, 2)
    assert [ask.wait for ask in source.asked[-5:]] == [WAIT_SECONDS, 0.0, 0.0, 0.0, WAIT_SECONDS]
    assert again.status().state == "following"
    again.close()


def test_an_update_without_a_bundle_is_no_start(source: Direct, time: Time) -> None:
    """The follower asks for a bundle again, until it gets one."""
    source.history.commit()
    source.fault = lambda ask, answer: FetchedUpdate(source.history.update(1), '"u"')
    one = follower(source, time, None)
    stepped(one, time, 3)
    assert [(ask.position, ask.tag) for ask in source.asked] == [(None, None)] * 3
    source.fault = None
    stepped(one, time, 2)
    assert (revision_of(one.engine), one.status().state) == (2, "following")


def test_a_source_that_asks_for_patience_is_no_fault(
    source: Direct, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    """After the PUT of a whole model, a service makes one bundle and sends it to many: for a minute at most."""
    one = settled(source, time)
    source.history.commit()
    source.history.compact()
    source.fault, began = refusing(1.0, is_away=True), time.steady
    while True:
        pause = one.step()
        if time.steady - began >= PATIENT_SECONDS:
            break
        assert (one.status().state, one.status().error, caplog.messages) == ("following", None, [])
        time.advance(pause)
    assert one.status().error == "`the source` refuses"
    assert len(caplog.messages) == 1
    source.fault = None
    stepped(one, time, 2)
    assert (revision_of(one.engine), one.status().state) == (2, "following")
    source.fault = refusing(1.0, is_away=True)
    one.step()
    assert one.status().error is None, "a success begins a new time"


def test_a_first_start_is_told_what_the_source_says(source: Direct, time: Time) -> None:
    """Nothing is in force, so patience would hide why."""
    source.fault = refusing(1.0, is_away=True)
    one = follower(source, time, None)
    one.step()
    assert one.status().error == "`the source` refuses"


def test_what_is_refused_again_and_again_is_not_fetched_again(source: Direct, time: Time) -> None:
    """The follower waits for something else, and tries again after ten minutes."""
    one = settled(source, time)
    source.history.commit()

    def refused(ask: Ask, answer: Answer) -> Answer:
        return Unchanged(ask.tag) if ask.tag == '"bad"' else bundle_answer(ask, LATER.bundle(4, key=OTHER_KEY), '"bad"')

    source.fault, before = refused, len(source.asked)
    stepped(one, time, 20)
    assert [ask.tag for ask in source.asked[before:]].count('"bad"') == 17
    assert one.status().state == "behind"
    time.advance(600)
    source.fault = None
    stepped(one, time, 2)
    assert revision_of(one.engine) == 2


def test_many_updates_are_replaced_by_a_bundle(source: Direct, time: Time, monkeypatch: Any) -> None:
    """If the source has no newer bundle, more updates are allowed."""
    monkeypatch.setattr("writ.api.agent.pacing.MOST_DELTAS", 10)
    one = settled(source, time)
    source.history.commit(11)
    stepped(one, time, 6)
    assert [ask.position for ask in source.asked].count(None) == 2
    source.history.commit(30)
    source.history.compact()
    stepped(one, time, 6)
    assert (revision_of(one.engine), one.status().bundle_revision) == (42, 42)


def test_many_small_updates_become_one(source: Direct, time: Time, tmp_path: Path, monkeypatch: Any) -> None:
    """A start has to verify only a few signatures."""
    monkeypatch.setattr("writ.api.agent.pacing.MOST_UPDATES", 5)
    one = settled(source, time, tmp_path)
    for _ in range(20):
        source.history.commit()
        stepped(one, time, 3)
        assert (revision_of(one.engine), one.status().state) == (source.history.revision, "following")
    assert one._in_force.held.updates <= 5
    assert [ask.position for ask in source.asked].count(None) == 1
    assert restarted(source, time, tmp_path, one) == 21


# -- how fresh it is


def test_staleness_is_the_time_since_the_source_confirmed(source: Direct, time: Time, tmp_path: Path) -> None:
    """It counts through failures and restarts, and a jump of the clock does not make it look fresh."""
    one = settled(source, time, tmp_path, max_staleness=60)
    assert one.status().staleness < 10
    source.fault = down
    one.step()
    start = one.status().staleness
    for jump in (-5_000.0, 0.0, 5_000.0):
        time.wall += jump
        time.advance(100)
        assert one.status().age >= 0
    assert one.status().staleness == pytest.approx(start + 300)
    assert one.status().is_stale
    assert not one.status().is_ready
    one.close()
    again = follower(source, time, tmp_path)
    assert again.status().staleness == pytest.approx(start + 300, abs=15)
    again.close()
    time.boot, time.steady = "boot-2", 5.0
    again = follower(source, time, tmp_path)
    assert again.status().staleness > start + 250
    time.wall -= 10_000
    assert again.status().staleness == float("inf")
    assert again.status().confirmed == 0


def test_a_message_that_was_signed_before_proves_nothing_new(source: Direct, time: Time) -> None:
    """The freshness of a published folder is that of its signature."""
    one = settled(source, time)
    time.advance(100)
    source.fault = lambda ask, answer: Unchanged('"i"', issued=time.wall - 30)
    one.step()
    assert one.status().staleness == pytest.approx(30)
    issued = time.wall - 30
    source.fault = lambda ask, answer: Unchanged('"i"', issued=issued)
    time.advance(50)
    time.wall -= 40
    one.step()
    assert one.status().staleness == pytest.approx(80)


# -- callers


def test_a_list_of_callers_comes_with_an_update(source: Direct, time: Time, tmp_path: Path) -> None:
    """It is kept, it never goes back, and a bad one does not hold up the bundle."""
    seen: list[int] = []
    events = Events(callers=lambda listed: seen.append(listed.generation))
    one = settled(source, time, tmp_path, events=events)
    source.history.generation = 4
    stepped(one, time, 2)
    source.history.commit()
    stepped(one, time, 2)
    assert (seen, one.callers.revoked) == ([4], ("t4",))
    source.history.generation = 3
    source.history.commit()
    one.step()
    assert (seen, revision_of(one.engine)) == ([4], 3)
    assert "callers" in str(one.status().error)
    one.close()
    again = follower(source, time, tmp_path, events=events)
    assert (seen, again.callers.generation) == ([4, 4], 4)


def test_a_changed_position_is_told_once(source: Direct, time: Time) -> None:
    """And nothing else is."""
    seen: list[int] = []
    one = follower(source, time, None, events=Events(change=lambda: seen.append(source.history.revision)))
    stepped(one, time, 5)
    source.history.commit()
    stepped(one, time, 5)
    assert seen == [1, 2]


def test_keys_must_be_usable() -> None:
    """A follower without a key would verify nothing."""
    for keys in ((), (b"no key",)):
        with pytest.raises(ValueError, match="key"):
            Trust("prod", keys)
    assert public_pem(OTHER_KEY) not in (TRUST.keys or ())
