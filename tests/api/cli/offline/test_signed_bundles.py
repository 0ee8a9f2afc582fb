"""`writ compile --sign` and `writ inspect --verify`: who signed a bundle, and every reason not to accept it."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from writ.bundles.file.reader import open_bundle
from writ.bundles.signing.section import unverified_signature
from writ.bundles.signing.sign import DAY, DEFAULT_LIFETIME
from writ.runtime import Engine

from tests.support.command import WRIT, writ
from tests.support.signed import ISSUED, KEY, OTHER_KEY, PROD, public_pem, sign_file, write_bundle

MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "grants": [
        {
            "id": "g",
            "subject": {"type": "user", "id": "ann"},
            "resource": {"type": "document", "id": "d"},
            "actions": ["read"],
        }
    ],
}


def pem(key, form=PrivateFormat.PKCS8):
    return key.private_bytes(Encoding.PEM, form, NoEncryption())


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    (tmp_path / "public.pem").write_bytes(public_pem(KEY))
    (tmp_path / "other.pem").write_bytes(public_pem(OTHER_KEY))
    (tmp_path / "key.pem").write_bytes(pem(KEY.private))
    (tmp_path / "key.pem").chmod(0o600)
    return tmp_path


def compiled(folder, *options):
    return writ("compile", "model.json", "-o", "model.bundle", *options, cwd=folder)


def inspected(folder, *options):
    return writ("inspect", "model.bundle", *options, cwd=folder)


def test_a_bundle_is_compiled_signed_inspected_and_opened(folder):
    before = int(time.time())
    done = compiled(folder, "--sign", "key.pem")
    assert (done.returncode, b"WARNING" in done.stderr) == (0, False)
    shown = inspected(folder, "--verify", "other.pem", "--verify", "public.pem")
    assert shown.returncode == 0, shown.stderr
    text = shown.stdout.decode()
    assert "signature    verified\n" in text
    assert f"signed by    {KEY.id}\n" in text
    path = folder / "model.bundle"
    claims = unverified_signature(open_bundle(path)).claims
    assert before <= claims.issued <= time.time()
    assert claims.expires - claims.issued == DEFAULT_LIFETIME == 30 * DAY
    engine = Engine.open_verified(path, (folder / "public.pem").read_text(), None)
    assert engine.allowed("user", "ann", "read", "document", "d")
    assert writ("inspect", path, "--verify", folder / "public.pem", "--rules").returncode == 0


def test_an_unsigned_bundle_is_as_before(folder):
    assert compiled(folder).returncode == 0
    assert "signature" not in open_bundle(folder / "model.bundle").sections
    assert b"signature    none\n" in inspected(folder).stdout
    assert json.loads(inspected(folder, "--format", "json").stdout)["signature"] is None
    refused = inspected(folder, "--verify", "public.pem")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert refused.stderr == b"model.bundle: the bundle has no signature\n"


def test_a_signature_that_is_not_verified_says_so(folder):
    compiled(folder, "--sign", "key.pem", "--expires-in", "90m")
    assert b"signature    not verified; give the public key by --verify\n" in inspected(folder).stdout
    shown = json.loads(inspected(folder, "--format", "json").stdout)["signature"]
    assert (shown["verified"], shown["key"]) == (False, KEY.id)
    shown = json.loads(inspected(folder, "--format", "json", "--verify", "public.pem").stdout)["signature"]
    assert shown["verified"] is True
    assert shown["signed"] < shown["expires"]


def test_the_environment_of_a_signed_bundle_is_shown(folder):
    sign_file(write_bundle({}, folder / "model.bundle"), issued=int(time.time()))
    shown = inspected(folder, "--verify", "public.pem")
    assert f"environment  {PROD.id}\n".encode() in shown.stdout


def test_each_reason_not_to_accept_is_one_line_and_exit_code_1(folder):
    path = folder / "model.bundle"
    compiled(folder, "--sign", "key.pem")
    signed = path.read_bytes()
    reasons = {"other.pem": "which is not one of the given keys"}
    for key, reason in reasons.items():
        refused(folder, key, reason)
    place = signed.index(b"ann")
    path.write_bytes(signed[:place] + b"bob" + signed[place + 3 :])
    refused(folder, "public.pem", "was changed after it was signed")
    assert inspected(folder).returncode == 1
    path.write_bytes(signed[:-1])
    refused(folder, "public.pem", "truncated")
    sign_file(write_bundle(MODEL, path), issued=1_000)
    refused(folder, "public.pem", "expired at 1970-01-01T00:33:20Z")
    sign_file(path, issued=ISSUED * 2)
    refused(folder, "public.pem", "signed in the future")


def refused(folder, key, reason):
    done = inspected(folder, "--verify", key)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, b"", 1)
    assert reason in done.stderr.decode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (public_pem(KEY), "key.pem: this is a public key, which can't sign"),
        (pem(generate_private_key(65_537, 2_048)), "key.pem: the key is not an Ed25519 key"),
        (b"junk", "key.pem: this is no PEM of a private key"),
        (None, "the file of the key: no such file or directory"),
    ],
)
def test_a_key_that_can_not_sign_leaves_the_bundle_that_is_there(folder, content, message):
    (folder / "model.bundle").write_text("old")
    (folder / "key.pem").unlink()
    if content is not None:
        (folder / "key.pem").write_bytes(content)
    done = compiled(folder, "--sign", "key.pem")
    assert (done.returncode, message in done.stderr.decode()) == (2, True), done.stderr
    assert (folder / "model.bundle").read_text() == "old"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pem(KEY.private), "public.pem: this is a private key; give its public half"),
        (b"junk", "public.pem: this is no PEM of a public key"),
        (None, "the file of the key: no such file"),
    ],
)
def test_a_public_key_that_can_not_be_used_is_exit_code_2(folder, content, message):
    compiled(folder, "--sign", "key.pem")
    (folder / "public.pem").unlink()
    if content is not None:
        (folder / "public.pem").write_bytes(content)
    done = inspected(folder, "--verify", "other.pem", "--verify", "public.pem")
    assert (done.returncode, done.stdout, message in done.stderr.decode()) == (2, b"", True), done.stderr


def test_a_private_key_that_others_may_read_is_warned_of(folder):
    for mode, warned in ((0o640, True), (0o604, True), (0o620, True), (0o400, False)):
        (folder / "key.pem").chmod(mode)
        done = compiled(folder, "--sign", "key.pem")
        assert (done.returncode, b"other users can read or write `key.pem`" in done.stderr) == (0, warned)


def test_a_key_may_come_through_a_pipe(folder):
    """So that a secret store can give it without a file."""
    reading, writing = os.pipe()
    os.write(writing, pem(KEY.private))
    os.close(writing)
    line = [WRIT, "compile", "model.json", "-o", "model.bundle", "--sign", f"/dev/fd/{reading}"]
    done = subprocess.run(line, cwd=folder, pass_fds=[reading], capture_output=True, check=True, timeout=60)
    os.close(reading)
    assert b"WARNING" not in done.stderr
    assert inspected(folder, "--verify", "public.pem").returncode == 0


@pytest.mark.parametrize(
    ("text", "seconds"), [("1s", 1), ("90m", 5_400), ("12h", 43_200), ("7d", 7 * DAY), ("366d", 366 * DAY)]
)
def test_the_time_until_the_end(folder, text, seconds):
    assert compiled(folder, "--sign", "key.pem", "--expires-in", text).returncode == 0
    claims = unverified_signature(open_bundle(folder / "model.bundle")).claims
    assert claims.expires - claims.issued == seconds


@pytest.mark.parametrize("text", ["0s", "367d", "30", "d", "-1d", "1.5h", "1w", "", "٣d", "1d\n", "9999999999d"])
def test_other_times_are_wrong_usage(folder, text):
    done = compiled(folder, "--sign", "key.pem", f"--expires-in={text}")
    assert (done.returncode, b"is not a time like `12h`" in done.stderr) == (2, True), done.stderr
    assert not (folder / "model.bundle").exists()


def test_an_end_without_a_signature_is_wrong_usage(folder):
    done = compiled(folder, "--expires-in", "1d")
    assert (done.returncode, b"--expires-in needs --sign" in done.stderr) == (2, True)
