"""`writ keys`: what verifies tokens, and new keys for a service that runs."""

import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from writ.api.identity.keys.folder import KeyFolder
from writ.api.identity.keys.signing_keys import new_key, read_key
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.server import KEY as ADMIN_KEY
from tests.support.server import running
from tests.support.signed import KEY, public_pem, sign_file, token_in, with_token, write_bundle

ADMIN = {"Authorization": f"Bearer {ADMIN_KEY}"}


def token_of(client: httpx.Client) -> str:
    made = client.post("/v1/clients", json={"name": "app", "scopes": ["read"]}, headers=ADMIN).json()
    form = {"grant_type": "client_credentials"} | {name: made[name] for name in ("client_id", "client_secret")}
    return str(client.post("/v1/oauth/token", data=form).json()["access_token"])


def statuses(client: httpx.Client, token: str) -> set[int]:
    """From connections of their own, so that every worker is asked."""
    headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
    return {client.get("/v1/environments", headers=headers).status_code for _ in range(12)}


def test_tokens_outlive_a_rotation_and_end_at_once_where_old_keys_are_distrusted(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, workers=2) as server, server.client() as client:
        token = token_of(client)
        assert statuses(client, token) == {200}
        assert writ("keys", "rotate", "--data", data).returncode == 0
        assert statuses(client, token) == {200}
        later = token_of(client)
        assert statuses(client, later) == {200}
        done = writ("keys", "rotate", "--distrust-old", "--data", data)
        assert done.returncode == 0, done.stderr
        assert b"the tokens of all other keys are refused" in done.stderr
        assert statuses(client, token) | statuses(client, later) == {401}
        assert statuses(client, token_of(client)) == {200}
    (file,) = (data / "keys").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert writ("keys", "--data", data).stdout == shown(file)


def shown(file: Path) -> bytes:
    """A key as it is printed; text around a PEM is allowed (RFC 7468, 2)."""
    key = read_key(file.read_bytes(), "")
    return f"{key.id} ({key.algorithm})\n".encode() + key.public_pem()


def test_where_keys_are_given_no_others_are_rotated_or_shown(tmp_path: Path) -> None:
    """The operator's shell has not the service's variables; keys in the data directory would mean nothing."""
    data, given = tmp_path / "data", new_key("EdDSA")[1].decode()
    with running(data):
        pass
    with running(data, settings={"WRIT_SIGNING_KEY": given}):
        for arguments in (["keys"], ["keys", "rotate"], ["keys", "rotate", "--distrust-old"]):
            done = writ(*arguments, "--data", data)
            assert (done.returncode, done.stdout) == (2, b"")
            assert b"the service gets its keys from WRIT_SIGNING_KEY" in done.stderr
    with running(data):
        assert writ("keys", "rotate", "--data", data).returncode == 0


def test_bundles_have_keys_of_their_own(tmp_path: Path) -> None:
    """A rotated key signs a bundle; no token is signed or verified with it, and it is in no key set."""
    data, model, bundle = tmp_path / "data", tmp_path / "model.yaml", tmp_path / "model.bundle"
    model.write_text("model: 1\n")
    with running(data) as server, server.client() as client:
        missing = writ("keys", "--kind", "bundle", "--data", data)
        assert (missing.returncode, missing.stdout) == (2, b"")
        assert b"make one by `writ keys rotate --kind bundle`" in missing.stderr
        tokens = writ("keys", "--data", data).stdout
        done = writ("keys", "rotate", "--kind", "bundle", "--data", data)
        assert (done.returncode, b"now signs bundles with" in done.stderr) == (0, True), done.stderr
        (first,) = (data / "bundle-keys").iterdir()
        assert stat.S_IMODE(first.stat().st_mode) == 0o600
        assert writ("compile", model, "-o", bundle, "--sign", first).returncode == 0
        assert writ("keys", "--kind", "bundle", "rotate", "--data", data).returncode == 0
        public = tmp_path / "public.pem"
        public.write_bytes(writ("keys", "--kind", "bundle", "--data", data).stdout)
        newest, older = public.read_text().split("-----END PUBLIC KEY-----\n")[:2]
        assert first.name[13:-4] in older
        assert writ("inspect", bundle, "--verify", public).returncode == 0
        assert writ("keys", "--data", data).stdout == tokens
        ids = {key["kid"] for key in client.get("/.well-known/jwks.json").json()["keys"]}
        assert ids == {read_key(tokens, "").id}
        (audited, *_) = client.get("/v1/audit", params={"event": "bundle_key.rotated"}, headers=ADMIN).json()["items"]
        assert audited["details"] == {"kid": read_key(newest.encode() + END, "").id, "distrust_old": False}
        assert writ("keys", "rotate", "--kind", "bundle", "--distrust-old", "--data", data).returncode == 0
        public.write_bytes(writ("keys", "--kind", "bundle", "--data", data).stdout)
        assert writ("inspect", bundle, "--verify", public).returncode == 1


END = b"-----END PUBLIC KEY-----\n"


def test_a_jws_of_one_kind_of_key_is_nothing_for_the_other(tmp_path: Path) -> None:
    """Even if both kinds were the same key: a token signs no bundle, and the signature of a bundle is no token."""
    data, bundle = tmp_path / "data", tmp_path / "model.bundle"
    sign_file(write_bundle({}, bundle), KEY, int(time.time()))
    private = KEY.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    with running(data, settings={"WRIT_SIGNING_KEY": private}) as server, server.client() as client:
        token = token_of(client)
        assert statuses(client, token) == {200}
        signature = token_in(bundle.read_bytes()).decode()
        assert statuses(client, signature) == {401}
    bundle.write_bytes(with_token(bundle.read_bytes(), token.encode()))
    public = tmp_path / "public.pem"
    public.write_bytes(public_pem(KEY))
    refused = writ("inspect", bundle, "--verify", public)
    assert (refused.returncode, b"is not that of the bundle" in refused.stderr) == (1, True)


def test_given_bundle_keys_are_shown_and_not_rotated(tmp_path: Path) -> None:
    data, (key, pem) = tmp_path / "data", new_key("EdDSA")
    given = {"WRIT_BUNDLE_KEY": pem.decode() + new_key("ES256")[1].decode()}
    with running(data, settings=given):
        pass
    for arguments in (["keys", "--kind", "bundle"], ["keys", "rotate", "--kind", "bundle"]):
        done = writ(*arguments, "--data", data)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"the service gets its keys from WRIT_BUNDLE_KEY" in done.stderr
    shown = writ("keys", "--kind", "bundle", "--data", data, settings=given)
    assert (shown.returncode, shown.stdout) == (2, f"{key.id} (EdDSA)\n".encode() + key.public_pem())
    assert b"can't sign bundles: it is not an Ed25519 key" in shown.stderr
    assert writ("keys", "--data", data).returncode == 0


def test_a_bad_key_keeps_no_other_from_being_printed(tmp_path: Path) -> None:
    folder = KeyFolder(tmp_path)
    folder.make_first("EdDSA")
    folder.rotate("ES256")
    oldest, newest = sorted(folder.path.iterdir())
    oldest.write_bytes(b"junk")
    done = writ("keys", "--data", tmp_path)
    assert (done.returncode, done.stdout) == (2, shown(newest))
    assert oldest.name.encode() in done.stderr


@pytest.mark.parametrize("option", [[], ["--distrust-old"]])
def test_keys_that_are_given_are_rotated_where_they_are_given(
    tmp_path: Path, option: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = new_key("EdDSA")[1].decode()
    monkeypatch.setenv("WRIT_SIGNING_KEY", f"'{pem}'")
    shown = writ("keys", "--data", tmp_path)
    assert (shown.returncode, shown.stdout.count(b"PUBLIC KEY")) == (0, 2)
    done = writ("keys", "rotate", *option, "--data", tmp_path)
    assert done.returncode == 2
    assert pem.splitlines()[1].encode() not in done.stderr
    assert (b"replace them" in done.stderr) is bool(option)


def test_the_way_out_of_an_emergency_is_in_the_help() -> None:
    shown = writ("keys", "rotate", "--help")
    assert (shown.returncode, b"--distrust-old" in shown.stdout) == (0, True)


SOON = {"writ.api.store.credentials.credentials.LONG_WAIT_FACTOR": 0.1}
"""The command waits half a second for another writer, instead of half a minute."""


def test_a_rotation_that_can_t_be_told_of_does_not_happen(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path)) as store:
        folder = KeyFolder(tmp_path)
        folder.make_first("EdDSA")
        before, generation = folder.pems(), store.credentials.generation()
        with closing(sqlite3.connect(tmp_path / FILE)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            refused = writ("keys", "rotate", "--distrust-old", "--data", tmp_path, constants=SOON)
        assert (refused.returncode, b"was locked by another write" in refused.stderr) == (2, True)
        assert (folder.pems(), store.credentials.generation()) == (before, generation)
        assert writ("keys", "rotate", "--distrust-old", "--data", tmp_path).returncode == 0
        ((told,), _) = store.audit.page(EntryFilter(), None, 10)
        (key,) = folder.pems()
        assert told.entry.details == {"kid": read_key(key.text, "").id, "distrust_old": True}
        assert store.credentials.generation() > generation
