"""The keys of a data directory: made once, rotated, readable by their owner alone, and no longer good than needed."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from writ.api.identity.credential_shapes import LONGEST_LIFETIME
from writ.api.identity.keys.folder import AUDIT_FOLDER, FOLDER, KeyFolder
from writ.api.identity.keys.ring import KeyRing
from writ.api.identity.keys.signing_keys import Key, UnusableSigningKey

from tests.support.clock import Clock
from tests.support.managed import LOG

KEPT = LONGEST_LIFETIME + 60
JUNK = b"-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000.0)


@pytest.fixture
def folder(tmp_path: Path, clock: Clock) -> KeyFolder:
    found = KeyFolder(tmp_path, FOLDER, clock)
    found.make_first("EdDSA")
    return found


def signer(ring: KeyRing) -> Key:
    return ring.keys().signer()[0]


def files(folder: KeyFolder) -> list[Path]:
    return sorted(folder.path.iterdir())


def modes(folder: KeyFolder) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in files(folder)}


def test_a_first_key_is_made_once_for_its_owner_alone(folder: KeyFolder) -> None:
    before = folder.pems()
    folder.make_first("EdDSA")
    assert folder.pems() == before
    assert (stat.S_IMODE(folder.path.stat().st_mode), modes(folder)) == (0o700, {0o600})
    assert [path.name for path in folder.path.parent.iterdir()] == ["keys"], "no draft is left"


def test_a_folder_whose_key_was_lost_gets_no_other_one_by_itself(folder: KeyFolder) -> None:
    for file in files(folder):
        file.unlink()
    folder.make_first("EdDSA")
    with pytest.raises(UnusableSigningKey, match="writ keys rotate"):
        KeyRing(folder, LOG).keys().signer()


def test_a_rotated_key_verifies_until_its_last_token_is_dead(folder: KeyFolder, clock: Clock) -> None:
    """Whether there is another rotation by then or not, and in a process that runs all the time."""
    ring = KeyRing(folder, LOG)
    first = signer(ring)
    clock.now = 2_000
    second = folder.rotate("ES256")
    assert (signer(ring).id, signer(ring).algorithm) == (second, "ES256")
    kept = ring.keys().verifying[first.id]
    assert (kept.private, kept.public_pem()) == (None, first.public_pem()), "it signs no more"
    assert modes(folder) == {0o600}
    clock.now = 2_000 + KEPT
    assert ring.keys().verifying.keys() == {first.id, second}
    clock.now = 2_001 + KEPT
    assert ring.keys().verifying.keys() == {second}
    third = folder.rotate("EdDSA")
    assert [file.name[13:-4] for file in files(folder)] == [second, third]
    assert ring.keys().verifying.keys() == {second, third}


def test_what_signed_the_audit_log_verifies_for_good(tmp_path: Path, clock: Clock) -> None:
    folder = KeyFolder(tmp_path, AUDIT_FOLDER, clock)
    folder.make_first("EdDSA")
    ids = [signer(KeyRing(folder, LOG)).id]
    for _ in range(2):
        clock.now += 100 * KEPT
        ids.append(folder.rotate("EdDSA"))
    clock.now += 100 * KEPT
    assert KeyRing(folder, LOG).keys().verifying.keys() == set(ids)


def test_distrust_removes_every_older_key(folder: KeyFolder) -> None:
    ring = KeyRing(folder, LOG)
    folder.rotate("EdDSA")
    newest = folder.rotate("EdDSA", distrust_old=True)
    assert ring.keys().verifying.keys() == {newest}
    assert [file.name[13:-4] for file in files(folder)] == [newest]
    assert signer(ring).id == newest


def test_of_two_keys_made_in_one_second_the_later_one_signs(folder: KeyFolder, clock: Clock) -> None:
    ring = KeyRing(folder, LOG)
    for clock.now in (1_000, 1_000, 10):  # a clock that was set back
        assert folder.rotate("EdDSA") == signer(ring).id


def test_drafts_of_commands_that_were_killed_are_removed(folder: KeyFolder) -> None:
    (kept,) = files(folder)
    drafts = [kept.with_suffix(".0123456789abcdef"), folder.path.with_name("keys.0123456789abcdef") / kept.name]
    others = [kept.with_suffix(".backup"), folder.path.with_name("keys.old") / kept.name]
    for path in drafts + others:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(kept.read_bytes())
    folder.rotate("EdDSA")
    assert [path.exists() for path in drafts] == [False, False]
    assert [path.exists() for path in others] == [True, True]
    assert not drafts[1].parent.exists()


def test_a_damaged_newest_key_is_no_reason_to_sign_with_an_older_one(
    folder: KeyFolder, caplog: pytest.LogCaptureFixture
) -> None:
    first = signer(KeyRing(folder, LOG))
    folder.rotate("EdDSA")
    newest = files(folder)[-1]
    newest.write_bytes(JUNK)
    ring = KeyRing(folder, LOG)
    with pytest.raises(UnusableSigningKey) as raised:
        ring.keys().signer()
    assert ring.keys().verifying.keys() == {first.id}
    for said in (str(raised.value), caplog.text):
        assert newest.name in said
        assert "c2VjcmV0" not in said


def unreadable(file: Path) -> None:
    """In a way that holds for root too."""
    file.unlink()
    file.symlink_to("nowhere")


@pytest.mark.parametrize("spoil", [unreadable, lambda file: file.write_bytes(JUNK)])
def test_one_bad_file_spoils_no_other_key(
    folder: KeyFolder, spoil: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    first = signer(KeyRing(folder, LOG))
    newest = folder.rotate("EdDSA")
    ring = KeyRing(folder, LOG)
    assert ring.keys().verifying.keys() == {first.id, newest}
    spoil(files(folder)[0])
    assert (ring.keys().verifying.keys(), signer(ring).id) == ({newest}, newest)
    assert files(folder)[0].name in caplog.text
    later = folder.rotate("EdDSA")
    assert ring.keys().verifying.keys() == {newest, later}, "nor does it keep from rotating"


def test_it_is_noticed_when_somebody_else_may_read_a_key(folder: KeyFolder) -> None:
    (file,) = files(folder)
    before = folder.stamp()
    file.chmod(0o640)
    changed = folder.stamp()
    assert changed != before
    assert folder.stamp() == changed


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_root_rotates_for_the_owner_of_the_folder(folder: KeyFolder, tmp_path: Path) -> None:
    for path in (tmp_path, folder.path, *files(folder)):
        os.chown(path, 65_534, 65_534)
    folder.rotate("EdDSA")
    (tmp_path / "lost").mkdir()
    os.chown(tmp_path / "lost", 65_534, 65_534)
    again = KeyFolder(tmp_path / "lost")
    again.rotate("EdDSA")
    made = [*files(folder), *files(again), again.path]
    assert [(path.stat().st_uid, path.stat().st_gid) for path in made] == [(65_534, 65_534)] * 4
    assert modes(folder) == {0o600}


def test_somebody_else_is_told_to_rotate_as_the_owner(folder: KeyFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    before, owner = files(folder), folder.path.stat()
    monkeypatch.setattr("writ.api.identity.keys.key_files._owner", lambda _: (owner.st_uid + 1, owner.st_gid))
    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(PermissionError, match=f"belongs to the user {owner.st_uid + 1}"):
        folder.rotate("EdDSA")
    assert files(folder) == before, "no half-made key is left"
