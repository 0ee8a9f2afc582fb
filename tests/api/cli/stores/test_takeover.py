"""`writ takeover`: a copy of another machine's store counts from then on, and the other machine does not."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.live.data_directory import hold
from writ.api.identity.keys.folder import AUDIT_FOLDER, BUNDLE_FOLDER, FOLDER, KeyFolder
from writ.api.store.elements.edits import Create
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.stored import ACTOR, ENV


class Machine:
    """A machine with a store and its keys."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(mode=0o700)
        for folder in (FOLDER, BUNDLE_FOLDER, AUDIT_FOLDER):
            KeyFolder(directory, folder).make_first("EdDSA")
        with closing(Store.open(directory)):
            pass

    def change(self, name: str) -> int:
        """One more revision. Returns its number."""
        with closing(Store.open(self.directory)) as store:
            return store.write(ENV, ACTOR, [Create("roles", {"id": name})]).environment.revision

    def copy(self, file: Path) -> Path:
        """A copy of the store, as replication makes it."""
        with closing(Store.open(self.directory)) as store:
            store.backup(file)
        return file

    def publish(self, target: Path) -> tuple[int, str]:
        """Publish to a target. Returns the exit code and the message."""
        done = writ("publish", target, "--data", self.directory)
        return done.returncode, done.stderr.decode()


@pytest.fixture
def old(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "old")
    machine.change("first")
    return machine


def keys_to(machine: Machine, directory: Path) -> Path:
    """Copy the keys of a machine to another directory."""
    for folder in (FOLDER, BUNDLE_FOLDER, AUDIT_FOLDER):
        shutil.copytree(machine.directory / folder, directory / folder)
    return directory


def taken_over(copy: Path, directory: Path, *more: str | Path) -> dict[str, Any]:
    done = writ("takeover", copy, "--data", directory, "--format", "json", *more)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def refused(copy: Path, directory: Path, *more: str | Path) -> str:
    done = writ("takeover", copy, "--data", directory, *more)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


def test_it_tells_the_last_revision_that_was_copied_and_ends_the_old_epoch(old: Machine, tmp_path: Path) -> None:
    copied = old.change("copied")
    copy = old.copy(tmp_path / "copy.db")
    old.change("lost")
    found = taken_over(copy, keys_to(old, tmp_path / "new"))
    (one,) = found["environments"]
    assert (one["id"], one["revision"]) == (ENV, copied)
    assert one["time"].endswith("Z")
    with closing(Store.open(tmp_path / "new")) as store, closing(Store.open(old.directory)) as before:
        assert store.environment(ENV).epoch == one["epoch"] > before.environment(ENV).epoch
        assert (store.environment(ENV).uuid, store.revision_of(ENV)) == (one["uuid"], copied)
        assert store.write(ENV, ACTOR, [Create("roles", {"id": "after"})]).environment.revision == copied + 1


def test_the_old_machine_can_publish_no_more(old: Machine, tmp_path: Path) -> None:
    """Also if it wrote more revisions than the new one has, before or after."""
    target = tmp_path / "published"
    copy = old.copy(tmp_path / "copy.db")
    for name in ("lost", "lost too"):
        old.change(name)
    assert old.publish(target)[0] == 0
    found = taken_over(copy, keys_to(old, tmp_path / "new"), "--publish", target)
    (published,) = found["published"]
    assert published == {
        "environment": ENV,
        "target": str(target),
        "epoch": found["environments"][0]["epoch"],
        "revision": found["environments"][0]["revision"],
    }
    old.change("after")
    code, said = old.publish(target)
    assert code == 2
    assert "another machine has taken over" in said
    following = writ("publish", target, "--data", old.directory, "--follow")
    assert following.returncode == 2, "it does not try again for ever"


def test_a_second_machine_with_an_older_copy_gets_a_later_epoch(old: Machine, tmp_path: Path) -> None:
    """The target tells which epochs there were: the two copies know nothing of each other."""
    target = tmp_path / "published"
    copy = old.copy(tmp_path / "copy.db")
    epochs = []
    for name in ("second", "third"):
        found = taken_over(copy, keys_to(old, tmp_path / name), "--publish", target)
        epochs.append(found["published"][0]["epoch"])
    assert epochs[1] == epochs[0] + 1


def test_each_environment_has_its_target(old: Machine, tmp_path: Path) -> None:
    with closing(Store.open(old.directory)) as store:
        store.create_environment(ACTOR, "test")
        store.write("test", ACTOR, [Create("roles", {"id": "tester"})])
    wanted = ("--publish", f"test={tmp_path / 'test'}", "--publish", tmp_path / "prod")
    found = taken_over(old.copy(tmp_path / "copy.db"), keys_to(old, tmp_path / "new"), *wanted)
    assert [one["environment"] for one in found["published"]] == ["test", ENV]
    assert len(found["environments"]) == 2


def test_without_keys_agents_would_refuse_what_it_publishes(old: Machine, tmp_path: Path) -> None:
    copy, target = old.copy(tmp_path / "copy.db"), tmp_path / "published"
    said = refused(copy, tmp_path / "new", "--publish", target)
    assert f"copy `{FOLDER}`, `{BUNDLE_FOLDER}`, `{AUDIT_FOLDER}`" in said
    assert not target.exists()
    assert not (tmp_path / "new/writ.db").exists()
    done = writ("takeover", copy, "--data", tmp_path / "new")
    assert done.returncode == 0
    assert b"WARNING: keys are missing" in done.stderr
    assert b"the epoch is now 2" in done.stderr


def test_what_can_t_be_taken_over_changes_nothing(old: Machine, tmp_path: Path) -> None:
    new, copy, target = keys_to(old, tmp_path / "new"), old.copy(tmp_path / "copy.db"), tmp_path / "published"
    (tmp_path / "damaged.db").write_bytes(copy.read_bytes()[:5_000])
    (tmp_path / "empty.db").write_bytes(b"")
    for name in ("damaged.db", "empty.db"):
        assert "backup" in refused(tmp_path / name, new)
    with hold(new):
        assert "is served by another process" in refused(copy, new)
    other = Machine(tmp_path / "foreign")
    assert other.publish(target)[0] == 0
    assert "that this store did not write" in refused(copy, new, "--publish", target)
    assert not (new / "writ.db").exists()


def test_if_it_can_t_publish_it_says_what_is_done_and_how_to_go_on(old: Machine, tmp_path: Path) -> None:
    new, copy = keys_to(old, tmp_path / "new"), old.copy(tmp_path / "copy.db")
    said = refused(copy, new, "--publish", f"nowhere={tmp_path / 'published'}")
    assert "the store is taken over, but not published: there is no environment `nowhere`" in said
    assert f"writ publish {tmp_path / 'published'} --env nowhere --data {new}" in said


@pytest.mark.parametrize("environment", [ENV, "nowhere"])
def test_no_message_has_the_credentials_of_a_target(environment: str, old: Machine, tmp_path: Path) -> None:
    """Neither if it publishes, nor if it can't: messages go to logs."""
    new, copy = keys_to(old, tmp_path / "new"), old.copy(tmp_path / "copy.db")
    target = f"{environment}=memory://key:secret@bucket/folder"
    done = writ("takeover", copy, "--data", new, "--publish", target)
    assert done.returncode == (0 if environment == ENV else 2)
    assert b"memory://bucket/folder" in done.stderr
    assert b"secret" not in done.stdout + done.stderr
