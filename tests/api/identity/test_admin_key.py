"""The administrator's key on disk."""

import math
import stat
from hashlib import sha256
from pathlib import Path

import pytest
from writ.api.identity.admin_key import (
    MOST_KEYS,
    AdminKey,
    UnusableKey,
    new_key,
    preset_digest,
    store_keys,
    stored_keys,
    supplied_keys,
    write_key,
)


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


def test_keys_are_kept_for_their_owner_alone(tmp_path: Path) -> None:
    assert stored_keys(tmp_path) is None
    first, second = (AdminKey(sha256(word).digest()) for word in (b"first", b"second"))
    for keys in ((first,), (second, first._replace(ends=1_900_000_000))):
        store_keys(tmp_path, keys)
        assert stored_keys(tmp_path) == keys
    assert [(path.name, mode(path)) for path in tmp_path.iterdir()] == [("admin-key.sha256", 0o600)]


@pytest.mark.parametrize("content", ["", "xyz", "00", "zz" * 32, "00" * 33])
def test_a_damaged_digest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "admin-key.sha256").write_text(content)
    with pytest.raises(UnusableKey, match=r"admin-key.sha256` holds no SHA-256"):
        stored_keys(tmp_path)


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


KEY, OLD = "0123456789abcdef" * 2, "fedcba9876543210" * 2


def known(key: str, ends: float = math.inf) -> AdminKey:
    return AdminKey(sha256(key.encode()).digest(), ends)


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        (KEY, (known(KEY),)),
        (f"\n  {KEY} \r\n\n{OLD} until 2030-01-01T01:00:00.9+01:00\n", (known(KEY), known(OLD, 1_893_456_000))),
    ],
)
def test_a_supplied_file_has_a_key_a_line(tmp_path: Path, content: str, keys: tuple[AdminKey, ...]) -> None:
    file = tmp_path / "keys"
    file.write_bytes(content.encode())
    assert supplied_keys(file) == keys


@pytest.mark.parametrize(
    "content",
    [
        "",
        " \n\n",
        f"{KEY}\nshort\n",
        f"{KEY} until\n",
        f"{KEY} until tomorrow\n",
        f"{KEY} until 2030-01-01\n",
        f"{KEY} {OLD}",
        f"{KEY}\n{KEY} until 2030-01-01T00:00:00Z",
        f"{KEY}\x00",
        f"{KEY}\u00e4",
        "\n".join(f"{KEY}{number}" for number in range(MOST_KEYS + 1)),
    ],
)
def test_a_file_with_one_bad_line_gives_no_key_and_its_fault_tells_none(tmp_path: Path, content: str) -> None:
    file = tmp_path / "keys"
    file.write_text(content)
    with pytest.raises(UnusableKey) as refused:
        supplied_keys(file)
    assert KEY not in str(refused.value)
    assert "short" not in str(refused.value)


def test_a_file_that_is_not_there_gives_no_key(tmp_path: Path) -> None:
    with pytest.raises(UnusableKey, match=r"can't be read: no such file"):
        supplied_keys(tmp_path / "keys")
