"""A stale follower says why, in its status and in one line of the log."""

import logging
import time as system
from pathlib import Path

import pytest
import writ
from writ.api.agent.sources.bundle_source import Answer, Ask, SourceError, Unchanged
from writ.bundles.signing.signature_check import instant_text

from tests.support.feed import History, revision_of
from tests.support.following import Direct, Time, follower, stepped
from tests.support.publishing import Folder
from tests.support.signed import KEY, public_pem
from tests.support.waiting import wait_until

LIMIT = 60.0


def test_a_silent_source_is_the_reason(source: Direct, time: Time) -> None:
    """It holds the question, so nothing failed."""
    one = follower(source, time, None, max_staleness=LIMIT)
    stepped(one, time)
    assert one.status().error == "the source has not said yet that nothing is newer"
    one.step()
    confirmed = instant_text(int(time.wall))
    assert (one.status().state, one.status().error) == ("following", None)
    time.advance(LIMIT + 1)
    status = one.status()
    assert (status.state, status.is_ready, revision_of(one.engine)) == ("behind", False, 1)
    assert status.error == f"the source has not said since {confirmed} that nothing is newer"
    time.advance(LIMIT)
    assert one.status().error == status.error, "it stays the same, so that a log says it once"
    one.step()
    assert (one.status().state, one.status().error) == ("following", None)


def test_a_source_that_repeats_itself_is_the_reason(source: Direct, time: Time) -> None:
    """A published folder without its publisher: its index can be read, and says what it said long ago."""
    one = follower(source, time, None, max_staleness=LIMIT)
    issued = time.wall
    stepped(one, time)
    source.fault = lambda ask, answer: Unchanged('"i"', issued=issued)
    time.advance(LIMIT + 1)
    one.step()
    assert one.status().error == f"the source has sent nothing that was signed after {instant_text(issued)}"


def test_a_source_that_asks_for_patience_is_the_reason(source: Direct, time: Time) -> None:
    """That is no fault before, but the revision is stale now."""

    def busy(ask: Ask, answer: Answer) -> Answer:
        raise SourceError("`the source` is busy", 1.0, is_away=True)

    one = follower(source, time, None, max_staleness=LIMIT / 2)
    stepped(one, time)
    one.step()
    source.fault = busy
    one.step()
    assert one.status().error is None
    time.advance(LIMIT / 2 + 1)
    one.step()
    assert (one.status().state, one.status().error) == ("behind", "`the source` is busy")


def test_a_follower_logs_once_that_it_is_stale(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The publisher is away. Its callback for errors is told too, once. When the publisher is back, that ends."""
    history, errors = History(), []
    history.issued, history.lifetime = int(system.time()) - 100, 36_000
    folder = Folder(history, str(tmp_path / "published"))
    options = {"environment": "prod", "keys": public_pem(KEY), "poll_seconds": 0.02, "max_staleness": LIMIT}
    with (
        caplog.at_level(logging.WARNING),
        writ.follow(
            folder.root, **options, on_error=lambda status: errors.append(status.error), wait_ready=None
        ) as following,
    ):
        assert wait_until(lambda: caplog.messages)
        said = f"the source has sent nothing that was signed after {instant_text(history.issued)}"
        for _ in range(3):  # it goes on to follow
            history.commit()
            folder.publish()
            assert wait_until(lambda: following.status().revision == history.revision)
        with pytest.raises(writ.FollowError, match="stale"):
            _ = following.engine
        assert (caplog.messages, errors) == ([f"the revision in force is stale: {said}"], [said])
        history.issued += 95
        folder.publish()
        assert wait_until(lambda: following.status().is_ready)
        assert revision_of(following.engine) == history.revision
