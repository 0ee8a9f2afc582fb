"""Keys of bundles are Ed25519 keys; every other text is refused in one sentence that says nothing of the key."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from writ.bundles.signing.pem_keys import UnusableBundleKey, read_public_keys, read_signing_key

from tests.support.signed import KEY, OTHER_KEY, public_pem

PUBLIC = public_pem(KEY)
OTHERS = [
    rsa.generate_private_key(65_537, 2_048),
    ec.generate_private_key(ec.SECP256R1()),
    ed448.Ed448PrivateKey.generate(),
]


def private_pem(key, encryption: KeySerializationEncryption | None = None, form=PrivateFormat.PKCS8) -> bytes:
    return key.private_bytes(Encoding.PEM, form, encryption or NoEncryption())


PRIVATE = private_pem(KEY.private)
PASSPHRASE = BestAvailableEncryption(b"secret")


@pytest.mark.parametrize("pem", [PRIVATE, PRIVATE.decode(), b"# ours\n" + PRIVATE + private_pem(OTHER_KEY.private)])
def test_the_first_private_key_signs(pem):
    assert read_signing_key(pem).id == KEY.id
    assert read_signing_key(PUBLIC + PRIVATE).id == KEY.id


@pytest.mark.parametrize(
    ("pem", "message"),
    [
        (PUBLIC, "this is a public key, which can't sign; make an Ed25519 key"),
        (b"", "no PEM of a private key"),
        (b"key.pem", "no PEM of a private key"),
        (private_pem(KEY.private, PASSPHRASE), "is encrypted"),
        (private_pem(OTHERS[0], PASSPHRASE, PrivateFormat.TraditionalOpenSSL), "is encrypted"),
        *((private_pem(key), "not an Ed25519 key; make an Ed25519 key") for key in OTHERS),
        (private_pem(OTHERS[1], form=PrivateFormat.TraditionalOpenSSL), "not an Ed25519 key"),
        (PRIVATE.replace(b"MC4", b"MC5"), "is damaged"),
        (b"-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n", "is damaged"),
    ],
)
def test_a_key_that_can_not_sign_is_refused(pem, message):
    with pytest.raises(UnusableBundleKey, match=message) as raised:
        read_signing_key(pem)
    assert not any(line and line in str(raised.value) for line in pem.decode().splitlines()[1:-1])


def test_public_keys_are_read_from_any_number_of_texts():
    other = public_pem(OTHER_KEY)
    for pems in ([PUBLIC, other], PUBLIC + other, (PUBLIC + other).decode(), iter([other.decode(), PUBLIC, PUBLIC])):
        assert read_public_keys(pems).keys() == {KEY.id, OTHER_KEY.id}


@pytest.mark.parametrize(
    ("pem", "message"),
    [
        (PRIVATE, "this is a private key; give its public half"),
        (PUBLIC + PRIVATE, "this is a private key"),
        (b"public.pem", "no PEM of a public key; give its text"),
        (b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n", "no PEM of a public key"),
        (b"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n", "is damaged"),
        *(
            (key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), "not an Ed25519 key")
            for key in OTHERS
        ),
    ],
)
def test_a_key_that_can_not_verify_is_refused_even_beside_a_right_one(pem, message):
    for pems in (pem, [PUBLIC, pem]):
        with pytest.raises(UnusableBundleKey, match=message):
            read_public_keys(pems)


def test_a_signing_key_is_not_shown():
    assert "private" not in repr(KEY)
