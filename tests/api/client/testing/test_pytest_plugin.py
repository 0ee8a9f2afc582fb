"""The plugin in a real pytest: the fixtures, and policy tests as items that fail as `writ test` shows them."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.command import writ
from tests.support.structure import ROOT

MODEL = """\
type document
    actions read, edit
    attributes status string

role editor "Editor"

policy editing "Editors edit drafts"
    allow editor to edit document
    when resource.status is "draft"

policy reading "All read twice a minute"
    allow everyone to read document
    at most 2 times in 1 minute
"""
PEOPLE = "model: 1\nassignments: [{role: editor, subject: {type: user, id: alice}}]\n"
INI = "[pytest]\nwrit_model = model\nwrit_tests = *.test.yaml\naddopts = -p no:cacheprovider\n"
POLICY_TESTS = """\
tests:
- name: alice edits drafts
  request: &draft
    subject: {type: user, id: alice}
    action: {name: edit}
    resource: {type: document, id: d1, properties: {status: draft}}
  expect: {decision: true}
- name: alice edits no drafts
  request: *draft
  expect: {decision: false}
"""
USES = """\
from writ.testing import assert_allowed, assert_denied

def test_editors(writ_engine):
    assert_allowed(writ_engine, "user", "alice", "edit", "document", "d1", resource={"status": "draft"})
    assert_denied(writ_engine, "user", "bob", "edit", "document", "d1", resource={"status": "draft"})
"""
READS_TWICE = """
import pytest

@pytest.mark.parametrize("round", [1, 2])
def test_limits_count_from_zero(writ_engine, round):
    assert [writ_engine.allowed("user", "bob", "read", "document", "d1") for _ in range(3)] == [True, True, False]
    assert list(writ_engine.resources({"subject": {"type": "user", "id": "bob"}, "action": {"name": "read"},
                                       "resource": {"type": "document"}})) == []
"""
OVERRIDES = """
import pytest

@pytest.fixture
def writ_model(tmp_path):
    (tmp_path / "other.writ").write_text("type page\\n    actions read\\npolicy p\\n    allow everyone to read page\\n")
    return [tmp_path / "other.writ"]

def test_another_model(writ_engine):
    assert writ_engine.allowed("user", "bob", "read", "page", "1")
"""


class Ran(NamedTuple):
    """How a run of pytest ended, and what it printed."""

    code: int
    output: str


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An application with a model, its policy tests and a configuration of pytest."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model/policies.writ").write_text(MODEL)
    (tmp_path / "model/people.yaml").write_text(PEOPLE)
    (tmp_path / "pytest.ini").write_text(INI)
    return tmp_path


def run(project: Path, *arguments: str) -> Ran:
    """Run pytest in a project, with no other plugin than Writ's."""
    line = [sys.executable, "-m", "pytest", "--disable-plugin-autoload", "-p", "writ.testing.pytest_plugin"]
    done = subprocess.run([*line, "--color=no", *arguments], cwd=project, capture_output=True, text=True, timeout=250)
    return Ran(done.returncode, done.stdout + done.stderr)


def test_the_entry_point_names_the_plugin() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert [hasattr(import_module(module), "writ_engine") for module in declared.values()] == [True]


def test_the_engine_of_the_configured_model(project: Path) -> None:
    (project / "test_app.py").write_text(USES)
    ran = run(project)
    assert (ran.code, "1 passed" in ran.output) == (0, True), ran.output


def test_a_failed_assertion_shows_the_explanation_at_the_line_of_the_test(project: Path) -> None:
    (project / "test_app.py").write_text(USES.replace('"bob"', '"alice"'))
    ran = run(project)
    assert ran.code == 1
    assert "expected this to be denied: May user `alice` do `edit` on document `d1`?" in ran.output
    assert "Policy `editing` allows it." in ran.output
    assert "test_app.py:5: AssertionError" in ran.output
    assert "asserting.py" not in ran.output


def test_a_slip_in_a_test_shows_its_line_too(project: Path) -> None:
    """E8. The engine's own frames, and an error that it handled, would hide it."""
    (project / "test_app.py").write_text(USES.replace("status", "statsu"))
    ran = run(project)
    assert ran.code == 1
    assert "declares no attribute `statsu`; did you mean `status`?" in ran.output
    assert "test_app.py:4: BadRequest" in ran.output
    assert "During handling of the above exception" not in ran.output
    assert not {"asserting.py", "engine.py", "strict_requests.py"} & set(re.findall(r"\w+\.py", ran.output))


def test_each_test_counts_rate_limits_from_zero(project: Path) -> None:
    """C10: what one test counted does not deny another one."""
    (project / "test_app.py").write_text(READS_TWICE)
    ran = run(project)
    assert (ran.code, "2 passed" in ran.output) == (0, True), ran.output


def test_the_model_can_be_overridden(project: Path) -> None:
    (project / "test_app.py").write_text(USES)
    (project / "test_other.py").write_text(OVERRIDES)
    ran = run(project)
    assert (ran.code, "2 passed" in ran.output) == (0, True), ran.output


def test_without_a_configured_model_the_fixture_says_what_to_do(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\n")
    (project / "test_app.py").write_text(USES)
    ran = run(project)
    assert ran.code == 1
    assert "set `writ_model` in pytest's configuration to the documents of your model" in ran.output


def test_a_model_with_errors_shows_their_places(project: Path) -> None:
    (project / "model/policies.writ").write_text(MODEL.replace("allow editor", "allow edditor"))
    (project / "test_app.py").write_text(USES)
    ran = run(project)
    assert (ran.code, "policies.writ:8:" in ran.output) == (1, True), ran.output


def test_each_policy_test_is_one_item(project: Path) -> None:
    (project / "model/documents.test.yaml").write_text(POLICY_TESTS)
    ran = run(project, "--collect-only", "-q")
    expected = ["model/documents.test.yaml::alice edits drafts", "model/documents.test.yaml::alice edits no drafts"]
    assert ran.output.splitlines()[:2] == expected
    ran = run(project, "model/documents.test.yaml::alice edits drafts")
    assert (ran.code, "1 passed" in ran.output) == (0, True), ran.output


def test_a_policy_test_fails_as_writ_test_shows_it(project: Path) -> None:
    (project / "model/documents.test.yaml").write_text(POLICY_TESTS)
    ran = run(project)
    assert (ran.code, "1 failed, 1 passed" in ran.output) == (1, True), ran.output
    told = writ("test", "model", cwd=project).stdout.decode().splitlines()
    shown = [line.removeprefix("FAILED ") for line in told if line.startswith(("FAILED ", "  "))]
    assert len(shown) > 4
    assert "\n".join(shown) in ran.output
    assert "Traceback" not in ran.output


def test_faults_of_a_file_and_of_its_model_are_errors_with_places(project: Path) -> None:
    (project / "model/documents.test.yaml").write_text(POLICY_TESTS.replace("decision: true", "desicion: true"))
    (project / "empty").mkdir()
    (project / "empty/none.test.yaml").write_text(POLICY_TESTS)
    ran = run(project)
    assert ran.code == 2
    assert "model/documents.test.yaml:7:" in ran.output
    assert "the model can't be used" in ran.output
    assert "Traceback" not in ran.output


def test_no_policy_test_is_collected_without_the_option(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\n")
    (project / "model/documents.test.yaml").write_text(POLICY_TESTS)
    assert run(project, "--collect-only").code == 5  # no tests


def test_a_run_that_uses_nothing_of_writ_loads_neither_compiler_nor_engine(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\n")
    asks = "[name for name in ('writ.compiler', 'writ.runtime', 'writ.api') if name in sys.modules]"
    (project / "test_app.py").write_text(f"import sys\n\ndef test_loaded():\n    assert {asks} == []\n")
    ran = run(project)
    assert ran.code == 0, ran.output
