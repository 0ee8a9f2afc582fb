"""The keys of bundles: made when first needed, and never one of those of tokens."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from writ.api.identity.keys.bundle_keys import bundle_keys_at, bundle_signing_key, prepare_bundle_keys
from writ.api.identity.keys.folder import BUNDLE_FOLDER, FOLDER, KeyFolder
from writ.api.identity.keys.signing_keys import Keys, UnusableSigningKey, new_key, read_keys
from writ.api.identity.keys.sources import prepare_audit_keys, prepare_signing_keys, signing_keys_at
from writ.bundles.signing.sign import LONGEST_LIFETIME

from tests.support.clock import Clock
from tests.support.managed import LOG

NO_TOKEN_KEYS = Keys({}, UnusableSigningKey("none"))


def token_keys(directory: Path) -> Keys:
    return read_keys(signing_keys_at(directory, None).pems())[0]


def test_a_service_makes_a_key_when_it_first_signs_a_bundle(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    prepare_signing_keys(tmp_path, None, "EdDSA", lambda: 0.0, LOG)
    prepare_audit_keys(tmp_path, None, lambda: 0.0, LOG)
    source = prepare_bundle_keys(tmp_path, None, lambda: 0.0, LOG)
    assert not (tmp_path / BUNDLE_FOLDER).exists()
    key = bundle_signing_key(source, token_keys(tmp_path))
    assert bundle_signing_key(source, token_keys(tmp_path)).id == key.id
    (file,) = (tmp_path / BUNDLE_FOLDER).iterdir()
    assert ((tmp_path / BUNDLE_FOLDER).stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    assert key.id not in token_keys(tmp_path).verifying
    assert not caplog.records


def test_of_many_that_make_the_first_key_all_have_the_same(tmp_path: Path) -> None:
    for number in range(10):
        directory = tmp_path / str(number)
        directory.mkdir()
        with ThreadPoolExecutor(8) as pool:
            keys = [
                pool.submit(bundle_signing_key, bundle_keys_at(directory, None), NO_TOKEN_KEYS).result for _ in range(8)
            ]
            assert len({key().id for key in keys}) == 1
        assert [path.name for path in directory.iterdir()] == [BUNDLE_FOLDER]


def test_a_rotated_key_is_known_for_the_longest_life_of_a_signature(tmp_path: Path) -> None:
    clock = Clock(1_000.0)
    source = bundle_keys_at(tmp_path, None, clock)
    first = bundle_signing_key(source, NO_TOKEN_KEYS).id
    second = KeyFolder(tmp_path, BUNDLE_FOLDER, clock).rotate("EdDSA")
    assert bundle_signing_key(source, NO_TOKEN_KEYS).id == second
    clock.now += LONGEST_LIFETIME
    assert read_keys(source.pems())[0].verifying.keys() == {first, second}
    clock.now += 100
    assert read_keys(source.pems())[0].verifying.keys() == {second}


def test_a_key_of_tokens_signs_no_bundle(tmp_path: Path) -> None:
    KeyFolder(tmp_path, FOLDER).make_first("EdDSA")
    (file,) = (tmp_path / FOLDER).iterdir()
    for given in (str(file), file.read_text()):
        with pytest.raises(UnusableSigningKey, match="is also a key of tokens"):
            bundle_signing_key(bundle_keys_at(tmp_path, given), token_keys(tmp_path))


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_a_key_of_another_kind_signs_no_bundle(
    algorithm: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = prepare_bundle_keys(tmp_path, new_key(algorithm)[1].decode(), lambda: 0.0, LOG)
    with pytest.raises(UnusableSigningKey, match="can't sign bundles: it is not an Ed25519 key"):
        bundle_signing_key(source, NO_TOKEN_KEYS)
    assert "no bundle can be signed: the key " in caplog.text


def test_a_given_key_that_can_not_sign_is_told_of_at_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    key, pem = new_key("EdDSA")
    source = prepare_bundle_keys(tmp_path, pem.decode(), lambda: 0.0, LOG)
    assert (bundle_signing_key(source, NO_TOKEN_KEYS).id, caplog.records) == (key.id, [])
    for given in (key.public_pem().decode(), "SECRETSECRET"):
        prepare_bundle_keys(tmp_path, given, lambda: 0.0, LOG)
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert "the newest key is a public one" in caplog.text
    assert "WRIT_BUNDLE_KEY" in caplog.text
    assert "SECRETSECRET" not in caplog.text


def test_a_folder_whose_key_was_lost_gets_no_other_one_by_itself(tmp_path: Path) -> None:
    source = bundle_keys_at(tmp_path, None)
    bundle_signing_key(source, NO_TOKEN_KEYS)
    (file,) = (tmp_path / BUNDLE_FOLDER).iterdir()
    file.unlink()
    with pytest.raises(UnusableSigningKey, match="writ keys rotate --kind bundle"):
        bundle_signing_key(source, NO_TOKEN_KEYS)
