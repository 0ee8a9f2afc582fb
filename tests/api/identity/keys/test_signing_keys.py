"""Keys that sign tokens: of three kinds, named by their thumbprint, and none that is weak."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from writ.api.identity.keys.signing_keys import MAKERS, UnusableSigningKey, new_key, read_key
from writ.api.settings.settings import ALGORITHMS


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
