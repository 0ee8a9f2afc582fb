"""The watch: each commit of each process is seen by the next question, whether or not its signal was sent."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from writ.api.store.database.commit_signal import SUFFIX
from writ.api.store.errors import StoreUnavailable
from writ.api.store.store import Store

from tests.support.closing import closed_later
from tests.support.stored import ACTOR

pytestmark = pytest.mark.of_file


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return closed_later(Store.open(tmp_path))


def test_a_commit_is_seen_by_the_next_question(store: Store) -> None:
    seen = [store.watch.version()]
    assert store.watch.version() == seen[0]
    for name in "abc":
        store.create_environment(ACTOR, name)
        seen.append(store.watch.version())
    assert len(set(seen)) == len(seen)
    assert store.watch.version() == seen[-1]


def test_a_commit_of_another_process_is_seen_by_the_next_question(store: Store) -> None:
    before = store.watch.version()
    code = (
        "import sys; from pathlib import Path; from writ.api.store.store import Store;"
        "from tests.support.stored import ACTOR; Store.open(Path(sys.argv[1])).create_environment(ACTOR, 'b')"
    )
    subprocess.run([sys.executable, "-c", code, str(store.path.parent)], check=True, cwd=Path(__file__).parents[4])
    assert store.watch.version() != before


def test_a_commit_without_a_signal_is_seen_after_the_next_beat(store: Store) -> None:
    """Its process died in between, or is another program."""
    before = store.watch.version()
    with sqlite3.connect(store.path) as other:
        other.execute("CREATE TABLE another (x)")
    other.close()
    assert store.watch.version() == before
    store.watch.beat()
    assert store.watch.version() != before


def test_without_the_file_the_database_is_asked_each_time(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    signal = next(tmp_path.glob(f"*{SUFFIX}"))
    signal.unlink()
    signal.mkdir()
    store = Store.open(tmp_path)
    before = store.watch.version()
    with sqlite3.connect(store.path) as other:
        other.execute("CREATE TABLE another (x)")
    other.close()
    assert store.watch.version() != before


def test_nothing_is_stored_without_a_signal(store: Store) -> None:
    """Its promise, to be seen by every worker, could not be kept."""
    signal = store._connections.signal
    assert signal is not None
    signal._descriptor = -1
    with pytest.raises(StoreUnavailable, match="nothing is stored, since other workers can't be told of it"):
        store.create_environment(ACTOR, "a")
    assert [environment.id for environment in store.environments()] == ["default"]


def test_a_commit_that_one_process_has_seen_is_seen_by_the_next_question(store: Store) -> None:
    """Also while its writer has not told yet that it ended: others may have seen it by then."""
    signal = store._connections.signal
    assert signal is not None
    number = signal.begin()
    before = store.watch.version()
    assert store.watch.version() is before
    with sqlite3.connect(store.path) as other:
        other.execute("CREATE TABLE another (x)")
    other.close()
    after = store.watch.version()
    assert after != before
    signal.end(number)
    assert store.watch.version() == after
    assert store.watch._known


def test_the_end_of_a_commit_says_nothing_of_the_next_one(store: Store) -> None:
    """A slow writer may tell of its end when the next one has begun."""
    signal = store._connections.signal
    assert signal is not None
    first = signal.begin()
    signal.begin()
    signal.end(first)
    store.watch.version()
    assert not store.watch._known


def test_a_child_asks_on_a_connection_of_its_own(store: Store) -> None:
    before = store.watch.version()
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if store.watch.version() != before and store.watch._db is not None else 1
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert store.watch.version() == before
