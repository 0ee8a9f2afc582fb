"""The administrator's key on disk."""

import stat
from hashlib import sha256
from pathlib import Path

import pytest
from writ.api.identity.admin_key import UnusableKey, new_key, preset_digest, store_digest, stored_digest, write_key


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_preset_key_is_known_by_its_digest() -> None:
    key = "0123456789abcdef0123456789abcdef"
    assert preset_digest(key) == sha256(key.encode()).digest()


@pytest.mark.parametrize("key", ["short", "x" * 31, "x" * 31 + " y", "x" * 32 + "\n", "\u00e6" * 32])
def test_a_key_that_is_short_or_fits_no_header_is_refused(key: str) -> None:
    with pytest.raises(UnusableKey, match=r"`WRIT_ADMIN_KEY`") as refused:
        preset_digest(key)
    assert key not in str(refused.value)


def test_a_new_key_is_never_the_same() -> None:
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100
    for key, digest in keys:
        assert key.startswith("writ_admin_")
        assert digest == sha256(key.encode()).digest()
        assert preset_digest(key) == digest


def test_a_digest_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    assert stored_digest(tmp_path) is None
    for word in (b"first", b"second"):
        store_digest(tmp_path, sha256(word).digest())
        assert stored_digest(tmp_path) == sha256(word).digest()
    assert [(path.name, mode(path)) for path in tmp_path.iterdir()] == [("admin-key.sha256", 0o600)]


@pytest.mark.parametrize("content", ["", "xyz", "00", "zz" * 32, "00" * 33])
def test_a_damaged_digest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "admin-key.sha256").write_text(content)
    with pytest.raises(UnusableKey, match=r"admin-key.sha256` holds no SHA-256"):
        stored_digest(tmp_path)


def test_a_key_is_handed_over_in_a_file_for_its_owner(tmp_path: Path) -> None:
    path = write_key(tmp_path, "the key")
    assert (path.name, path.read_text(), mode(path)) == ("admin-key", "the key\n", 0o600)


@pytest.mark.parametrize("planted", ["file", "link"])
def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path, planted: str) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("untouched")
    if planted == "link":
        (tmp_path / "admin-key").symlink_to(target)
    else:
        (tmp_path / "admin-key").write_text("untouched")
    with pytest.raises(UnusableKey, match=r"is there already"):
        write_key(tmp_path, "the key")
    assert (tmp_path / "admin-key").read_text() == "untouched"
