"""A signed bundle is accepted whole, in its time and its environment, by a key that is given, or not at all."""

import hashlib
import hmac
import math
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.identity.keys.signing_keys import read_key
from writ.bundles.errors import (
    BadSignature,
    BundleError,
    ChangedBundle,
    ExpiredBundle,
    OlderBundle,
    UnknownKey,
    UnsignedBundle,
    UntrustedBundle,
    WrongEnvironment,
)
from writ.bundles.file.header import Extent, encode_header
from writ.bundles.file.reader import open_bundle
from writ.bundles.file.sections import SIGNATURE
from writ.bundles.signing.section import LONGEST_SIGNATURE, unverified_signature
from writ.bundles.signing.sign import LONGEST_LIFETIME, sign
from writ.bundles.signing.signature_check import ANY_ENVIRONMENT, SKEW_SECONDS, open_verified_bundle
from writ.runtime import Engine

from tests.bundles.file.test_bundle_file import DOCUMENT, QUESTIONS
from tests.support.bundling import bundle_file
from tests.support.signed import (
    ISSUED,
    KEY,
    LIFETIME,
    NOW,
    OTHER_KEY,
    PROD,
    STAGING,
    decoded,
    encoded,
    forged,
    public_pem,
    sections,
    sign_file,
    token_in,
    with_right_checksums,
    with_section,
    with_token,
    write_bundle,
)

PUBLIC = public_pem(KEY)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("signed")
    return made


@pytest.fixture(scope="module")
def signed(folder: Path) -> bytes:
    return sign_file(write_bundle(DOCUMENT, folder / "signed.bundle")).read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.bundle"


def accepted(path: Path, content: bytes, keys: Any = PUBLIC, environment: str | None = "prod", **more: Any) -> Engine:
    path.write_bytes(content)
    return Engine.open_verified(path, keys, environment, clock=lambda: NOW, **more)


def test_a_signed_bundle_decides_as_before(path: Path, signed: bytes) -> None:
    plain = Engine.open(write_bundle(DOCUMENT, path), clock=lambda: NOW)
    right = [plain.decide(question) for question in QUESTIONS]
    engine = accepted(path.with_name("signed"), signed)
    assert [engine.decide(question) for question in QUESTIONS] == right
    assert engine.manifest == plain.manifest
    trusting = Engine.open(path.with_name("signed"), clock=lambda: NOW)
    assert [trusting.decide(question) for question in QUESTIONS] == right
    open_bundle(path.with_name("signed")).verify()


def test_the_same_bundle_key_and_times_give_the_same_bytes(path: Path, signed: bytes) -> None:
    assert sign_file(write_bundle(DOCUMENT, path)).read_bytes() == signed


def test_signing_moves_the_sections_and_changes_none(path: Path, signed: bytes) -> None:
    before = write_bundle(DOCUMENT, path).read_bytes()
    old, new = sections(before), sections(signed)
    assert [*new] == [*old, SIGNATURE]
    for name, extent in old.items():
        assert signed[new[name].offset :][: new[name].size] == before[extent.offset :][: extent.size]


def test_a_bundle_larger_than_what_is_moved_at_once(path: Path) -> None:
    users = [{"type": "user", "id": f"u{number}", "external_id": f"{number:0500}"} for number in range(7_000)]
    before = bundle_file(DOCUMENT | {"subjects": users}, path).read_bytes()
    assert len(before) > 3 * 2**20
    content = sign_file(path).read_bytes()
    start = sections(before)["manifest"].offset
    assert content[start + 48 : len(before) + 48] == before[start:]
    # With the four of the document.
    assert accepted(path, content, environment=None).manifest.counts["subjects"] == 7_004


def test_signing_again_replaces_the_signature_alone(path: Path, signed: bytes) -> None:
    path.write_bytes(signed)
    again = sign_file(path, OTHER_KEY, ISSUED + 5).read_bytes()
    start = sections(signed)[SIGNATURE].offset
    assert again[:start] == signed[:start]
    assert again != signed
    accepted(path, again, public_pem(OTHER_KEY))
    shorter = sign_file(path, KEY, issued=5).read_bytes()
    assert len(shorter) < len(again)
    assert sign_file(path).read_bytes() == signed


def test_the_digest_of_a_bundle_leaves_out_its_signature(path: Path, signed: bytes) -> None:
    path.write_bytes(signed)
    bundle = open_bundle(path)
    assert bundle.digest() == hashlib.sha256(signed[: sections(signed)[SIGNATURE].offset]).hexdigest()
    found = unverified_signature(bundle)
    assert found is not None
    assert (found.key, found.claims.digest) == (KEY.id, bundle.digest())
    sign_file(path, OTHER_KEY, ISSUED + 99)
    assert open_bundle(path).digest() == bundle.digest()
    assert unverified_signature(open_bundle(write_bundle(DOCUMENT, path.with_name("plain")))) is None


def test_the_signature_is_a_jws_that_others_can_verify(signed: bytes) -> None:
    found = jwt.PyJWS().decode_complete(token_in(signed), PUBLIC, ["EdDSA"])
    assert found["header"] == {"alg": "EdDSA", "kid": KEY.id, "typ": "writ-bundle+jws"}
    start = sections(signed)[SIGNATURE].offset
    assert msgspec.json.decode(found["payload"]) == {
        "digest": hashlib.sha256(signed[:start]).hexdigest(),
        "environment": {"id": PROD.id, "uuid": PROD.uuid},
        "epoch": 1,
        "revision": 7,
        "iat": ISSUED,
        "exp": ISSUED + LIFETIME,
    }


def test_the_id_of_a_key_is_that_of_the_key_store() -> None:
    assert read_key(PUBLIC, "").id == KEY.id


# Files that were changed


def test_no_changed_byte_is_accepted(path: Path, signed: bytes) -> None:
    """Everywhere in the file; with right checksums too, so that the signature alone refuses it."""
    ends = range(sections(signed)[SIGNATURE].offset - 8, len(signed))
    places = sorted({*range(0, 900, 7), *range(0, len(signed), 97), *ends})
    for place in places:
        changed = signed[:place] + bytes([signed[place] ^ 0x15]) + signed[place + 1 :]
        for content in (changed, with_right_checksums(changed, sections(signed))):
            if content != signed:
                with pytest.raises(BundleError):
                    accepted(path, content)


def test_a_change_with_right_checksums_is_named(path: Path, signed: bytes) -> None:
    place = sections(signed)["grants"].offset + 50
    changed = with_right_checksums(signed[:place] + bytes([signed[place] ^ 1]) + signed[place + 1 :], sections(signed))
    with pytest.raises(ChangedBundle, match="was changed after it was signed"):
        accepted(path, changed)
    with pytest.raises(ChangedBundle, match="was changed after it was signed"):
        unverified_signature(open_bundle(path))


@settings(max_examples=180)
@given(st.data())
def test_no_changed_file_is_accepted(signed: bytes, folder: Path, data: st.DataObject) -> None:
    start = sections(signed)[SIGNATURE].offset
    at = data.draw(st.one_of(st.integers(0, len(signed)), st.integers(start, len(signed))), "at")
    put = data.draw(st.binary(max_size=40), "put in")
    removed = data.draw(st.one_of(st.just(len(put)), st.integers(0, 40)), "removed")
    changed = signed[:at] + put + signed[at + removed :]
    if data.draw(st.booleans(), "with right checksums"):
        if at >= start:
            changed = with_section(signed, changed[start:])
        elif len(changed) == len(signed):
            changed = with_right_checksums(changed, sections(signed))
    if changed != signed:
        with pytest.raises(BundleError):
            accepted(folder / "changed.bundle", changed)


def test_a_truncated_file_is_refused(path: Path, signed: bytes) -> None:
    for size in (0, 1, 31, 32, 500, len(signed) // 2, len(signed) - 300, len(signed) - 1):
        with pytest.raises(BundleError):
            accepted(path, signed[:size])


def test_the_signature_of_another_bundle_is_refused(path: Path, signed: bytes) -> None:
    other = sign_file(write_bundle(DOCUMENT | {"grants": []}, path)).read_bytes()
    with pytest.raises(ChangedBundle):
        accepted(path, with_token(signed, token_in(other)))


@pytest.mark.parametrize(
    ("members", "refused"),
    [
        ({"environment": STAGING}, WrongEnvironment),
        ({"environment": None}, WrongEnvironment),
        ({"epoch": 2}, ChangedBundle),
        ({"revision": 8}, ChangedBundle),
    ],
)
def test_the_manifest_of_another_bundle_is_refused(
    path: Path, signed: bytes, members: dict[str, Any], refused: type[UntrustedBundle]
) -> None:
    """Somebody with a genuine signature for one environment or revision puts it on another bundle, or back."""
    other = sign_file(write_bundle(DOCUMENT, path, **members)).read_bytes()
    with pytest.raises(refused):
        accepted(path, with_token(signed, token_in(other)))
    with pytest.raises(ChangedBundle):
        accepted(path, with_token(other, token_in(signed)))


def test_claims_that_contradict_the_manifest_are_refused(path: Path, signed: bytes) -> None:
    """Even with a right digest and a right signature: a signer that lies to itself is not believed."""
    _, claims, _ = map(decoded_or_none, token_in(signed).split(b"."))
    for name, value in (("epoch", 9), ("revision", 9), ("environment", {"id": "prod", "uuid": STAGING.uuid})):
        token = forged({"alg": "EdDSA", "kid": KEY.id, "typ": "writ-bundle+jws"}, claims | {name: value})
        with pytest.raises(ChangedBundle):
            accepted(path, with_token(signed, token))


def decoded_or_none(part: bytes) -> Any:
    try:
        return decoded(part)
    except ValueError:
        return None


# Who signed it, for what, and when


def test_a_bundle_without_a_signature_is_refused(path: Path) -> None:
    write_bundle(DOCUMENT, path)
    with pytest.raises(UnsignedBundle, match=r"^the bundle has no signature$"):
        Engine.open_verified(path, PUBLIC, "prod", clock=lambda: NOW)


def test_another_key_is_refused(path: Path, signed: bytes) -> None:
    with pytest.raises(UnknownKey, match=f"signed with the key `{KEY.id}`, which is not one of the given"):
        accepted(path, signed, public_pem(OTHER_KEY))


def test_a_signature_of_another_key_than_it_names_is_refused(path: Path, signed: bytes) -> None:
    header, claims, _ = map(decoded_or_none, token_in(signed).split(b"."))
    with pytest.raises(BadSignature, match="was not made with the key"):
        accepted(path, with_token(signed, forged(header, claims, OTHER_KEY)))
    renamed = forged(header | {"kid": "unknown"}, claims, KEY)
    with pytest.raises(UnknownKey, match="`unknown`"):
        accepted(path, with_token(signed, renamed))
    renamed = forged(header | {"kid": OTHER_KEY.id}, claims, KEY)
    with pytest.raises(BadSignature, match="was not made with the key"):
        accepted(path, with_token(signed, renamed), [PUBLIC, public_pem(OTHER_KEY)])


def test_one_of_several_keys_is_enough(path: Path, signed: bytes) -> None:
    both = public_pem(OTHER_KEY) + b"between\n" + PUBLIC
    for keys in (both, both.decode(), [public_pem(OTHER_KEY), PUBLIC.decode()], (PUBLIC,), iter([PUBLIC])):
        accepted(path, signed, keys)


@pytest.mark.parametrize(
    ("environment", "wanted", "right"),
    [
        (PROD, "prod", True),
        (PROD, PROD.uuid, True),
        (PROD, PROD.uuid.upper(), True),
        (PROD, "staging", False),
        (PROD, STAGING.uuid, False),
        (PROD, "", False),
        (PROD, None, False),
        (None, None, True),
        (None, "prod", False),
        (msgspec.structs.replace(PROD, id=STAGING.uuid), STAGING.uuid, False),
        (msgspec.structs.replace(PROD, id=STAGING.uuid.upper()), STAGING.uuid.upper(), False),
        (msgspec.structs.replace(PROD, id=STAGING.uuid.replace("-", "")), STAGING.uuid.replace("-", ""), False),
    ],
)
def test_a_bundle_counts_for_its_environment_alone(path: Path, environment: Any, wanted: Any, right: bool) -> None:
    """An id that looks like the UUID of another environment is not taken for it."""
    content = sign_file(write_bundle(DOCUMENT, path, environment)).read_bytes()
    if right:
        accepted(path, content, environment=wanted)
    else:
        with pytest.raises(WrongEnvironment, match=r"^the bundle belongs to"):
            accepted(path, content, environment=wanted)


@pytest.mark.parametrize(
    ("now", "message"),
    [
        (ISSUED - SKEW_SECONDS, None),
        (ISSUED + LIFETIME - 0.5, None),
        (ISSUED - SKEW_SECONDS - 1, "signed in the future, at 2027-01-15T08:00:00Z"),
        (ISSUED + LIFETIME, "expired at 2027-01-15T08:16:40Z"),
        (math.inf, "expired"),
        (-math.inf, "in the future"),
        (math.nan, "in the future"),
    ],
)
def test_a_signature_counts_in_its_time(path: Path, signed: bytes, now: float, message: str | None) -> None:
    path.write_bytes(signed)
    if message is None:
        Engine.open_verified(path, PUBLIC, "prod", clock=lambda: now)
    else:
        with pytest.raises(ExpiredBundle, match=message):
            Engine.open_verified(path, PUBLIC, "prod", clock=lambda: now)


def test_a_bundle_in_force_stays_in_force(path: Path, signed: bytes) -> None:
    path.write_bytes(signed)
    times = iter([NOW])
    engine = Engine.open_verified(path, PUBLIC, "prod", clock=lambda: next(times, ISSUED + 10.0 * LIFETIME))
    assert engine.allowed("user", "carol", "delete", "document", "d1")


@pytest.mark.parametrize(
    ("epoch", "revision", "right"),
    [(0, 0, True), (1, 7, True), (0, 99, True), (1, 8, False), (2, 0, False), (2, 7, False), (1, 0, True)],
)
def test_an_older_bundle_is_refused(path: Path, signed: bytes, epoch: int, revision: int, right: bool) -> None:
    if right:
        accepted(path, signed, min_epoch=epoch, min_revision=revision)
    else:
        with pytest.raises(OlderBundle, match="epoch 1 and revision 7, less than"):
            accepted(path, signed, min_epoch=epoch, min_revision=revision)


# Signatures that Writ would not write


def hmac_token(header: bytes, claims: bytes) -> bytes:
    """A JWS with HS256 whose secret is the public key, as a text that everybody has."""
    signed = header + b"." + claims
    return signed + b"." + encoded(hmac.digest(PUBLIC, signed, "sha256"))


def rsa_token(claims: Any) -> bytes:
    key = rsa.generate_private_key(65_537, 2_048)
    headers = {"kid": KEY.id, "typ": "writ-bundle+jws"}
    return jwt.PyJWS().encode(msgspec.json.encode(claims), key, "RS256", headers).encode()


HEADER = {"alg": "EdDSA", "kid": KEY.id, "typ": "writ-bundle+jws"}
FORGERIES: dict[str, tuple[Callable[[Any], bytes], str]] = {
    "no algorithm": (lambda c: encoded(HEADER | {"alg": "none"}) + b"." + encoded(c) + b".", "another algorithm"),
    "an HMAC": (lambda c: hmac_token(encoded(HEADER | {"alg": "HS256"}), encoded(c)), "another algorithm"),
    "an HMAC that says EdDSA": (lambda c: hmac_token(encoded(HEADER), encoded(c)), "was not made with"),
    "RSA": (rsa_token, "another algorithm"),
    "no signature": (lambda c: encoded(HEADER) + b"." + encoded(c) + b".", "was not made with"),
    "a token's type": (lambda c: forged(HEADER | {"typ": "at+jwt"}, c), "not that of the bundle"),
    "no type": (lambda c: forged({"alg": "EdDSA", "kid": KEY.id}, c), "not that of the bundle"),
    "no key": (lambda c: forged({"alg": "EdDSA", "typ": HEADER["typ"]}, c), "other members"),
    "a number as key": (lambda c: forged(HEADER | {"kid": 7}, c), "no JWS|other members"),
    "crit": (lambda c: forged(HEADER | {"crit": ["exp"], "exp": 1}, c), "no JWS|other members"),
    "crit of b64": (lambda c: forged(HEADER | {"crit": ["b64"], "b64": False}, c), "no JWS|other members"),
    "b64": (lambda c: forged(HEADER | {"b64": True}, c), "other members"),
    "its own key": (lambda c: forged(HEADER | {"jwk": {"kty": "OKP"}}, c), "other members"),
    "a member twice": (
        lambda c: forged(b'{"alg":"EdDSA","kid":"x","kid":"%s","typ":"writ-bundle+jws"}' % KEY.id.encode(), c),
        "not in the form",
    ),
    "a claim twice": (
        lambda c: forged(HEADER, msgspec.json.encode(c)[:-1] + b',"exp":%d}' % (c["exp"] + 1)),
        "not in the form",
    ),
    "spaces": (lambda c: forged(HEADER, b" " + msgspec.json.encode(c)), "not in the form"),
    "another order": (lambda c: forged(dict(reversed(HEADER.items())), c), "not in the form"),
    "another claim": (lambda c: forged(HEADER, c | {"admin": True}), "claims can't be read"),
    "no expiry": (lambda c: forged(HEADER, {n: v for n, v in c.items() if n != "exp"}), "claims can't be read"),
    "an endless expiry": (lambda c: forged(HEADER, c | {"exp": 1e999}), "claims can't be read"),
    "no environment": (lambda c: forged(HEADER, {n: v for n, v in c.items() if n != "environment"}), "can't be read"),
    "no claims": (lambda _: forged(HEADER, b"null"), "claims can't be read"),
    "a deep header": (lambda c: forged(b"[" * 3_000, c), "no JWS"),
    "a deep claim": (lambda _: forged(HEADER, b"[" * 3_000), "claims can't be read"),
    "a list as header": (lambda c: forged([], c), "no JWS"),
    "two parts": (lambda c: encoded(HEADER) + b"." + encoded(c), "no JWS"),
    "four parts": (lambda c: forged(HEADER, c) + b".e30", "no JWS"),
    "padding": (lambda c: forged(HEADER, c) + b"==", "no JWS|not in the form"),
    "a line end": (lambda c: forged(HEADER, c) + b"\n", "no JWS|not in the form"),
    "no text": (lambda _: b"\xff" * 100, "no JWS"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_signature_is_refused(path: Path, signed: bytes, forgery: str) -> None:
    make, message = FORGERIES[forgery]
    claims = decoded(token_in(signed).split(b".")[1])
    assert make(claims) != token_in(signed)
    with pytest.raises(BadSignature, match=message):
        accepted(path, with_token(signed, make(claims)))


def test_the_forger_could_write_a_right_signature(path: Path, signed: bytes) -> None:
    """What the forgeries begin with is accepted, so each is refused for what it changes."""
    token = forged(HEADER, decoded(token_in(signed).split(b".")[1]))
    assert token == token_in(signed)
    accepted(path, with_token(signed, token))


def test_another_ending_of_the_last_letter_is_refused(path: Path, signed: bytes) -> None:
    """The last letter of base64 has bits that lenient readers ignore."""
    token = token_in(signed)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = letters.index(chr(token[-1]))
    with pytest.raises(BadSignature):
        accepted(path, with_token(signed, token[:-1] + letters[last ^ 1].encode()))


def test_an_oversized_signature_is_refused_before_it_is_read(path: Path, signed: bytes) -> None:
    for size in (LONGEST_SIGNATURE, 50_000_000):
        before = time.process_time()
        with pytest.raises(BadSignature, match="bytes, not 5 to"):
            accepted(path, with_token(signed, b"." * size))
        assert time.process_time() - before < 5
    for section in (b"", b"1234"):
        with pytest.raises(BadSignature, match=f"has {len(section)} bytes"):
            accepted(path, with_section(signed, section))


def test_a_section_without_its_checksum_is_refused(path: Path, signed: bytes) -> None:
    with pytest.raises(BadSignature, match="its checksum does not match"):
        accepted(path, with_section(signed, token_in(signed) + b"1234"))


def test_a_section_after_the_signature_is_refused(path: Path, signed: bytes) -> None:
    """Nothing would cover it. `Engine.open` refuses it, too."""
    table = sections(signed)
    moved = {name: Extent(one.offset + 48, one.size, one.checksum) for name, one in table.items()}
    end = len(signed) + 48
    extra = end + -end % 8
    body = signed[table["manifest"].offset :]
    content = encode_header({**moved, "extra": Extent(extra, 0, 0)}, extra) + body + bytes(extra - end)
    path.write_bytes(content)
    for opening in (Engine.open, lambda path: Engine.open_verified(path, PUBLIC, "prod", clock=lambda: NOW)):
        with pytest.raises(BundleError, match="a section follows its signature"):
            opening(path)


# Signing


@pytest.mark.parametrize(
    ("issued", "lifetime"), [(ISSUED, 0), (ISSUED, -1), (ISSUED, LONGEST_LIFETIME + 1), (-1, LIFETIME)]
)
def test_times_that_can_not_be_are_refused(path: Path, issued: int, lifetime: int) -> None:
    write_bundle(DOCUMENT, path)
    before = path.read_bytes()
    with path.open("r+b") as file, pytest.raises(ValueError, match="is signed for 1 to"):
        sign(file, KEY, issued, lifetime)
    assert path.read_bytes() == before


def test_what_is_no_bundle_is_not_signed(path: Path) -> None:
    for content in (b"", b"PK" * 100):
        path.write_bytes(content)
        with path.open("r+b") as file, pytest.raises(BundleError):
            sign(file, KEY, ISSUED)
        assert path.read_bytes() == content


def test_an_environment_with_the_longest_id_can_be_signed(path: Path) -> None:
    environment = msgspec.structs.replace(PROD, id="\U0001f600" * 512)
    content = sign_file(write_bundle(DOCUMENT, path, environment)).read_bytes()
    accepted(path, content, environment=environment.id)


def test_the_file_is_opened_once_and_the_verified_bytes_decide(path: Path, signed: bytes) -> None:
    """Between two openings, somebody could put another file in the place of the verified one."""
    path.write_bytes(signed)
    code = f"""
import sys
from writ.runtime import Engine
import writ.bundles.signing.signature_check
opened = []
sys.addaudithook(lambda event, arguments: event == "open" and opened.append(str(arguments[0])))
engine = Engine.open_verified({str(path)!r}, {PUBLIC!r}, "prod", clock=lambda: {NOW})
import os
os.unlink({str(path)!r})
assert engine.allowed("user", "carol", "delete", "document", "d1")
print(opened.count({str(path)!r}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_verified_bundle_comes_with_its_signature(path: Path, signed: bytes) -> None:
    path.write_bytes(signed)
    bundle, signature = open_verified_bundle(path, PUBLIC, ANY_ENVIRONMENT, NOW)
    bundle.verify()
    assert (signature.key, signature.claims.revision) == (KEY.id, 7)


@pytest.mark.parametrize("keys", [[], b"", "", (), "public.pem"])
def test_without_a_usable_key_nothing_is_accepted(path: Path, signed: bytes, keys: Any) -> None:
    with pytest.raises(ValueError, match="key"):
        accepted(path, signed, keys)
