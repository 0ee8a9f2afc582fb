"""`writ explain`: from a bundle, a store and a service; one request, and several as JSON lines."""

import json

import pytest

from tests.api.conftest import ALLOWED, BOB, DENIED, MODEL, PLAN
from tests.support.bundling import bundle_file
from tests.support.command import writ
from tests.support.server import KEY

ALICE_READS = """\
May user `alice` do `read` on document `d1`?
Allowed (ALLOWED): policy `edit` allows it through a role of the subject.
Policy `secret` would deny it, but not all of its conditions hold. It applies without a role.
  - The request sends no `secret` of the resource, and the policy requires it to be true.
Policy `edit` allows it. The subject holds its role `editor`.

"""


@pytest.fixture
def bundle(tmp_path):
    return bundle_file(MODEL, tmp_path / "model.bundle")


def test_one_request_may_have_many_lines(bundle):
    done = writ("explain", bundle, stdin=json.dumps(ALLOWED, indent=2).encode())
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, ALICE_READS, b"")


def test_each_line_is_explained_and_a_bad_one_is_told(bundle):
    lines = "\n".join([json.dumps(ALLOWED), "{", "", json.dumps({"subject": BOB}), json.dumps(DENIED)])
    done = writ("explain", bundle, stdin=lines.encode())
    assert done.returncode == 1
    assert done.stdout.decode().startswith(ALICE_READS + "May user `bob` do `read`")
    first, second = done.stderr.decode().splitlines()
    assert first.startswith("line 2: ")
    assert second == "line 4: `resource` is missing (at $.resource)"


def test_json_is_the_answer(bundle, tmp_path):
    (tmp_path / "requests.jsonl").write_text(f"{json.dumps(DENIED)}\nx\n")
    done = writ("explain", bundle, "--input", tmp_path / "requests.jsonl", "--format", "json")
    answer, bad = map(json.loads, done.stdout.splitlines())
    assert answer["context"]["explanation"]["lacking"] == [{"id": "edit", "roles": ["editor"]}]
    assert (bad["line"], done.returncode) == (2, 1)


def test_the_instant_is_an_option(tmp_path):
    window = {"not_before": "2026-01-01T00:00:00Z"}
    scope = [{"resource_type_id": "d", "actions": ["read"]}]
    policy = {"id": "p", "effect": "ALLOW", "resource_types": scope, "conditions": {"time_window": window}}
    model = {"resource_types": [{"id": "d", "actions": ["read"]}], "policies": [policy]}
    asked = ALLOWED | {"resource": {"type": "d", "id": "1"}}
    path = bundle_file(model, tmp_path / "m.bundle")
    done = writ("explain", path, "--now", "2025-06-01T00:00:00Z", stdin=json.dumps(asked).encode())
    assert "The service's clock shows 2025-06-01T00:00:00Z, but" in done.stdout.decode()


def test_a_store_and_a_service(server, tmp_path):
    folder = tmp_path / "data"
    (tmp_path / "model.json").write_text(json.dumps({"model": 1} | MODEL))
    assert writ("import", tmp_path / "model.json", "--data", folder, "--env", "staging", "--create").returncode == 0
    asked = json.dumps(ALLOWED).encode()
    stored = writ("explain", "--data", folder, "--env", "staging", stdin=asked)
    assert (stored.returncode, stored.stdout.decode()) == (0, ALICE_READS)
    for options in ([], ["--env", "default"]):
        served = writ("explain", "--url", server.url, *options, stdin=asked, settings={"WRIT_TOKEN": KEY})
        assert (served.returncode, served.stdout.decode()) == (0, ALICE_READS), served.stderr


def test_a_service_that_refuses(server):
    token = {"WRIT_TOKEN": KEY}
    bad = writ("explain", "--url", server.url, stdin=json.dumps({"subject": BOB}).encode(), settings=token)
    assert (bad.returncode, bad.stderr) == (1, b"line 1: `resource` is missing (at $.resource)\n")
    unknown = writ("explain", "--url", server.url, "--env", "none", stdin=json.dumps(ALLOWED).encode(), settings=token)
    assert unknown.returncode == 2
    assert b"(404)" in unknown.stderr


def test_a_name_can_not_change_the_terminal(bundle):
    asked = ALLOWED | {"resource": PLAN | {"properties": {"secret": "\x1b[2J"}}}
    done = writ("explain", bundle, stdin=json.dumps(asked).encode())
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["none.bundle"],
        ["model.bundle", "--env", "x"],
        ["model.bundle", "--data", "d"],
        ["--data", "none"],
        ["--url", "ftp://x"],
        ["--url", "http://127.0.0.1:1"],
        ["--url", "http://127.0.0.1:1", "--now", "0"],
        ["model.bundle", "--token-file", "x"],
    ],
)
def test_wrong_usage(bundle, arguments):
    done = writ("explain", *arguments, cwd=bundle.parent, stdin=b"{}", settings={"WRIT_TOKEN": "t"})
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
