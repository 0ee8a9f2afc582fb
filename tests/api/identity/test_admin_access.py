"""Which administrator's key counts when the service starts."""

from hashlib import sha256
from pathlib import Path

from writ.api.identity.admin_access import AdminAccess, admin_access, keep_adopted
from writ.api.identity.admin_key import store_digest

KEY = "0123456789abcdef0123456789abcdef"
DIGEST = sha256(KEY.encode()).digest()


def test_a_first_start_makes_a_key(tmp_path: Path) -> None:
    access = admin_access(tmp_path, None)
    assert access.fresh_key is not None
    assert access.digest == sha256(access.fresh_key.encode()).digest()
    assert list(tmp_path.iterdir()) == []  # it is kept once it was handed over


def test_a_later_start_knows_the_key_of_the_first(tmp_path: Path) -> None:
    store_digest(tmp_path, DIGEST)
    access = admin_access(tmp_path, None)
    assert (access.digest, access.fresh_key) == (DIGEST, None)


def test_a_preset_key_replaces_the_one_before(tmp_path: Path) -> None:
    store_digest(tmp_path, sha256(b"earlier").digest())
    access = admin_access(tmp_path, KEY)
    assert (access.digest, access.adopted, access.replaces) == (DIGEST, True, True)
    keep_adopted(tmp_path, access)
    for preset in (KEY, None):
        assert admin_access(tmp_path, preset) == AdminAccess(DIGEST)


def test_a_preset_key_may_be_the_first(tmp_path: Path) -> None:
    assert admin_access(tmp_path, KEY) == AdminAccess(DIGEST, adopted=True)
