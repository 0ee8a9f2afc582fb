"""A path that a command can't use as it is meant gets the way out, and no output replaces what was read."""

import pytest

from tests.support.command import writ

MODEL = "model: 1\nresource_types: [{id: document, actions: [read]}]\n"
TESTS = """\
tests:
- name: n
  subjects: {a: {type: user, id: a}}
  actions: [read]
  resources: {d: {type: document, id: d}}
  allowed: {}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "model.yaml").write_text(MODEL)
    (tmp_path / "policies" / "x.test.yaml").write_text(TESTS)
    return tmp_path


@pytest.mark.parametrize("command", [["check"], ["convert", "--as", "json"], ["compile", "-o", "m.bundle"]])
def test_policy_tests_are_no_model(folder, command):
    done = writ(*command, "policies/x.test.yaml", cwd=folder)
    assert done.returncode == 2
    assert b"`policies/x.test.yaml` is a file of policy tests, not a model: run it with `writ test`" in done.stderr


def test_tests_in_a_subfolder_are_told_of_the_model_above(folder):
    inner = folder / "policies" / "tests"
    inner.mkdir()
    (inner / "y.test.yaml").write_text(TESTS)
    done = writ("test", inner, cwd=folder)
    assert done.returncode == 1
    assert b"error[no-model]" in done.stdout
    assert b"write `model: [..]`" in done.stdout
    (inner / "y.test.yaml").write_text(f"model: [..]\n{TESTS}")
    assert writ("test", inner, cwd=folder).returncode == 0


@pytest.mark.parametrize("name", ["e.test.yaml", "e.test.yml", "e.test.json"])
def test_an_empty_file_of_tests_needs_tests(folder, name):
    (folder / name).write_text("")
    done = writ("test", name, cwd=folder)
    assert done.returncode == 1
    assert b"the document is empty" in done.stdout
    assert b"write `tests:`" in done.stdout


@pytest.mark.parametrize("output", ["policies/model.yaml", "policies/x.test.yaml", "link.yaml"])
@pytest.mark.parametrize("command", [["compile"], ["convert", "--as", "yaml"], ["test", "--format", "tap"]])
def test_an_output_replaces_no_source(folder, command, output):
    (folder / "link.yaml").symlink_to("policies/model.yaml")
    done = writ(*command, "policies", "-o", output, cwd=folder)
    assert done.returncode == 2
    assert f"the output `{output}`".encode() in done.stderr
    assert (folder / "policies" / "model.yaml").read_text() == MODEL
    assert (folder / "policies" / "x.test.yaml").read_text() == TESTS


def test_an_output_may_replace_an_old_output(folder):
    for _ in range(2):
        assert writ("compile", "policies", "-o", "m.bundle", cwd=folder).returncode == 0


@pytest.mark.parametrize("command", [["explain"], ["decide"], ["filter"], ["routes", "test", "GET", "/d"]])
def test_a_folder_in_place_of_a_bundle_is_to_be_compiled(folder, command):
    done = writ(*command, "policies", cwd=folder, stdin=b"{}")
    assert done.returncode == 2
    assert b"policies: this is a folder; compile its model documents with `writ compile` first" in done.stderr


@pytest.mark.parametrize("text", [b"", b" \n"])
def test_an_explanation_needs_a_request(folder, text):
    writ("compile", "policies", "-o", "m.bundle", cwd=folder)
    done = writ("explain", "m.bundle", cwd=folder, stdin=text)
    assert done.returncode == 2
    assert b"the input is empty" in done.stderr
