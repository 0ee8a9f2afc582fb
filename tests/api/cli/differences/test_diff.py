"""`writ diff`: documents, folders, bundles, stores and revisions in git; the three formats; requests of tests."""

import json
import subprocess

import pytest

from tests.support.command import writ

OLD = """\
model: 1
resource_types: [{id: document, actions: [read, update]}]
roles: [{id: editor}, {id: owner}]
subjects: [{type: user, id: alice}]
assignments: [{id: a1, role: editor, subject: {type: user, id: alice}}]
policies:
  - id: edit
    name: Editors
    effect: ALLOW
    roles: [editor, owner]
    resource_types: [{resource_type_id: document, actions: [update]}]
    conditions:
      resource_attrs: [{key: status, op: eq, value: draft}]
  - id: gone
    effect: DENY
    priority: 1
    roles: [owner]
    resource_types: [{resource_type_id: document, actions: [read]}]
"""
NEW = (
    OLD.replace("value: draft", "value: final")
    .replace("roles: [editor, owner]", "roles: [owner, editor]")
    .replace("id: gone", "id: fresh")
    .replace("id: alice}]\n", "id: alice}, {type: user, id: bob}]\n", 1)
)
COUNTS = {
    "subjects": {"added": 1, "changed": 0, "removed": 0},
    "policies": {"added": 1, "changed": 1, "removed": 1},
}
TESTS = """\
now: 2026-01-05T10:00:00Z
tests:
  - name: drafts
    request:
      subject: {type: user, id: alice}
      action: {name: update}
      resource: {type: document, id: d, properties: {status: draft}}
    expect: {decision: true}
  - name: table
    subjects: {al: {type: user, id: alice}}
    actions: [read, update]
    resources: {final: {type: document, id: d, properties: {status: final}}}
    allowed: {}
  - name: list
    search: {subject: {type: user, id: alice}, action: {name: update}, resource: {type: document}}
    expect: {filter: {type: const, value: true}}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "old.yaml").write_text(OLD)
    (tmp_path / "new.yaml").write_text(NEW)
    return tmp_path


def diff(folder, *arguments):
    done = writ("diff", *arguments, "--format", "json", cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def test_documents(folder):
    code, found = diff(folder, "old.yaml", "new.yaml")
    assert (code, found["changes"], found["tests"]) == (1, COUNTS, [])
    by_id = {(one["kind"], one["id"]): one for one in found["elements"]}
    assert set(by_id) == {("subjects", "user:bob"), ("policies", "edit"), ("policies", "fresh"), ("policies", "gone")}
    edit = by_id["policies", "edit"]
    assert edit["change"] == "changed"
    assert [of["conditions"]["resource_attrs"][0]["value"] for of in (edit["before"], edit["after"])] == [
        "draft",
        "final",
    ]
    assert by_id["policies", "fresh"]["before"] is None
    assert by_id["policies", "gone"]["after"] is None


def test_equal_models_are_exit_code_0(folder):
    (folder / "same.json").write_text(json.dumps(_json_of(folder, "old.yaml")))
    code, found = diff(folder, "old.yaml", "same.json")
    assert (code, found["changes"], found["elements"]) == (0, {}, [])
    assert writ("diff", "old.yaml", "same.json", cwd=folder).stdout.decode() == (
        "old.yaml → same.json\nnothing changes\n"
    )


def _json_of(folder, name):
    assert writ("import", name, "--data", "data-of-json", cwd=folder).returncode == 0
    return json.loads(writ("export", "--data", "data-of-json", cwd=folder).stdout)


def test_routes_that_move(folder):
    routes = [
        {"id": id, "methods": ["GET"], "path": f"/{id}/{{id}}", "resource_type": "d", "action": "read"} for id in "ab"
    ]
    model = {"model": 1, "resource_types": [{"id": "d", "actions": ["read"]}]}
    (folder / "1.json").write_text(json.dumps(model | {"routes": routes}))
    (folder / "2.json").write_text(json.dumps(model | {"routes": routes[::-1]}))
    code, found = diff(folder, "1.json", "2.json")
    assert (code, found["changes"]["routes"]["moved"]) == (1, 1)


def test_text_has_each_change_in_the_language(folder):
    text = writ("diff", "old.yaml", "new.yaml", cwd=folder).stdout.decode()
    assert text.startswith("old.yaml → new.yaml\nsubjects: 1 added\npolicies: 1 added, 1 changed, 1 removed\n")
    assert "\n\n+ subject user bob\n\n" in text
    assert text.endswith("\n\n- policy gone\n-     priority 1\n-     deny owner to read document\n")
    assert (
        '\n  policy edit "Editors"\n      allow editor, owner to update document\n'
        '-     when resource.status is "draft"\n+     when resource.status is "final"\n'
    ) in text


def test_requests_of_tests_that_are_answered_differently(folder):
    (folder / "x.test.yaml").write_text(TESTS)
    code, found = diff(folder, "old.yaml", "new.yaml", "--tests", "x.test.yaml")
    assert code == 1
    told = [(one["name"], one["before"], one["after"]) for one in found["tests"]]
    denied = {"decision": False, "reason_code": "CONDITION_FAILED", "access_path": "none"}
    allowed = {"decision": True, "reason_code": "ALLOWED", "access_path": "role", "policy_id": "edit"}
    field = {"type": "field", "field": "status", "operator": "eq"}
    assert told == [
        ("table (al, update, final)", denied, allowed),
        ("drafts", allowed, denied),
        ("list", {"filter": field | {"value": "draft"}}, {"filter": field | {"value": "final"}}),
    ]
    assert (found["asked"], found["tests"][1]["file"]) == (4, "x.test.yaml")
    text = writ("diff", "old.yaml", "new.yaml", "--tests", ".", cwd=folder).stdout.decode()
    assert (
        "4 requests of tests: 1 now allowed, 1 now denied, 1 with another filter:\n"
        "  x.test.yaml: table (al, update, final)\n    denied, CONDITION_FAILED → allowed by edit\n"
        "  x.test.yaml: drafts\n    allowed by edit → denied, CONDITION_FAILED\n"
    ) in text


def test_equal_models_answer_all_tests_alike(folder):
    (folder / "x.test.yaml").write_text(TESTS)
    code, found = diff(folder, "old.yaml", "old.yaml", "--tests", ".")
    assert (code, found["asked"], found["tests"]) == (0, 4, [])
    text = writ("diff", "old.yaml", "old.yaml", "--tests", ".", cwd=folder).stdout.decode()
    assert "4 requests of tests: none has another answer\n" in text
    assert "requests" not in writ("diff", "old.yaml", "old.yaml", cwd=folder).stdout.decode()
    assert "asked" not in diff(folder, "old.yaml", "old.yaml")[1]


def test_a_rate_limit_is_not_reached_by_the_requests_before(folder):
    limited = OLD.replace("value: draft}]", "value: draft}]\n      rate_limit: {limit: 1, window_seconds: 60}")
    (folder / "limited.yaml").write_text(limited)
    (folder / "x.test.yaml").write_text(TESTS)
    _, found = diff(folder, "old.yaml", "limited.yaml", "--tests", "x.test.yaml")
    assert found["tests"] == []


def test_a_bundle_and_what_it_does_not_tell(folder):
    for name in ("old", "new"):
        assert writ("compile", f"{name}.yaml", "-o", f"{name}.bundle", cwd=folder).returncode == 0
    assert diff(folder, "old.bundle", "old.yaml")[0] == 0
    (folder / "x.test.yaml").write_text(TESTS)
    code, found = diff(folder, "old.yaml", "new.bundle", "--tests", "x.test.yaml")
    assert (code, found["changes"]) == (1, {"policies": COUNTS["policies"]})
    assert found["manifest"]["counts"]["after"]["subjects"] == found["manifest"]["counts"]["before"]["subjects"] + 1
    assert len(found["tests"]) == 3
    assert "are not compared" in found["not_compared"]
    edit = next(one for one in found["elements"] if one["id"] == "edit")
    assert 'R.status = "draft"' in edit["before"]["rules"][0]
    renamed = OLD.replace("type: user, id: alice", "type: user, id: ali")
    (folder / "renamed.yaml").write_text(renamed)
    code, found = diff(folder, "old.bundle", "renamed.yaml")
    assert (code, found["elements"], list(found["manifest"])) == (1, [], ["source"]), "only the digest tells"


def test_what_models_opt_into_is_compared(folder):
    (folder / "opted.yaml").write_text(f"{OLD}\nextensions: [now, arrays]\nrequests: strict\n")
    code, found = diff(folder, "old.yaml", "opted.yaml")
    assert (code, [(one["kind"], one["change"]) for one in found["elements"]]) == (
        1,
        [("extensions", "added"), ("requests", "added")],
    )
    assert writ("compile", "opted.yaml", "-o", "opted.bundle", cwd=folder).returncode == 0
    manifest = diff(folder, "old.yaml", "opted.bundle")[1]["manifest"]
    assert manifest.keys() == {"source", "extensions", "requests"}
    assert manifest["extensions"] == {"before": [], "after": ["arrays", "now"]}
    assert manifest["requests"] == {"before": None, "after": "strict"}


def test_a_store(folder):
    assert writ("import", "old.yaml", "--data", "data", cwd=folder).returncode == 0
    assert writ("import", "new.yaml", "--data", "data", "--env", "next", "--create", cwd=folder).returncode == 0
    assert diff(folder, "data", "old.yaml")[0] == 0
    assert diff(folder, "data", "new.yaml", "--env", "next")[0] == 0
    assert diff(folder, "old.yaml", "data", "--env", "next")[1]["changes"] == COUNTS
    assert writ("diff", "data", "old.yaml", "--env", "none", cwd=folder).returncode == 2


def test_two_environments_of_one_store(folder):
    (folder / "a#b").mkdir()
    for source, env in (("old.yaml", "default"), ("new.yaml", "next")):
        assert writ("import", source, "--data", "a#b/data", "--env", env, "--create", cwd=folder).returncode == 0
    assert diff(folder, "store:a#b/data", "store:a#b/data#next")[1]["changes"] == COUNTS
    assert diff(folder, "store:a#b/data#next", "new.yaml")[0] == 0
    for wrong in ("store:a#b/data#none", "store:nowhere#next", "store:", "store:a#b"):
        done = writ("diff", wrong, "old.yaml", cwd=folder)
        assert (done.returncode, b"Traceback" in done.stderr) == (2, False), wrong
        assert not (folder / "nowhere").exists()


def sarif(folder, *arguments):
    done = writ("diff", *arguments, "--format", "sarif", cwd=folder)
    assert done.returncode == 1, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    for one in run["results"]:
        assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
    return run["results"]


def place_of(result):
    place = result["locations"][0]["physicalLocation"]
    return place["artifactLocation"]["uri"], place.get("region", {}).get("startLine")


def test_sarif_has_each_part_of_a_difference_at_its_place(folder):
    (folder / "t.test.yaml").write_text(TESTS)
    found = sarif(folder, "old.yaml", "new.yaml", "--people", "--tests", "t.test.yaml")
    by_rule = {}
    for one in found:
        by_rule.setdefault(one["ruleId"], []).append(one)
    assert {rule: {one["level"] for one in ones} for rule, ones in by_rule.items()} == {
        "gains": {"warning"},
        "loses": {"note"},
        "other-answer": {"warning"},
        "changed": {"note"},
    }
    lines = dict(enumerate(NEW.splitlines(), 1))
    old_lines = dict(enumerate(OLD.splitlines(), 1))
    for one in by_rule["changed"]:
        file, line = place_of(one)
        id, change = one["message"]["text"].split("\n")[0].split(" ", 1)[1].split(": ")
        at = (old_lines if change == "removed" else lines)[line]
        assert file == ("old.yaml" if change == "removed" else "new.yaml")
        assert id.rpartition(":")[2] in at
    assert {place_of(one) for one in (*by_rule["gains"], *by_rule["loses"])} == {("new.yaml", None)}
    assert {place_of(one) for one in by_rule["other-answer"]} == {("t.test.yaml", None)}
    assert by_rule["gains"][0]["message"]["text"].startswith("gains `update` on `document`: user `alice`\nby the role")


def test_sarif_of_what_has_no_documents_has_no_places(folder):
    for name in ("old", "new"):
        assert writ("compile", f"{name}.yaml", "-o", f"{name}.bundle", cwd=folder).returncode == 0
    found = sarif(folder, "old.bundle", "new.bundle", "--people")
    assert {one["ruleId"] for one in found} >= {"gains", "changed"}
    assert not any("locations" in one for one in found)


@pytest.fixture
def repository(folder):
    """A repository with the old model in a folder at its root; the new one is in the working tree."""
    policies = folder / "policies"
    policies.mkdir()
    (folder / "old.yaml").rename(policies / "model.yaml")
    (policies / "x.test.yaml").write_text(TESTS)
    (policies / "notes.txt").write_text("no document")
    (policies / "link.yaml").symlink_to("model.yaml")
    run = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for line in (["init", "-q", "-b", "main"], ["add", "policies"], ["commit", "-qm", "first"]):
        subprocess.run([*run, *line], cwd=folder, check=True, capture_output=True)
    (policies / "link.yaml").unlink()
    (folder / "new.yaml").rename(policies / "model.yaml")
    return folder


@pytest.mark.parametrize("old", ["main:policies", "HEAD:policies/model.yaml", "HEAD:./policies", "HEAD:policies/"])
def test_a_revision_in_git(repository, old):
    code, found = diff(repository, old, "policies", "--tests", "policies")
    assert (code, found["changes"]) == (1, COUNTS)
    assert len(found["tests"]) == 3


def test_sarif_names_files_as_the_repository_does(repository):
    (gone,) = [one for one in sarif(repository, "main:policies", "policies") if "policy gone" in one["message"]["text"]]
    assert place_of(gone)[0] == "policies/model.yaml"


def test_a_revision_from_a_folder_inside(repository):
    for old in ("main:./model.yaml", "main:policies", "main:"):
        assert diff(repository / "policies", old, "model.yaml")[1]["changes"] == COUNTS
    assert diff(repository, "HEAD:policies", "main:policies/model.yaml")[0] == 0


@pytest.mark.parametrize(
    ("old", "says"),
    [
        ("nowhere:policies", "`nowhere` is no revision"),
        ("main:none", "`none` does not exist in the revision `main`"),
        ("--help:x", "No such option"),
        (":policies", "names no revision"),
        ("none.yaml", "no such file"),
        ("main:policies/notes.txt", "a model with errors"),
    ],
)
def test_what_can_not_be_read_is_exit_code_2(repository, old, says):
    done = writ("diff", old, "policies", cwd=repository)
    assert done.returncode == 2
    assert says in done.stderr.decode()


@pytest.mark.parametrize("old", ["--output=owned:x", "-x:policies", "--upload-pack=touch owned:x"])
def test_a_revision_is_never_an_option_of_git(repository, old):
    done = writ("diff", "--", old, "policies", cwd=repository)
    assert done.returncode == 2
    assert b"names no revision" in done.stderr
    assert not (repository / "owned").exists()


def test_outside_of_a_repository_and_without_git(repository, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = writ("diff", "main:policies", "x", cwd=elsewhere)
    assert (done.returncode, b"no revision of a git repository" in done.stderr) == (2, True)
    done = writ("diff", "main:policies", "policies", cwd=repository, settings={"PATH": str(elsewhere)})
    assert (done.returncode, b"git is not installed" in done.stderr) == (2, True)


def test_a_name_with_odd_characters(repository):
    odd = "a\nb é.yaml"
    (repository / "policies" / odd).write_text("model: 1\n")
    run = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for line in (["add", "policies"], ["commit", "-qm", "second"]):
        subprocess.run([*run, *line], cwd=repository, check=True, capture_output=True)
    assert diff(repository, "main:policies", "policies")[0] == 0


def test_a_model_or_a_test_with_errors(folder):
    (folder / "bad.yaml").write_text("model: 1\npolices: []\n")
    done = writ("diff", "old.yaml", "bad.yaml", cwd=folder)
    assert (done.returncode, b"bad.yaml:2:1: error[unknown-member]" in done.stderr) == (2, True)
    (folder / "x.test.yaml").write_text("tests: []")
    done = writ("diff", "old.yaml", "new.yaml", "--tests", "x.test.yaml", cwd=folder)
    assert (done.returncode, b"error[no-expectation]" in done.stderr) == (2, True)


def test_markdown_fits_a_comment_and_says_what_is_cut(folder):
    short = writ("diff", "old.yaml", "new.yaml", "--format", "markdown", cwd=folder).stdout.decode()
    assert short.startswith("#### old.yaml → new.yaml\n\n    subjects: 1 added\n")
    scope = [{"resource_type_id": "d", "actions": ["read"]}]
    policies = [{"id": f"p{n}", "effect": "ALLOW", "name": "n" * 150, "resource_types": scope} for n in range(700)]
    model = {"model": 1, "resource_types": [{"id": "d", "actions": ["read"]}]}
    (folder / "1.json").write_text(json.dumps(model))
    (folder / "2.json").write_text(json.dumps(model | {"policies": policies}))
    long = writ("diff", "1.json", "2.json", "--format", "markdown", cwd=folder).stdout.decode()
    whole = writ("diff", "1.json", "2.json", cwd=folder).stdout.decode()
    assert 64_000 < len(long) <= 65_536
    *shown, _, note = long.splitlines()
    left = int(note.split()[0])
    assert "more lines do not fit" in note
    assert len(shown) - 1 + left == len(whole.splitlines())


def test_a_document_and_its_own_text_do_not_differ(tmp_path):
    """Empty `conditions` and lists say the same as none, and text has neither."""
    empty = OLD.replace("    roles: [owner]\n", "    roles: [owner]\n    conditions: {context_attrs: []}\n")
    document = tmp_path / "model.yaml"
    document.write_text(empty + "groups: [{id: eng, members: []}]\n")
    assert writ("convert", document, "--as", "writ", "-o", tmp_path / "model.writ").returncode == 0
    done = writ("diff", document, tmp_path / "model.writ")
    assert (done.returncode, done.stdout.decode().splitlines()[-1]) == (0, "nothing changes")


def test_a_constant_of_another_type_is_a_change(tmp_path):
    """In Python `1` equals `True`, and in a condition it does not (C3)."""
    for name, value in (("old", "true"), ("new", "1"), ("same", "1.0")):
        (tmp_path / f"{name}.yaml").write_text(OLD.replace("value: draft", f"value: {value}"))
    assert writ("diff", tmp_path / "old.yaml", tmp_path / "new.yaml").returncode == 1
    assert writ("diff", tmp_path / "new.yaml", tmp_path / "same.yaml").returncode == 0
