"""`writ export --as rego`: a bundle for OPA with the same bytes each time, or the reasons why there is none."""

import gzip
import json
import tarfile
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.store import Store

from tests.support.command import writ

TYPES = [{"id": "document", "actions": ["read"]}]
POLICY = {
    "id": "drafts",
    "effect": "ALLOW",
    "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
    "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]},
}
LIMITED = POLICY | {"id": "slow\u202e", "conditions": {"rate_limit": {"limit": 1, "window_seconds": 60}}}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with a model that OPA can decide by, and an environment `limited` with one that it can't."""
    data = tmp_path / "data"
    data.mkdir()
    Store.open(data).close()
    for environment, policies in (("default", [POLICY]), ("limited", [POLICY, LIMITED])):
        path = tmp_path / f"{environment}.json"
        path.write_text(json.dumps({"model": 1, "resource_types": TYPES, "policies": policies}))
        made = [] if environment == "default" else ["--create"]
        assert writ("import", path, "--data", data, "--env", environment, *made).returncode == 0
    return data


def files_in(archive: bytes) -> dict[str, bytes]:
    """The files of an archive."""
    with tarfile.open(fileobj=BytesIO(archive), mode="r:gz") as tar:
        assert all((entry.mtime, entry.uid, entry.uname, entry.mode) == (0, 0, "", 0o644) for entry in tar)
        return {entry.name: tar.extractfile(entry).read() for entry in tar}  # type: ignore[union-attr] - all are files


def test_the_bundle_is_one_file_with_the_same_bytes(data: Path, tmp_path: Path) -> None:
    done = writ("export", "--data", data, "--as", "rego", "-o", tmp_path / "bundle.tar.gz")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    archive = (tmp_path / "bundle.tar.gz").read_bytes()
    assert writ("export", "--data", data, "--as", "rego").stdout == archive
    assert gzip.decompress(archive)[:9] == b".manifest"
    files = files_in(archive)
    manifest = json.loads(files[".manifest"])
    assert (manifest["revision"], manifest["roots"], manifest["rego_version"]) == ("default:1", ["writ"], 1)
    assert {"environment": "default", "revision": 1}.items() <= manifest["metadata"]["writ"].items()
    assert b'conditions.equals(conditions.resource("status"), "draft")' in files["writ/rules.rego"]
    assert json.loads(files["writ/data.json"])["model"]["types"]["document"]["id"] == "document"


def test_what_rego_can_not_say_is_refused_and_nothing_is_written(data: Path, tmp_path: Path) -> None:
    done = writ("export", "--data", data, "--env", "limited", "--as", "rego", "-o", tmp_path / "out.tar.gz")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        "policy `slow\\u202e`, conditions.rate_limit: Rego can't count requests; leave the rate limit out, or enforce "
        "it outside OPA\n"
    )
    assert not (tmp_path / "out.tar.gz").exists()


def test_json_is_the_default(data: Path) -> None:
    assert writ("export", "--data", data).stdout == writ("export", "--data", data, "--as", "json").stdout
    assert json.loads(writ("export", "--data", data).stdout)["policies"] == [POLICY]
    assert writ("export", "--data", data, "--as", "toml").returncode == 2


def test_the_audit_log_has_an_export_but_no_refused_one(data: Path) -> None:
    for environment in ("default", "limited"):
        writ("export", "--data", data, "--env", environment, "--as", "rego")
    with closing(Store.open(data)) as store:
        told = [one.entry for one in store.audit.page(EntryFilter(), None, 100)[0]]
    exports = [entry for entry in told if entry.event == "model.exported"]
    assert [(entry.environment, entry.details) for entry in exports] == [("default", {"revision": 1})]
