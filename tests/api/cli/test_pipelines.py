"""The pipelines of the page do what it says: their steps run in a real shell, in a real git repository."""

import json
import os
import re
import shutil
import subprocess
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from xml.etree import ElementTree

import pytest
import yaml
from writ.bundles.file.reader import open_bundle

from tests.support.pages import ROOT, page
from tests.support.server import environment
from tests.support.shell import forked_writ

PAGE = page("api/PIPELINES.md")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
GITHUB, GITLAB, CONFIG = (
    yaml.safe_load(PAGE.marked(f"pipeline: {name}"))
    for name in (".github/workflows/policies.yaml", ".gitlab-ci.yml", ".pre-commit-config.yaml")
)
MODEL = """\
model: 1
resource_types: [{id: document, actions: [read]}]
roles: [{id: editor}]
assignments: [{role: editor, subject: {type: user, id: alice}}]
policies:
  - {id: read, effect: ALLOW, roles: [editor], resource_types: [{resource_type_id: document, actions: [read]}]}
"""
TESTS = """\
tests:
  - name: alice reads
    request: {subject: {type: user, id: alice}, action: {name: read}, resource: {type: document, id: d}}
    expect: {decision: true}
  - name: bob does not
    request: {subject: {type: user, id: bob}, action: {name: read}, resource: {type: document, id: d}}
    expect: {decision: false}
"""
BROKEN = MODEL.replace("effect: ALLOW", "effect: ALOW")
WRONG = MODEL.replace("id: alice", "id: zoe")
CHANGED = MODEL.replace("id: alice}}", "id: alice}}, {role: editor, subject: {type: user, id: carol}}")
CAROL = TESTS + TESTS.partition("tests:\n")[2].partition("  - name: bob")[0].replace("alice", "carol")


def shell(script, folder, **settings):
    """Runs a step as the build services do, `bash -e`, with `writ` on the path."""
    with forked_writ() as commands:
        variables = environment({"PATH": f"{commands}:{os.environ['PATH']}", **settings})
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=variables, capture_output=True, timeout=60
        )


def git(folder, *arguments):
    line = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    return subprocess.run(line, cwd=folder, check=True, capture_output=True).stdout.decode().strip()


@pytest.fixture
def repository(tmp_path):
    """A repository whose branch `main` has the policies; a change of them is in the working tree."""
    (tmp_path / "policies").mkdir()
    write(tmp_path, MODEL, TESTS)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "policies")
    git(tmp_path, "commit", "-qm", "first")
    write(tmp_path, CHANGED, CAROL)
    return tmp_path


def write(folder, model, tests):
    (folder / "policies" / "model.yaml").write_text(model)
    (folder / "policies" / "read.test.yaml").write_text(tests)


def github_step(name):
    (step,) = (one for one in GITHUB["jobs"]["policies"]["steps"] if one.get("name") == name)
    return step


def test_the_workflow_has_these_steps_in_order():
    names = [one["name"] for one in GITHUB["jobs"]["policies"]["steps"] if "name" in one]
    assert names == ["Install", "Format", "Check", "Test", "Compare", "Comment", "Compile"]
    for name in ("Compare", "Comment"):
        assert github_step(name)["if"] == "github.event_name == 'pull_request'"
    assert re.fullmatch(r"\$\{\{ github\.[\w.]+ \}\}", github_step("Compare")["env"]["BASE"])
    for step in GITHUB["jobs"]["policies"]["steps"]:
        assert "${{" not in step.get("run", ""), "what others write goes through variables, never into a script"


def test_a_good_change_passes_the_workflow(repository):
    base = git(repository, "rev-parse", "HEAD")
    (repository / "policies" / "people.writ").write_text("subject user dave\n")
    for name in ("Format", "Check", "Test", "Compare", "Compile"):
        done = shell(github_step(name)["run"], repository, BASE=base)
        assert done.returncode == 0, (name, done.stdout, done.stderr)
    told = (repository / "difference.md").read_text()
    assert "assignments: 1 added" in told
    assert "subjects: 1 added" in told
    assert "policies/read.test.yaml: carol reads" in told
    assert "denied, NO_POLICY_MATCH → allowed by read" in told
    uploaded = next(one for one in GITHUB["jobs"]["policies"]["steps"] if "upload-artifact" in one.get("uses", ""))
    open_bundle(repository / uploaded["with"]["path"]).verify()


def test_text_that_is_not_formatted_stops_the_workflow(repository):
    (repository / "policies" / "people.writ").write_text("subject  user dave\n")
    done = shell(github_step("Format")["run"], repository)
    assert done.returncode == 1
    assert b"would format policies/people.writ" in done.stderr


def test_an_unchanged_model_passes_too(repository):
    write(repository, MODEL, TESTS)
    assert shell(github_step("Compare")["run"], repository, BASE="main").returncode == 0
    assert "nothing changes" in (repository / "difference.md").read_text()


def test_the_first_change_has_nothing_to_compare_with(repository):
    git(repository, "rm", "-rq", "--cached", "policies")
    git(repository, "commit", "-qm", "no policies yet")
    base = git(repository, "rev-parse", "HEAD")
    assert shell(github_step("Compare")["run"], repository, BASE=base).returncode == 0
    assert not (repository / "difference.md").exists()
    assert shell(github_step("Comment")["run"], repository).returncode == 0


def test_a_revision_that_is_not_there_fails_the_step(repository):
    assert shell(github_step("Compare")["run"], repository, BASE="0" * 40).returncode != 0


def test_a_broken_or_wrong_policy_stops_the_workflow(repository):
    write(repository, BROKEN, TESTS)
    done = shell(github_step("Check")["run"], repository)
    assert done.returncode == 1
    assert done.stdout.startswith(b"::error title=writ unknown-value,file=policies/model.yaml,line=6,col=24,")
    write(repository, WRONG, TESTS)
    assert shell(github_step("Check")["run"], repository).returncode == 0
    done = shell(github_step("Test")["run"], repository)
    assert done.returncode == 1
    assert b"FAILED alice reads" in done.stdout


class Comments(BaseHTTPRequestHandler):
    """Takes comments, as GitLab's API does."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        (part,) = message_from_bytes(head + body).get_payload()
        self.server.comments.append((self.path, self.headers["PRIVATE-TOKEN"], part.get_payload(decode=True).decode()))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


def test_the_job_of_gitlab(repository):
    if shutil.which("curl") is None:
        pytest.skip("the job needs curl")
    server = HTTPServer(("127.0.0.1", 0), Comments)
    server.comments = []
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        settings = {
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(repository, "rev-parse", "main"),
            "COMMENT_TOKEN": "secret",
            "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}",
            "CI_PROJECT_ID": "7",
            "CI_MERGE_REQUEST_IID": "3",
        }
        done = shell("\n".join(GITLAB["policies"]["script"]), repository, **settings)
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stderr
    ((path, token, comment),) = server.comments
    assert (path, token) == ("/projects/7/merge_requests/3/notes", "secret")
    assert comment == (repository / "difference.md").read_text()
    artifacts = GITLAB["policies"]["artifacts"]
    for report in artifacts["reports"]["junit"]:
        assert ElementTree.parse(repository / report).getroot().get("failures") == "0"
    open_bundle(repository / artifacts["paths"][0]).verify()


def test_the_job_of_gitlab_on_a_branch_compares_nothing(repository):
    script = "\n".join(GITLAB["policies"]["script"])
    assert shell(script, repository).returncode == 0
    assert not (repository / "difference.md").exists()
    write(repository, WRONG, TESTS)
    assert shell(script, repository).returncode == 1
    assert ElementTree.parse(repository / "test.xml").getroot().get("failures") == "1"


def hook_commands():
    """The commands that pre-commit runs for the configuration on the page."""
    known = {hook["id"]: hook for hook in HOOKS}
    for asked in CONFIG["repos"][0]["hooks"]:
        hook = known[asked["id"]]
        if hook.get("pass_filenames") is False:
            yield " ".join([hook["entry"], *asked["args"]])
        else:
            yield f"git diff --cached --name-only -- '*.writ' | xargs -r {hook['entry']}"


def test_a_hook_that_looks_at_the_whole_model_runs_for_every_commit():
    """A file that is deleted is not among the changed ones."""
    for hook in HOOKS:
        assert hook.get("always_run", False) is not hook.get("pass_filenames", True)


def test_every_hook_is_told():
    assert [hook["id"] for hook in HOOKS] == [one["id"] for one in CONFIG["repos"][0]["hooks"]]
    assert all(f"| `{hook['id']}` |" in PAGE.text for hook in HOOKS)
    assert {hook["language"] for hook in HOOKS} == {"python"}


@pytest.mark.parametrize(("model", "passes"), [(CHANGED, True), (BROKEN, False), (WRONG, False)])
def test_the_hooks_refuse_a_commit(repository, model, passes):
    write(repository, model, TESTS)
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\nset -e\n" + "".join(f"{line}\n" for line in hook_commands()))
    hook.chmod(0o755)
    done = shell("git -c user.name=t -c user.email=t@example.com commit -qam second", repository)
    assert (done.returncode == 0) is passes, done.stderr
    assert git(repository, "rev-list", "--count", "HEAD") == ("2" if passes else "1")


def test_the_other_commands_of_the_page(repository):
    commands = re.findall(r"^\| [^|`]+ \| `(writ [^`]+)`", PAGE.section("With another build service"), re.MULTILINE)
    assert len(commands) == 7
    for command in commands:
        done = shell(f"cat policies/model.yaml | {command}", repository)
        assert done.returncode == (1 if command.startswith("writ diff") else 0), (command, done.stderr)


def test_sarif_names_the_files_as_the_repository_does(repository):
    write(repository, BROKEN, TESTS)
    done = shell("writ check policies --format sarif", repository)
    (result, *_) = json.loads(done.stdout)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "policies/model.yaml"
