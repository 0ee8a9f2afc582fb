"""A follower is ready when the newest revision that its source confirmed is in force, not with an old state on disk."""

import threading
import time as system
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import writ
from writ.api.agent.following import Following
from writ.api.agent.options import FollowOptions

from tests.support.feed import History, revision_of
from tests.support.following import Direct, Time, down, follower, stepped
from tests.support.signed import KEY, public_pem
from tests.support.upstream import Handler, Upstream, serving

FOREVER = 60.0


@pytest.fixture
def server() -> Iterator[Upstream]:
    history = History()
    history.issued, history.lifetime = int(system.time()), 3_600
    with serving(history) as upstream:
        yield upstream


@pytest.fixture
def options(server: Upstream, tmp_path: Path) -> dict[str, Any]:
    """The options of a follower with an old state on disk."""
    found = {"environment": "prod", "keys": public_pem(KEY), "state": tmp_path / "state"}
    writ.follow(server.url, **found).close()
    server.commit(2)
    return found


class Gate:
    """A fault: the server answers nobody before it is opened. `asked` says that somebody asked."""

    def __init__(self, server: Upstream) -> None:
        self.asked, self.opened = threading.Event(), threading.Event()
        server.fault = self._pass

    def _pass(self, _: Handler) -> bool:
        self.asked.set()
        self.opened.wait(FOREVER)
        return False


def test_a_start_waits_for_the_newest_revision(server: Upstream, options: dict[str, Any]) -> None:
    """The state on disk is older. It decides for those who do not want to wait."""
    gate, found = Gate(server), []
    thread = threading.Thread(target=lambda: found.append(writ.follow(server.url, **options, wait_ready=FOREVER)))
    thread.start()
    assert gate.asked.wait(FOREVER)
    assert found == []
    gate.opened.set()
    thread.join()
    with found[0] as following:
        assert revision_of(following.engine) == 3


def test_a_first_bundle_is_not_ready_before_its_updates(server: Upstream, options: dict[str, Any]) -> None:
    """The bundle of a server may be older than its newest revision."""
    with writ.follow(server.url, **options | {"state": None}) as following:
        assert (revision_of(following.engine), following.status().bundle_revision) == (3, 1)


def test_a_start_needs_no_source(server: Upstream, options: dict[str, Any]) -> None:
    """If it fails, or is silent for the whole time, the old state is better than nothing. Without one, that is said."""
    server.fault = lambda handler: handler.refuse(500, "down") is None
    with writ.follow(server.url, **options, wait_ready=FOREVER) as following:
        assert (revision_of(following.engine), following.status().state) == (1, "behind")
    gate = Gate(server)
    with writ.follow(server.url, **options, wait_ready=0.05) as following:
        assert revision_of(following.engine) == 1
    with pytest.raises(writ.FollowError, match="the source did not answer yet"):
        writ.follow(server.url, **options | {"state": None}, wait_ready=0.05)
    gate.opened.set()


def test_a_worker_looks_at_its_source_though_it_has_an_old_state(server: Upstream, options: dict[str, Any]) -> None:
    """Before an agent accepts the first caller."""
    with Following(FollowOptions(server.url, **options)) as following:
        following.look(FOREVER)
        assert following.newest is not None
        assert revision_of(following.newest) == 3


def test_a_process_that_reads_waits_for_the_one_that_follows(tmp_path: Path) -> None:
    """A state on disk may be of an earlier run, an error of it too."""
    source, time = Direct(History()), Time()
    earlier = follower(source, time, tmp_path)
    stepped(earlier, time, 2)
    source.fault = down
    earlier.step()
    earlier.close()
    source.fault, source.history.revision = None, 3
    leader, reader = (follower(source, time, tmp_path) for _ in range(2))
    reader.step()
    assert (reader.status().error, reader.has_heard) == ("`the source` gave no answer", False)
    assert revision_of(reader.engine) == 1
    leader.step()
    reader.step()
    assert (revision_of(reader.engine), reader.has_heard) == (3, True)
    late = follower(source, time, tmp_path)
    late.step()
    assert (revision_of(late.engine), late.has_heard) == (3, True), "it need not wait for another answer"
    leader.close()
    source.fault = down
    late.step()
    reader.step()
    assert (late.status().leads, late.has_heard, reader.has_heard) == (True, True, True)
    for one in (late, reader):
        one.close()


def test_without_room_for_its_mark_a_leader_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that read only wait longer."""

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    source, time = Direct(History()), Time()
    monkeypatch.setattr("os.pwrite", full)
    leader, reader = (follower(source, time, tmp_path) for _ in range(2))
    stepped(leader, time, 2)
    reader.step()
    assert (revision_of(reader.engine), leader.has_heard, reader.has_heard) == (1, True, False)
    monkeypatch.undo()
    leader.step()
    reader.step()
    assert reader.has_heard
    for one in (leader, reader):
        one.close()
