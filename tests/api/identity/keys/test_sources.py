"""Where keys are given: as text or as a file, in any wrapping, and nothing of them is ever quoted."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from writ.api.identity.keys.ring import KeyRing
from writ.api.identity.keys.signing_keys import MAKERS, Key, UnusableSigningKey, new_key
from writ.api.identity.keys.sources import (
    AUDIT_KEY_VARIABLE,
    SIGNING_KEY_VARIABLE,
    SuppliedKeys,
    prepare_audit_keys,
    prepare_signing_keys,
)

from tests.support.managed import LOG

SECRET = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
"""The private key of RFC 8037, appendix A."""

TEXT = f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n"
ID = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"

CURVE = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"


def signer(ring: KeyRing) -> Key:
    return ring.keys().signer()[0]


def test_keys_are_given_as_text_or_as_a_file(tmp_path: Path) -> None:
    key, pem = new_key("EdDSA")
    path = tmp_path / "key.pem"
    ring = KeyRing(SuppliedKeys(str(path)), LOG)
    with pytest.raises(UnusableSigningKey, match="can't be read"):
        ring.keys().signer()
    path.write_bytes(pem)
    assert signer(ring).id == signer(KeyRing(SuppliedKeys(pem.decode()), LOG)).id == key.id
    newer, newer_pem = new_key("ES256")
    path.write_bytes(b"a comment\n" + newer_pem + key.public_pem())
    assert (signer(ring).id, ring.keys().verifying.keys()) == (newer.id, {newer.id, key.id})
    path.write_bytes(key.public_pem())
    with pytest.raises(UnusableSigningKey, match="public one"):
        ring.keys().signer()


@pytest.mark.parametrize(
    "setting",
    [
        f'"{TEXT}"',
        f"\ufeff{TEXT}",
        f"# the key of production\n{TEXT}",
        f"Bag Attributes\n    friendlyName: writ\nKey Attributes: <No Attributes>\n{TEXT}",
        f"caf\udce9\n{TEXT}",
        TEXT.replace("\n", "\r\n"),
    ],
)
def test_a_key_is_found_in_whatever_it_is_wrapped_in(setting: str) -> None:
    assert signer(KeyRing(SuppliedKeys(setting), LOG)).id == ID


@pytest.mark.parametrize(
    "setting",
    [
        SECRET,
        TEXT.replace("\n", "\\n"),
        f"x{SECRET}\n",
        f"-----BEGIN PRIVATE KEY-----{SECRET}",
        SECRET * 200,
        f"/run/secrets/{SECRET}",
    ],
)
@pytest.mark.parametrize("variable", [SIGNING_KEY_VARIABLE, AUDIT_KEY_VARIABLE])
def test_a_setting_that_may_be_a_key_is_never_quoted(
    setting: str, variable: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log says so when the service starts, and names the variable."""
    if variable == SIGNING_KEY_VARIABLE:
        source = prepare_signing_keys(tmp_path, setting, "EdDSA", lambda: 0.0, LOG)
    else:
        source = prepare_audit_keys(tmp_path, setting, lambda: 0.0, LOG)
    (record,) = caplog.records
    assert (record.levelname, variable in record.getMessage()) == ("ERROR", True)
    with pytest.raises(UnusableSigningKey) as raised:
        KeyRing(source, LOG).keys().signer()
    for said in (str(raised.value), caplog.text):
        assert SECRET[:16] not in said


def test_a_path_is_named_where_something_is_there(tmp_path: Path) -> None:
    (tmp_path / "keys.pem").mkdir()
    with pytest.raises(UnusableSigningKey, match=r"keys\.pem` can't be read: is a directory"):
        SuppliedKeys(str(tmp_path / "keys.pem")).pems()


def test_the_parameters_of_a_curve_are_no_key() -> None:
    """`openssl ecparam -genkey` writes them in front of it."""
    private = MAKERS["ES256"]()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    assert "BEGIN EC PRIVATE KEY" in pem
    assert signer(KeyRing(SuppliedKeys(CURVE + pem + TEXT), LOG)).algorithm == "ES256"
    with pytest.raises(UnusableSigningKey, match="there is no key"):
        SuppliedKeys(CURVE).pems()


def test_a_service_makes_its_own_keys_and_says_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tokens = prepare_signing_keys(tmp_path, None, "ES256", lambda: 0.0, LOG)
    audit = prepare_audit_keys(tmp_path, None, lambda: 0.0, LOG)
    assert [signer(KeyRing(source, LOG)).algorithm for source in (tokens, audit)] == ["ES256", "EdDSA"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit-keys", "keys"]
    assert not caplog.records


def test_a_service_that_can_make_no_key_runs_and_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    prepare_signing_keys(tmp_path / "file", None, "EdDSA", lambda: 0.0, LOG)
    assert "no token can be issued: no key can be made" in caplog.text
