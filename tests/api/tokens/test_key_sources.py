"""Where signing keys lie: made once, rotated, readable by their owner alone, and never a reason to stop."""

import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from api.tokens import ALGORITHMS
from api.tokens.key_ring import KeyRing
from api.tokens.key_sources import GivenKeys, KeyFolder
from api.tokens.signing_keys import MAKERS, Key, UnusableSigningKey, new_key, read_key
from tests.support.managed import LOG

DAY = 86_400


@pytest.fixture
def folder(tmp_path: Path) -> KeyFolder:
    found = KeyFolder(tmp_path)
    found.make_first("EdDSA", 1_000)
    return found


def signer(ring: KeyRing) -> Key:
    return ring.keys().signer()[0]


def modes(folder: KeyFolder) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.path.iterdir()}


def test_a_first_key_is_made_once_for_its_owner_alone(folder: KeyFolder) -> None:
    before = folder.pems()
    folder.make_first("EdDSA", 2_000)
    assert folder.pems() == before
    assert (stat.S_IMODE(folder.path.stat().st_mode), modes(folder)) == (0o700, {0o600})
    assert [path.name for path in folder.path.parent.iterdir()] == ["keys"], "no draft is left"


def test_a_folder_whose_key_was_lost_gets_no_other_one_by_itself(folder: KeyFolder) -> None:
    for file in folder.path.iterdir():
        file.unlink()
    folder.make_first("EdDSA", 2_000)
    with pytest.raises(UnusableSigningKey, match="writ keys rotate"):
        KeyRing(folder, LOG).keys().signer()


def test_a_rotated_key_verifies_until_its_last_token_is_dead(folder: KeyFolder) -> None:
    ring = KeyRing(folder, LOG)
    first = signer(ring)
    second = folder.rotate("ES256", 2_000, DAY)
    assert signer(ring).id == second
    assert signer(ring).algorithm == "ES256"
    kept = ring.keys().verifying[first.id]
    assert (kept.private, kept.public_pem()) == (None, first.public_pem()), "it signs no more"
    assert modes(folder) == {0o600}
    third = folder.rotate("EdDSA", 2_000 + DAY, DAY)
    assert ring.keys().verifying.keys() == {first.id, second, third}
    fourth = folder.rotate("EdDSA", 2_001 + DAY, DAY)
    assert ring.keys().verifying.keys() == {second, third, fourth}


def test_of_two_keys_made_in_one_second_the_later_one_signs(folder: KeyFolder) -> None:
    ring = KeyRing(folder, LOG)
    for now in (1_000, 1_000, 10):  # a clock that was set back
        assert folder.rotate("EdDSA", now, DAY) == signer(ring).id


def test_keys_are_read_anew_only_when_they_change(folder: KeyFolder) -> None:
    ring = KeyRing(folder, LOG)
    before = ring.keys()
    assert ring.keys() is before
    folder.rotate("EdDSA", 2_000, DAY)
    assert ring.keys() is not before


def test_a_damaged_newest_key_is_no_reason_to_sign_with_an_older_one(
    folder: KeyFolder, caplog: pytest.LogCaptureFixture
) -> None:
    first = signer(KeyRing(folder, LOG))
    folder.rotate("EdDSA", 2_000, DAY)
    newest = max(folder.path.iterdir())
    newest.write_bytes(b"-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n")
    ring = KeyRing(folder, LOG)
    with pytest.raises(UnusableSigningKey) as raised:
        ring.keys().signer()
    assert ring.keys().verifying.keys() == {first.id}
    for said in (str(raised.value), caplog.text):
        assert newest.name in said
        assert "c2VjcmV0" not in said


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_keys_of_every_algorithm_are_written_and_read(algorithm: str) -> None:
    key, pem = new_key(algorithm)
    read = read_key(pem, "here")
    assert (read.id, read.algorithm, read.jwk()) == (key.id, algorithm, key.jwk())
    assert not {"d", "p", "q", "dp", "dq", "qi", "key_ops"} & key.jwk().keys()
    assert read_key(key.public_pem(), "here").private is None
    assert MAKERS.keys() == set(ALGORITHMS)


def test_the_id_is_the_thumbprint_of_rfc_8037() -> None:
    """Appendix A.1 and A.3."""
    pem = (
        b"-----BEGIN PRIVATE KEY-----\n"
        b"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
        b"-----END PRIVATE KEY-----\n"
    )
    assert read_key(pem, "here").id == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_weak_foreign_and_encrypted_keys_are_refused() -> None:
    encrypted = BestAvailableEncryption(b"x")
    keys = [
        (rsa.generate_private_key(65_537, 1_024), NoEncryption()),
        (ec.generate_private_key(ec.SECP384R1()), NoEncryption()),
        (ec.generate_private_key(ec.SECP256R1()), encrypted),
    ]
    for key, encryption in keys:
        with pytest.raises(UnusableSigningKey, match=r"^the key here is "):
            read_key(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption), "the key here")


def test_keys_are_given_as_text_or_as_a_file(tmp_path: Path) -> None:
    key, pem = new_key("EdDSA")
    path = tmp_path / "key.pem"
    ring = KeyRing(GivenKeys(str(path)), LOG)
    with pytest.raises(UnusableSigningKey, match="can't be read"):
        ring.keys().signer()
    path.write_bytes(pem)
    assert signer(ring).id == signer(KeyRing(GivenKeys(pem.decode()), LOG)).id == key.id
    newer, newer_pem = new_key("ES256")
    path.write_bytes(b"a comment\n" + newer_pem + key.public_pem())
    assert (signer(ring).id, ring.keys().verifying.keys()) == (newer.id, {newer.id, key.id})
    path.write_bytes(key.public_pem())
    with pytest.raises(UnusableSigningKey, match="public one"):
        ring.keys().signer()
