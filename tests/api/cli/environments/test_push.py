"""`writ push`: documents become the model of a running service, or the service's refusal is told with the remedy."""

import json

import httpx
import pytest

from tests.support.command import writ
from tests.support.server import KEY, Server, running

pytestmark = pytest.mark.service

MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "editor"}],
    "assignments": [{"role": "editor", "subject": {"type": "user", "id": "alice"}}],
    "policies": [
        {
            "id": "p1",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}
YAML = """\
model: 1
resource_types: [{id: document, actions: [read, update]}]
roles: [{id: editor}]
assignments: [{role: editor, subject: {type: user, id: alice}}]
policies:
  - {id: p1, effect: ALLOW, roles: [editor], resource_types: [{resource_type_id: document, actions: [update]}]}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("server") / "data") as started:
        yield started


@pytest.fixture
def env(server: Server, tmp_path):
    """A new environment of the service. The folder has the model in two forms."""
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    (tmp_path / "model.yaml").write_text(YAML)
    with server.client() as client:
        name = f"e{len(client.get('/v1/environments').json()['items'])}"
        assert client.post("/v1/environments", json={"id": name}).status_code == 201
    return name


def push(server, *arguments, token=KEY, cwd=None):
    done = writ("push", *arguments, "--url", server.url, settings={"WRIT_TOKEN": token}, cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def model_of(server, env):
    with server.client() as client:
        return client.get(f"/v1/environments/{env}/model").json()


def test_a_document_becomes_the_model(server, env, tmp_path):
    code, said, _ = push(server, "model.json", "--env", env, cwd=tmp_path)
    assert (code, said.splitlines()[0]) == (0, f"{env}: revision 1")
    assert "policies: 1 added" in said
    assert model_of(server, env)["policies"] == MODEL["policies"]
    assert push(server, "model.yaml", "--env", env, cwd=tmp_path)[0] == 0
    assert model_of(server, env)["resource_types"][0]["actions"] == ["read", "update"]
    assert push(server, "model.yaml", "--env", env, cwd=tmp_path)[1] == f"{env}: revision 2\nnothing changes\n"


def test_text_is_sent_as_text(server, env, tmp_path):
    (tmp_path / "model.writ").write_text("role editor  # a comment\nassign editor to user zoe\n")
    assert push(server, "model.writ", "--env", env, cwd=tmp_path)[0] == 0
    assert model_of(server, env)["roles"] == [{"id": "editor"}]


def test_several_documents_are_joined(server, env, tmp_path):
    folder = tmp_path / "policies"
    folder.mkdir()
    people = [{"type": "user", "id": f"u{number}"} for number in range(2_500)]
    (folder / "people.json").write_text(json.dumps({"model": 1, "subjects": people}))
    (folder / "model.yaml").write_text(YAML)
    (folder / "x.test.yaml").write_text("tests: [no document]")
    (folder / "declared.writ").write_text("declare context mfa boolean\ndeclare action\n")
    code, said, _ = push(server, folder, "--env", env)
    assert code == 0
    assert "subjects: 2500 added" in said
    stored = model_of(server, env)
    assert stored["subjects"] == people
    assert stored["attributes"] == {"context": {"mfa": "boolean"}, "action": {}}
    (tmp_path / "stored.json").write_text(json.dumps(stored))
    assert writ("diff", folder, tmp_path / "stored.json").returncode == 0, "nothing was lost"


GRANT = {"subject": {"type": "user", "id": "zoe"}, "resource": {"type": "document", "id": "d1"}, "actions": ["read"]}


def written_by_an_application(server, env, tmp_path):
    """Writes a grant and an assignment beside what was pushed."""
    assert push(server, "model.json", "--env", env, cwd=tmp_path)[0] == 0
    with server.client() as client:
        assert client.post(f"/v1/environments/{env}/grants", json=GRANT | {"id": "g1"}).status_code == 201
        body = {"id": "a1", "role": "editor", "subject": {"type": "user", "id": "zoe"}}
        assert client.post(f"/v1/environments/{env}/assignments", json=body).status_code == 201


def test_facts_that_the_documents_lack_stay(server, env, tmp_path):
    written_by_an_application(server, env, tmp_path)
    (tmp_path / "model.yaml").write_text(YAML.replace("actions: [read, update]", "actions: [read, update, list]"))
    kept = (
        "assignments: 1 kept, which the documents lack\ngrants: 1 kept, which the documents lack\n"
        "= assign editor to user zoe as a1\n= grant read on document d1 to user zoe as g1\n"
    )
    code, said, _ = push(server, "model.yaml", "--env", env, "--dry-run", cwd=tmp_path)
    assert (code, "\nresource_types: 1 changed\npolicies: 1 changed\n\n  type " in said) == (0, True)
    assert said.endswith(kept)
    assert push(server, "model.yaml", "--env", env, cwd=tmp_path)[1].endswith(kept)
    assert [one["id"] for one in model_of(server, env)["grants"]] == ["g1"]
    assert len(model_of(server, env)["assignments"]) == 2
    code, said, _ = push(server, "model.yaml", "--env", env, "--remove-facts", cwd=tmp_path)
    assert (code, "grants: 1 removed" in said, "kept" in said) == (0, True, False)
    assert "grants" not in model_of(server, env)


def test_facts_that_stay_and_need_what_goes_refuse_the_push(server, env, tmp_path):
    written_by_an_application(server, env, tmp_path)
    (tmp_path / "none.yaml").write_text("model: 1\nresource_types: [{id: document, actions: [list]}]\n")
    for more in ([], ["--dry-run"], ["--policies-only"]):
        code, _, said = push(server, "none.yaml", "--env", env, *more, cwd=tmp_path)
        assert code == 1
        assert "Refused: the documents remove `roles/editor`, which `" in said
        assert "still uses; remove what uses it first, or keep it in the documents" in said
    assert push(server, "none.yaml", "--env", env, "--remove-facts", cwd=tmp_path)[0] == 0


def test_policies_only(server, env, tmp_path):
    written_by_an_application(server, env, tmp_path)
    with server.client() as client:
        zoe = {"type": "user", "id": "zoe"}
        for kind, body in (("subjects", zoe), ("groups", {"id": "eng", "members": [zoe]})):
            assert client.post(f"/v1/environments/{env}/{kind}", json=body).status_code == 201
    before = model_of(server, env)
    (tmp_path / "model.yaml").write_text(
        YAML.replace("user, id: alice", "user, id: new").replace("[read, update]", "[read, list, update]")
    )
    code, said, _ = push(server, "model.yaml", "--env", env, "--policies-only", "--dry-run", cwd=tmp_path)
    assert (code, "\nresource_types: 1 changed\npolicies: 1 changed\n\n  type " in said, "+ assign" in said) == (
        0,
        True,
        False,
    )
    said = push(server, "model.yaml", "--env", env, "--policies-only", cwd=tmp_path)[1]
    assert said.splitlines()[-2:] == ["resource_types: 1 changed", "policies: 1 changed"]
    after = model_of(server, env)
    for name in ("subjects", "groups", "assignments", "grants"):
        assert after[name] == before[name]
    assert push(server, "model.yaml", "--env", env, "--policies-only", "--remove-facts", cwd=tmp_path)[0] == 2


def test_dry_run_shows_the_difference_and_changes_nothing(server, env, tmp_path):
    assert push(server, "model.json", "--env", env, cwd=tmp_path)[0] == 0
    code, said, _ = push(server, "model.yaml", "--env", env, "--dry-run", cwd=tmp_path)
    assert code == 0
    assert said.endswith(
        "\nresource_types: 1 changed\npolicies: 1 changed\n"
        "\n  type document\n-     actions read\n+     actions read, update\n"
        "\n  policy p1\n-     allow editor to read document\n+     allow editor to update document\n"
    )
    assert model_of(server, env)["policies"] == MODEL["policies"]


def test_a_model_with_errors_is_never_sent(server, env, tmp_path):
    (tmp_path / "bad.yaml").write_text("model: 1\npolices: []\n")
    code, _, said = push(server, "bad.yaml", "--env", env, cwd=tmp_path)
    assert code == 1
    assert "bad.yaml:2:1: error[unknown-member]" in said
    code, _, said = push(server, "none.yaml", "--env", env, cwd=tmp_path)
    assert code == 2


def test_a_push_of_another_revision_is_refused(server, env, tmp_path):
    assert push(server, "model.json", "--env", env, "--if-revision", "0", cwd=tmp_path)[0] == 0
    code, _, said = push(server, "model.yaml", "--env", env, "--if-revision", "0", cwd=tmp_path)
    assert code == 1
    assert "\nRefused: " in said
    assert "somebody changed the model: look at the change, and push again" in said
    assert push(server, "model.yaml", "--env", env, "--if-revision", "1", cwd=tmp_path)[0] == 0


def test_promotion_only(server, env, tmp_path):
    with server.client() as client:
        assert client.patch(f"/v1/environments/{env}", json={"promotion_only": True}).status_code == 200
    for more in ([], ["--dry-run"]):
        code, _, said = push(server, "model.json", "--env", env, *more, cwd=tmp_path)
        assert code == 1
        assert said.startswith(
            "Refused: the opt-ins, resource types, roles, policies, routes, declared attributes and silenced lints of"
        )
        assert "promote that" in said


def test_refusals_of_the_credential_and_the_environment(server, env, tmp_path):
    code, _, said = push(server, "model.json", "--env", env, cwd=tmp_path, token="x" * 40)
    assert (code, "; give a credential that is valid" in said) == (1, True)
    with server.client() as client:
        key = client.post("/v1/api-keys", json={"name": "reader", "scopes": ["read"]}).json()["key"]
    code, _, said = push(server, "model.json", "--env", env, cwd=tmp_path, token=key)
    assert (code, "; give a credential with the scope `write`" in said) == (1, True)
    code, _, said = push(server, "model.json", "--env", "none", cwd=tmp_path)
    assert (code, "; make the environment with `writ environments create`" in said) == (1, True)


def test_too_large_and_too_many(tmp_path):
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    large = MODEL | {"subjects": [{"type": "user", "id": f"user-number-{n}"} for n in range(3_000)]}
    (tmp_path / "large.json").write_text(json.dumps(large))
    settings = {"WRIT_MAX_MODEL_BYTES": "65536", "WRIT_MAX_FAILED_ATTEMPTS": "5"}
    with running(tmp_path / "data", settings=settings) as server:
        code, _, said = push(server, "large.json", cwd=tmp_path)
        assert (code, "; raise `WRIT_MAX_MODEL_BYTES`" in said) == (1, True), said
        assert any("; push again in " in refused_push(server, tmp_path) for _ in range(3))  # a minute may end meanwhile


def refused_push(server, folder):
    """Returns the words of a push with a wrong credential, after more of them than a minute may have."""
    for _ in range(20):
        answer = httpx.get(f"{server.url}/v1/environments", headers={"Authorization": "Bearer wrong"})
    code, _, said = push(server, "model.json", cwd=folder, token="wrong-too")
    assert code == 1
    assert answer.status_code == 429 or "credential is not known" in said
    return said


@pytest.mark.parametrize(
    "arguments", [["model.json"], ["model.json", "--url", "http://127.0.0.1:1"], ["model.json", "--url", "x"], []]
)
def test_wrong_usage(tmp_path, arguments):
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    done = writ("push", *arguments, cwd=tmp_path, settings={"WRIT_TOKEN": "t"})
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_who_gains_and_who_loses_is_told_first(server, env, tmp_path):
    """A dry run and a push tell the same, and with --policies-only too."""
    assert push(server, "model.json", "--env", env, cwd=tmp_path)[0] == 0
    told = push(server, "model.yaml", "--env", env, "--dry-run", cwd=tmp_path)[1].splitlines()
    regions = [line for line in told if line.startswith(("gains", "loses"))]
    assert regions == ["gains `update` on `document`: user `alice`", "loses `read` on `document`: user `alice`"]
    assert told[0] == regions[0]
    for more in (["--policies-only", "--dry-run"], ["--remove-facts", "--dry-run"], []):
        said = push(server, "model.yaml", "--env", env, *more, cwd=tmp_path)[1].splitlines()
        assert [line for line in said if line.startswith(("gains", "loses"))] == regions


def test_facts_that_stay_count_for_who_gains(server, env, tmp_path):
    """The documents lack alice's assignment: she keeps it, unless facts are removed."""
    assert push(server, "model.json", "--env", env, cwd=tmp_path)[0] == 0
    (tmp_path / "fewer.json").write_text(json.dumps({**MODEL, "assignments": []}))
    kept = push(server, "fewer.json", "--env", env, "--dry-run", cwd=tmp_path)[1]
    assert "loses" not in kept
    removed = push(server, "fewer.json", "--env", env, "--dry-run", "--remove-facts", cwd=tmp_path)[1]
    assert removed.startswith("loses `read` on `document`: user `alice`\n")
