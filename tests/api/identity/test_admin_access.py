"""Which administrator's key counts when the service starts."""

from hashlib import sha256
from pathlib import Path

import pytest
from writ.api.identity.admin_access import AdminAccess, admin_access, keep_adopted, supplied_by
from writ.api.identity.admin_key import AdminKey, UnusableKey, store_keys

KEY = "0123456789abcdef0123456789abcdef"
ADMIN = AdminKey(sha256(KEY.encode()).digest())
EARLIER = AdminKey(sha256(b"earlier").digest())
PRESET = supplied_by(KEY, None)


def test_a_first_start_makes_a_key(tmp_path: Path) -> None:
    access = admin_access(tmp_path, None)
    assert access.fresh_key is not None
    assert access.keys == (AdminKey(sha256(access.fresh_key.encode()).digest()),)
    assert list(tmp_path.iterdir()) == []  # it is kept once it was handed over


def test_a_later_start_knows_the_key_of_the_first(tmp_path: Path) -> None:
    store_keys(tmp_path, [ADMIN])
    access = admin_access(tmp_path, None)
    assert (access.keys, access.fresh_key) == ((ADMIN,), None)


def test_a_preset_key_replaces_the_one_before(tmp_path: Path) -> None:
    store_keys(tmp_path, [EARLIER])
    access = admin_access(tmp_path, PRESET)
    assert (access.keys, access.adopted, access.replaces) == ((ADMIN,), PRESET, True)
    keep_adopted(tmp_path, access)
    for preset in (PRESET, None):
        assert admin_access(tmp_path, preset) == AdminAccess((ADMIN,))


def test_a_preset_key_may_be_the_first(tmp_path: Path) -> None:
    assert admin_access(tmp_path, PRESET) == AdminAccess((ADMIN,), adopted=PRESET)


def test_a_file_with_the_key_that_a_start_handed_over_is_removed_unless_it_is_supplied(tmp_path: Path) -> None:
    store_keys(tmp_path, [EARLIER])
    handed = tmp_path / "admin-key"
    handed.write_text(KEY)
    same = tmp_path / "link"
    same.symlink_to(handed)
    keep_adopted(tmp_path, admin_access(tmp_path, supplied_by(None, str(same))))
    assert handed.exists()
    store_keys(tmp_path, [EARLIER])
    keep_adopted(tmp_path, admin_access(tmp_path, PRESET))
    assert not handed.exists()


def test_a_key_and_a_file_of_keys_are_not_both_set(tmp_path: Path) -> None:
    with pytest.raises(UnusableKey, match=r"both set"):
        supplied_by(KEY, str(tmp_path / "keys"))
