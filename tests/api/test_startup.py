"""Settings and the administrator's key at the start."""

from hashlib import sha256
from pathlib import Path

import pytest
from writ.api.credentials.admin_key import store_digest
from writ.api.settings import BadSetting, HttpLimits
from writ.api.startup import AdminAccess, admin_access, keep_adopted, settings_from

KEY = "0123456789abcdef0123456789abcdef"
DIGEST = sha256(KEY.encode()).digest()


def test_settings_come_from_the_environment() -> None:
    settings = settings_from({"WRIT_ADMIN_KEY": KEY, "WRIT_MAX_NESTING": "5"})
    assert (settings.preset_key, settings.limits) == (KEY, HttpLimits(nesting=5))
    assert settings_from({"WRIT_ADMIN_KEY": ""}).preset_key is None
    with pytest.raises(BadSetting):
        settings_from({"WRIT_MAX_NESTING": "many"})


def test_a_misspelt_setting_is_told_of_with_the_nearest_one() -> None:
    """What is known is what is asked for: limits, key and all else that is ever read."""
    said = {
        "WRIT_STALE_SECOND": "1",
        "WRIT_MAX_BODY_BYTE": "1",
        "writ_admin_key": KEY,
        "OTHER": "x",
        "WRIT_ADMIN_KEY": KEY,
    }
    assert settings_from(said).warnings == (
        "the variable `WRIT_STALE_SECOND` is no setting and counts for nothing; did you mean `WRIT_STALE_SECONDS`?",
        "the variable `WRIT_MAX_BODY_BYTE` is no setting and counts for nothing; did you mean `WRIT_MAX_BODY_BYTES`?",
    )
    assert settings_from({"WRIT_XYZ\x1b": "1"}).warnings == (
        "the variable `WRIT_XYZ\\x1b` is no setting and counts for nothing",
    )
    right = {"WRIT_SYNCHRONOUS": "NORMAL", "WRIT_STALE_SECONDS": "1", "WRIT_HEAD_SECONDS": "1", "WRIT_MAX_NESTING": "5"}
    assert settings_from(right).warnings == ()


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


def test_how_tokens_are_signed_is_a_setting() -> None:
    assert (settings_from({}).signing_key, settings_from({}).signing_algorithm) == (None, "EdDSA")
    settings = settings_from({"WRIT_SIGNING_KEY": "key.pem", "WRIT_SIGNING_ALGORITHM": "ES256"})
    assert (settings.signing_key, settings.signing_algorithm, settings.warnings) == ("key.pem", "ES256", ())
    for algorithm in ("HS256", "none", ""):
        with pytest.raises(BadSetting, match="`EdDSA`, `ES256` or `RS256`"):
            settings_from({"WRIT_SIGNING_ALGORITHM": algorithm})
