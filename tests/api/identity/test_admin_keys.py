"""The administrator's keys of a running service: which count now, and under which name."""

import math
import os
from hashlib import sha256
from pathlib import Path

import pytest
from writ.api.identity.admin_access import supplied_by
from writ.api.identity.admin_key import AdminKey, store_keys
from writ.api.identity.admin_keys import READ_SECONDS, AdminKeyFiles, AdminKeys

from tests.support.clock import Clock

NEW, OLD = "0123456789abcdef" * 2, "fedcba9876543210" * 2


def known(key: str, ends: float = math.inf) -> AdminKey:
    return AdminKey(sha256(key.encode()).digest(), ends)


def actor(keys: AdminKeys, key: str) -> str | None:
    found = keys.credential(key.encode())
    return None if found is None else found.actor


def test_an_old_key_has_a_name_of_its_own_and_ends_at_its_instant() -> None:
    clock = Clock(100.0)
    keys = AdminKeys(lambda: [known(NEW), known(OLD, 200.0)], clock)
    old = keys.credential(OLD.encode())
    assert old is not None
    assert (old.actor, old.expires) == (f"admin-key:{known(OLD).fingerprint}", 200.0)
    assert actor(keys, NEW) == "admin-key"
    clock.now = 199.999
    assert actor(keys, OLD) is not None
    clock.now = 200.0
    assert (actor(keys, OLD), actor(keys, NEW)) == (None, "admin-key")


def test_stored_keys_count_as_soon_as_their_file_has_them(tmp_path: Path) -> None:
    keys = AdminKeys(AdminKeyFiles(tmp_path, None, Clock(0.0)))
    assert actor(keys, NEW) is None
    store_keys(tmp_path, [known(OLD)])
    assert actor(keys, OLD) == "admin-key"
    store_keys(tmp_path, [known(NEW), known(OLD)])
    assert (actor(keys, NEW), actor(keys, OLD)) == ("admin-key", f"admin-key:{known(OLD).fingerprint}")
    store_keys(tmp_path, [known(NEW)])
    assert (actor(keys, NEW), actor(keys, OLD)) == ("admin-key", None)


@pytest.mark.parametrize("content", [None, "", "short\n", f"{NEW}\nshort\n", "\0" * 40])
def test_no_key_counts_while_the_supplied_file_can_t_be_used(tmp_path: Path, content: str | None) -> None:
    file, clock = tmp_path / "keys", Clock(0.0)
    file.write_text(NEW)
    store_keys(tmp_path, [known(NEW)])
    keys = AdminKeys(AdminKeyFiles(tmp_path, supplied_by(None, str(file)), clock))
    assert actor(keys, NEW) == "admin-key"
    if content is None:
        file.unlink()
    else:
        file.write_text(content)
    clock.now += READ_SECONDS
    assert actor(keys, NEW) is None
    file.write_text(NEW)
    clock.now += READ_SECONDS
    assert actor(keys, NEW) == "admin-key"


def test_a_supplied_key_counts_once_it_is_recorded_and_until_the_earlier_end(tmp_path: Path) -> None:
    file, clock = tmp_path / "keys", Clock(0.0)
    file.write_text(f"{NEW}\n{OLD}\n")
    store_keys(tmp_path, [known(OLD, 1_900_000_000)])
    files = AdminKeyFiles(tmp_path, supplied_by(None, str(file)), clock)
    assert files() == [known(OLD, 1_900_000_000)]
    store_keys(tmp_path, [known(NEW), known(OLD)])
    assert files() == [known(NEW), known(OLD)]
    file.write_text(f"{NEW}\n")
    clock.now += READ_SECONDS
    assert files() == [known(NEW)], "a key that was taken out is refused before that is stored"


def test_a_change_that_the_time_of_the_file_hides_is_seen_within_a_second(tmp_path: Path) -> None:
    """Two writes of one size, within one step of the file system's clock."""
    file, clock = tmp_path / "keys", Clock(0.0)
    file.write_text(OLD)
    store_keys(tmp_path, [known(NEW), known(OLD)])
    keys = AdminKeys(AdminKeyFiles(tmp_path, supplied_by(None, str(file)), clock))
    assert actor(keys, OLD) == "admin-key"
    before = file.stat()
    with file.open("r+") as same:
        same.write(NEW)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    clock.now += READ_SECONDS
    assert (actor(keys, OLD), actor(keys, NEW)) == (None, "admin-key")
