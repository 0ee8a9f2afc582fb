"""`writ check`: diagnostics with places, as text and as JSON, and exit codes."""

import json

from tests.support.command import writ

GOOD = "model: 1\nresource_types: [{id: document, actions: [read]}]\n"
BAD = """\
model: 1
resource_types: [{id: document, actions: [read]}]
policies:
  - {id: p, effect: ALOW, resource_types: [{resource_type_id: document, actions: [read]}]}
  - {id: q, effect: ALLOW, resource_types: [{resource_type_id: documnt, actions: [raed]}]}
"""


def test_a_good_model(tmp_path):
    (tmp_path / "good.yaml").write_text(GOOD)
    done = writ("check", tmp_path / "good.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"no findings\n")


def test_every_error_at_once_with_its_place(tmp_path):
    (tmp_path / "bad.yaml").write_text(BAD)
    done = writ("check", "bad.yaml", cwd=tmp_path)
    assert done.returncode == 1
    text = done.stdout.decode()
    assert "bad.yaml:4:21: error[" in text
    assert "did you mean `ALLOW`?" in text
    assert "did you mean `document`?" in text
    assert b"\x1b" not in done.stdout + done.stderr, "no colours in a pipe"


def test_json_for_machines(tmp_path):
    (tmp_path / "bad.yaml").write_text(BAD)
    done = writ("check", "--format", "json", "bad.yaml", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert all(row.keys() == {"code", "severity", "message", "file", "line", "column", "path", "help"} for row in found)
    assert found[0]["path"] == "$.policies[0].effect"
    assert (found[0]["line"], found[0]["severity"]) == (4, "error")


def test_no_findings_are_an_empty_list(tmp_path):
    (tmp_path / "good.yaml").write_text(GOOD)
    assert json.loads(writ("check", "--format", "json", tmp_path / "good.yaml").stdout) == []


def test_a_folder_is_read_as_one_model(tmp_path):
    (tmp_path / "a.yaml").write_text(GOOD)
    (tmp_path / "b.json").write_text(
        json.dumps(
            {
                "model": 1,
                "policies": [
                    {
                        "id": "p",
                        "effect": "ALLOW",
                        "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
                    }
                ],
            }
        )
    )
    assert writ("check", tmp_path).returncode == 0


def test_what_can_not_be_read_is_exit_code_2(tmp_path):
    (tmp_path / "empty").mkdir()
    for source in ("none.yaml", "empty"):
        done = writ("check", source, cwd=tmp_path)
        assert done.returncode == 2
        assert source.encode() in done.stderr
        assert b"Traceback" not in done.stderr
    assert writ("check").returncode == 2
