"""`writ convert` and `writ export --as`: the same model in every form."""

import json

import pytest

from tests.support.command import writ

MODEL = """\
extensions references, now

requests strict

type document "Document"
    actions read, update

role editor

group eng
    members user alice, group backend

group backend

assign editor to group eng until 2030-01-01T00:00:00Z

policy p1 "Editors update"
    allow editor to update document
    when resource.status in ["draft", "1e3"]
    and resource.tag in []
    on mon to fri from 09:00 until 17:00 in Europe/Oslo

declare context mfa boolean

silence empty-list on p1 because "a template"
"""
FORMS = ("writ", "yaml", "json")


@pytest.mark.parametrize("form", FORMS)
def test_there_and_back(tmp_path, form):
    """No form loses anything, and no ids are made."""
    (tmp_path / "model.writ").write_text(MODEL)
    there = tmp_path / f"there.{form}"
    assert writ("convert", tmp_path / "model.writ", "--as", form, "-o", there).returncode == 0
    back = writ("convert", there, "--as", "writ")
    assert (back.returncode, back.stdout.decode()) == (0, MODEL)


def test_a_part_of_a_model_can_be_converted(tmp_path):
    (tmp_path / "policies.yaml").write_text(
        "model: 1\npolicies: [{id: p, effect: DENY, resource_types: [{resource_type_id: x, actions: ['*']}]}]\n"
    )
    done = writ("convert", tmp_path / "policies.yaml", "--as", "writ")
    assert done.stdout.decode() == "policy p\n    deny everyone to do anything to x\n"


def test_several_documents_become_one(tmp_path):
    (tmp_path / "a.writ").write_text("role a\ndeclare context x string\n")
    (tmp_path / "b.yaml").write_text("model: 1\nroles: [{id: b}]\nattributes: {context: {y: number}}\n")
    done = writ("convert", tmp_path, "--as", "json")
    assert json.loads(done.stdout) == {
        "model": 1,
        "roles": [{"id": "a"}, {"id": "b"}],
        "attributes": {"context": {"x": "string", "y": "number"}},
    }


def test_faults_are_shown_and_nothing_is_written(tmp_path):
    (tmp_path / "a.writ").write_text("role a\npolicy p1\n")
    done = writ("convert", tmp_path / "a.writ", "--as", "json", "-o", tmp_path / "out.json")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"a.writ:2:8: error[syntax]: the policy neither allows nor denies" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_an_element_that_means_nothing_is_refused(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "model: 1\npolicies: [{id: p, effect: ALLOW, roles: [], resource_types:"
        " [{resource_type_id: x, actions: [read]}]}]\n"
    )
    done = writ("convert", tmp_path / "a.yaml", "--as", "writ")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"`p` of `policies` can't be written as writ: run `writ check`" in done.stderr


@pytest.mark.parametrize("form", FORMS)
def test_a_store_is_exported_and_imported_in_every_form(tmp_path, form):
    (tmp_path / "model.writ").write_text(MODEL)
    data = ("--data", tmp_path / "data")
    assert writ("import", tmp_path / "model.writ", *data).returncode == 0
    exported = tmp_path / f"exported.{form}"
    assert writ("export", "--as", form, *data, "-o", exported).returncode == 0
    again = writ("import", exported, *data)
    assert again.returncode == 0, again.stderr
    assert b"revision 1" in again.stdout + again.stderr, "nothing changes"


@pytest.mark.parametrize("form", FORMS)
def test_a_declaration_that_only_names_a_kind_is_written_in_every_form(tmp_path, form):
    """`{"kind": "string"}` says no more than `"string"`, so a form may write either."""
    declared = {"context": {"tenant": {"kind": "string"}}}
    (tmp_path / "model.json").write_text(json.dumps({"model": 1, "attributes": declared}))
    there = tmp_path / f"there.{form}"
    done = writ("convert", tmp_path / "model.json", "--as", form, "-o", there)
    assert (done.returncode, done.stderr) == (0, b"")
    back = json.loads(writ("convert", there, "--as", "json").stdout)
    assert back["attributes"]["context"]["tenant"] in ("string", {"kind": "string"})


def test_a_constant_that_does_not_fit_is_refused_without_a_traceback(tmp_path):
    condition = {"key": "a", "op": "in", "value": 5}
    policy = {"id": "p", "effect": "DENY", "resource_types": [{"resource_type_id": "x", "actions": ["*"]}]}
    policy["conditions"] = {"resource_attrs": [condition]}
    (tmp_path / "model.json").write_text(json.dumps({"model": 1, "policies": [policy]}))
    done = writ("convert", tmp_path / "model.json", "--as", "writ")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == "Error: `p` of `policies` can't be written as writ: run `writ check`\n"
