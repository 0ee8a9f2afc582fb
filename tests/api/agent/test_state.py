"""The state on disk: a start opens the last good state or nothing, whatever happened to its files."""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from writ.api.agent.trust import Trust
from writ.bundles.errors import WrongEnvironment

from tests.support import killed_swaps
from tests.support.feed import History, revision_of
from tests.support.following import TRUST, Direct, Time, bundle_answer, down, follower, stepped
from tests.support.server import ROOT, environment
from tests.support.signed import KEY, OTHER_KEY, STAGING, public_pem
from tests.support.small_disk import files_up_to

NEWEST = 4


@pytest.fixture
def state(tmp_path: Path, source: Direct, time: Time) -> Path:
    """A state directory with a bundle, two updates and a list of callers, at revision 4."""
    source.history.generation = 1
    source.history.commit()
    one = follower(source, time, tmp_path / "state")
    stepped(one, time, 2)
    source.history.commit(NEWEST - source.history.revision)
    stepped(one, time, 2)
    assert revision_of(one.engine) == NEWEST
    one.close()
    return tmp_path / "state"


def started(state: Path, time: Time, trust: Trust = TRUST) -> Any:
    """A follower on a state directory while its source is away."""
    return follower(Direct(History(), fault=down), time, state, trust)


def test_only_the_owner_can_read_the_state(state: Path) -> None:
    """It has every subject, role and attribute."""
    assert state.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in state.iterdir()} == {0o600}
    assert sorted(path.suffix for path in state.iterdir()) == ["", ".bundle", ".callers", ".json", ".updates"]


def test_a_start_needs_no_source_and_no_valid_times(state: Path, time: Time) -> None:
    """What was accepted once starts an agent again, though its signature has expired by now."""
    time.advance(1_000_000)
    one = started(state, time)
    status = one.status()
    assert (revision_of(one.engine), one.callers.generation) == (NEWEST, 1)
    assert (status.state, status.staleness > 900_000, status.age > 900_000) == ("behind", True, True)
    stepped(one, time)
    assert one.status().error == "`the source` gave no answer"
    one.close()


def test_a_start_needs_the_right_key_and_environment(state: Path, time: Time) -> None:
    """A key may have been withdrawn. A directory of another environment is a mistake of the operator."""
    one = started(state, time, Trust(TRUST.environment, (public_pem(OTHER_KEY),)))
    assert one.engine is None
    one.close()
    with pytest.raises(WrongEnvironment):
        started(state, time, Trust(STAGING.uuid, (public_pem(KEY),)))


@pytest.mark.parametrize("suffix", [".bundle", ".updates", ".json", ".callers"])
def test_a_damaged_file_is_never_served(suffix: str, state: Path, source: Direct, time: Time, tmp_path: Path) -> None:
    """Flipped bits and lost ends, everywhere. The agent starts from all of it or not, and never goes back."""
    (file,) = state.glob(f"*{suffix}")
    content = file.read_bytes()
    step = max(1, len(content) // 10)
    places = [*range(0, len(content), step), len(content) - 1]
    damaged = [content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :] for at in places]
    for bad in damaged + [content[:at] for at in places[::4]]:
        copy = tmp_path / "copy"
        shutil.copytree(state, copy)
        (copy / file.name).write_bytes(bad)
        one = started(copy, time)
        assert revision_of(one.engine) in ((NEWEST,) if suffix in (".callers", ".json") else (NEWEST, None))
        one.close()
        one = follower(source, time, copy)
        stepped(one, time, 3)
        assert (revision_of(one.engine), one.status().state) == (NEWEST, "following")
        assert one.callers.generation == 1
        one.close()
        shutil.rmtree(copy)


def test_lost_updates_are_fetched_again(state: Path, source: Direct, time: Time) -> None:
    """The bundle is sound, but older than what was in force. It waits until updates lead on from it."""
    (file,) = state.glob("*.updates")
    file.unlink()
    one = follower(source, time, state)
    assert one.engine is None
    stepped(one, time)
    assert revision_of(one.engine) == NEWEST
    assert [ask.position for ask in source.asked].count(None) == 1  # the first of all
    one.close()


def test_a_lost_bundle_does_not_lower_the_floor(state: Path, source: Direct, time: Time) -> None:
    """An old bundle with a right signature is no replacement."""
    (file,) = state.glob("*.bundle")
    file.unlink()
    source.history = History(revision=NEWEST - 1)
    one = follower(source, time, state)
    stepped(one, time, 4)
    assert one.engine is None
    assert "is the least that is accepted" in str(one.status().error)
    one.close()


# -- several processes


def test_one_process_follows_and_the_others_read(state: Path, source: Direct, time: Time) -> None:
    """They see the same, errors too. When the one that follows ends, another follows."""
    leader, reader = follower(source, time, state), follower(Direct(source.history), time, state)
    stepped(leader, time)
    reader.step()
    assert (leader.status().leads, reader.status().leads) == (True, False)
    source.history.generation = 2
    source.history.commit()
    stepped(leader, time, 2)
    assert reader.step() < 1
    assert (revision_of(reader.engine), reader.callers.generation) == (NEWEST + 1, 2)
    source.history.compact()
    leader._ask_for_bundle(True)
    source.history.commit()
    stepped(leader, time, 3)
    reader.step()
    assert (revision_of(reader.engine), reader.status().bundle_revision) == (NEWEST + 2, NEWEST + 1)
    source.fault = down
    stepped(leader, time)
    reader.step()
    assert reader.status().error == leader.status().error == "`the source` gave no answer"
    assert reader.status().state == "behind"
    leader.close()
    source.history.commit()
    stepped(reader, time, 2)
    assert (reader.status().leads, revision_of(reader.engine)) == (True, NEWEST + 3)
    reader.close()


def test_a_reader_costs_one_look_at_the_folder(state: Path, time: Time, monkeypatch: Any) -> None:
    """Nothing is opened while nothing changes."""
    leader, reader = started(state, time), started(state, time)
    reader.step()
    monkeypatch.setattr("builtins.open", lambda *_: pytest.fail("a file was opened"))
    for _ in range(3):
        reader.step()
    monkeypatch.undo()
    leader.close()
    reader.close()


def test_a_reader_keeps_what_it_has_if_the_new_state_is_damaged(state: Path, source: Direct, time: Time) -> None:
    """And it says so. The next good state ends it."""
    leader, reader = follower(source, time, state), follower(Direct(source.history), time, state)
    source.history.commit()
    stepped(leader, time, 2)
    (file,) = state.glob("*.updates")
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    reader.step()
    assert (revision_of(reader.engine), reader.status().state) == (NEWEST, "behind")
    file.write_bytes(content)
    source.history.commit()
    stepped(leader, time, 2)
    reader.step()
    assert revision_of(reader.engine) == NEWEST + 2
    leader.close()
    reader.close()


# -- a full disk


@pytest.mark.parametrize("whole", [False, True])
def test_what_can_not_be_stored_is_refused(
    state: Path, source: Direct, time: Time, tmp_path: Path, whole: bool
) -> None:
    """A full disk: the old state stays in force and on disk, and the status says why. Room on the disk ends it."""
    one = follower(source, time, state)
    stepped(one, time)
    source.history.commit(50)
    if whole:
        source.history.compact()
        one._ask_for_bundle(True)
        source.fault = lambda ask, answer: bundle_answer(ask, source.history.bundle())
    else:
        source.history.oldest = NEWEST
    (updates,) = state.glob("*.updates")
    with files_up_to(1_500 if whole else updates.stat().st_size + 1_000):
        for _ in range(3):
            one.step()
            status = one.status()
            assert (revision_of(one.engine), status.state) == (NEWEST, "behind")
            assert "can't be stored: file too large" in str(status.error)
    assert [path for path in state.iterdir() if path.name.startswith(".")] == []
    shutil.copytree(state, tmp_path / "copy")
    again = started(tmp_path / "copy", time)
    assert revision_of(again.engine) == NEWEST
    again.close()
    source.fault = None
    stepped(one, time, 2)
    assert revision_of(one.engine) == NEWEST + 50
    one.close()


def test_a_full_file_system(source: Direct, time: Time, tmp_path: Path) -> None:
    """The same on a file system that has no room left."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a small file system")
    try:
        one = follower(source, time, folder / "state")
        stepped(one, time, 2)
        (folder / "filler").write_bytes(bytes(256 * 1024 - sum(f.stat().st_blocks * 512 for f in folder.rglob("*"))))
        source.history.commit()
        stepped(one, time, 2)
        assert revision_of(one.engine) == 1
        assert one.status().error == "the new state can't be stored: no space left on device; make room on the disk"
        one.close()
        again = started(folder / "state", time)
        assert revision_of(again.engine) == 1
        again.close()
        (folder / "filler").unlink()
        again = follower(source, time, folder / "state")
        stepped(again, time, 2)
        assert revision_of(again.engine) == 2
        again.close()
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)


# -- kills


def test_a_kill_at_any_point_of_a_swap_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    """See `killed_swaps`, which is killed before every step that changes the disk, and at moments by chance."""
    memory = Path("/dev/shm")  # a kill loses nothing that was written, so a disk would only be slower
    with TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as folder:
        line = [sys.executable, "-m", killed_swaps.__name__, folder]
        done = subprocess.run(line, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) > 40
