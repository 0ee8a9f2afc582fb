"""`writ compile`: a bundle on success, the old one untouched on failure."""

import json

from writ.bundles.file.reader import open_bundle

from tests.support.command import writ

MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "policies": [
        {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
    ],
}


def test_a_bundle_is_written_and_nothing_else(tmp_path):
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    done = writ("compile", "model.json", "-o", "model.bundle", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    open_bundle(tmp_path / "model.bundle").verify()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.bundle", "model.json"]


def test_the_same_model_gives_the_same_bytes_from_other_files(tmp_path):
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    split = tmp_path / "split"
    split.mkdir()
    for number, name in enumerate(("policies", "resource_types")):
        (split / f"{number}.json").write_text(json.dumps({"model": 1, name: MODEL[name]}))
    writ("compile", "model.json", "-o", "one.bundle", cwd=tmp_path)
    writ("compile", "split", "-o", "two.bundle", cwd=tmp_path)
    assert (tmp_path / "one.bundle").read_bytes() == (tmp_path / "two.bundle").read_bytes()


def test_a_model_with_errors_leaves_the_bundle_that_is_there(tmp_path):
    (tmp_path / "model.json").write_text('{"model": 2}')
    (tmp_path / "model.bundle").write_text("old")
    done = writ("compile", "model.json", "-o", "model.bundle", cwd=tmp_path)
    assert done.returncode == 1
    assert b"error[" in done.stderr
    assert (tmp_path / "model.bundle").read_text() == "old"


def test_warnings_are_shown_and_the_bundle_is_written(tmp_path):
    deny = {**MODEL["policies"][0], "id": "d", "effect": "DENY"}
    (tmp_path / "model.json").write_text(json.dumps({**MODEL, "policies": [*MODEL["policies"], deny]}))
    done = writ("compile", "model.json", "-o", "model.bundle", cwd=tmp_path)
    assert done.returncode == 0
    assert b"warning[deny-priority]" in done.stderr
    assert b"warning[allow-everyone]" in done.stderr
    assert b"3 warnings" in done.stderr


def test_an_output_that_can_not_be_written_is_exit_code_2(tmp_path):
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    done = writ("compile", "model.json", "-o", "none/model.bundle", cwd=tmp_path)
    assert done.returncode == 2
    assert b"none" in done.stderr
    assert b"Traceback" not in done.stderr
