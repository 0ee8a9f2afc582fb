"""`writ rename`: files in place, a dry run, and refusals that change nothing."""

import os

import pytest

from tests.support.command import writ

TEXT = "role nurse  # one\nrole doctor\nassign nurse to user ann\n"
YAML = """\
model: 1
resource_types: [{id: drug, actions: [dispense]}]
policies:
  - id: p  # nurses
    effect: ALLOW
    roles: ["nurse"]
    resource_types: [{resource_type_id: drug, actions: [dispense]}]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model/a.writ").write_text(TEXT)
    (tmp_path / "model/b.yaml").write_text(YAML)
    return tmp_path


def test_files_are_renamed_in_place(folder):
    os.chmod(folder / "model/a.writ", 0o640)
    dry = writ("rename", "role", "nurse", "rn", "model", "--dry-run", cwd=folder)
    assert (dry.returncode, (folder / "model/a.writ").read_text()) == (0, TEXT)
    assert dry.stdout.decode().splitlines()[:3] == ["model/a.writ:1", "- role nurse  # one", "+ role rn  # one"]
    assert b"would rename the role `nurse` to `rn`: 3 places in 2 files" in dry.stderr
    (folder / "one.writ").write_text("role porter\n")
    one = writ("rename", "role", "porter", "p", "one.writ", "--dry-run", cwd=folder)
    assert b": 1 place in 1 file" in one.stderr
    assert b"places" not in one.stderr
    done = writ("rename", "role", "nurse", "rn", "model", cwd=folder)
    assert (done.returncode, done.stdout) == (0, dry.stdout)
    assert (folder / "model/a.writ").read_text() == TEXT.replace("nurse", "rn")
    assert (folder / "model/b.yaml").read_text() == YAML.replace('"nurse"', '"rn"')
    assert (folder / "model/a.writ").stat().st_mode & 0o777 == 0o640
    assert writ("check", "model", cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("role", "nurse", "doctor", "model"), 1, "there is the role `doctor` already"),
        (("role", "none", "x", "model"), 1, "no document has the role `none`"),
        (("role", "nurse", "x" * 600, "model"), 1, "can't be a name here"),
        (("person", "nurse", "x", "model"), 2, "Invalid value"),
        (("role", "nurse", "x", "none"), 2, "none"),
    ],
)
def test_refusals_change_nothing(folder, arguments, code, says):
    done = writ("rename", *arguments, cwd=folder)
    assert (done.returncode, says in done.stderr.decode()) == (code, True), done.stderr
    assert (folder / "model/a.writ").read_text() == TEXT
    assert (folder / "model/b.yaml").read_text() == YAML


def test_documents_with_errors_stay(folder):
    (folder / "model/c.yaml").write_text("model: 1\npolices: []\n")
    done = writ("rename", "role", "nurse", "rn", "model", cwd=folder)
    assert (done.returncode, b"unknown-member" in done.stderr) == (1, True)
    assert (folder / "model/a.writ").read_text() == TEXT


def test_a_name_that_requests_see_is_noted_and_may_not_collide(folder):
    done = writ("rename", "action", "dispense", "hand_out", "model", cwd=folder)
    assert (done.returncode, b"requests ask for the new action" in done.stderr) == (0, True)
    (folder / "model/c.writ").write_text('type other "medicine"\n    actions hand_out\n')
    done = writ("rename", "type", "drug", "medicine", "model", cwd=folder)
    assert (done.returncode, b"with the type `medicine`, the model has errors" in done.stderr) == (1, True)
