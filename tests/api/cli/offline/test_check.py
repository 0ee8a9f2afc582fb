"""`writ check`: diagnostics with places, as text and as JSON, and exit codes."""

import json

import pytest

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


WARNED = GOOD + (
    "policies: [{id: p, effect: ALLOW, resource_types: [{resource_type_id: document, actions: [read]}]}]\n"
)


def test_strict_fails_for_warnings(tmp_path):
    (tmp_path / "warned.yaml").write_text(WARNED)
    (tmp_path / "good.yaml").write_text(GOOD)
    assert writ("check", tmp_path / "warned.yaml").returncode == 0
    assert writ("check", "--strict", tmp_path / "warned.yaml").returncode == 1
    assert writ("check", "--strict", tmp_path / "good.yaml").returncode == 0


@pytest.mark.parametrize(
    ("text", "form"), [(GOOD, "yaml"), (' \n{"model": 1}', "json"), ('\ufeff{"model": 1}', "json")]
)
def test_standard_input_is_guessed_and_that_is_said(text, form):
    done = writ("check", "-", stdin=text.encode())
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == (f"standard input is read as {form}; name another form with --as\nno findings\n")


def test_standard_input_in_a_named_form():
    done = writ("check", "-", "--as", "json", stdin=GOOD.encode())
    assert done.returncode == 1
    assert done.stdout.startswith(b"stdin.json:1:1: error[syntax]")
    assert b"read as" not in done.stderr


def test_standard_input_joins_the_files(tmp_path):
    (tmp_path / "good.yaml").write_text(GOOD)
    more = "model: 1\nresource_types: [{id: document, actions: [read]}]\n"
    done = writ("check", "good.yaml", "-", "--as", "yaml", stdin=more.encode(), cwd=tmp_path)
    assert done.returncode == 1
    assert b"error[duplicate-id]" in done.stdout


@pytest.mark.parametrize("arguments", [["-", "-"], ["good.yaml", "--as", "yaml"], ["-", "--as", "toml"]])
def test_standard_input_used_wrongly(tmp_path, arguments):
    (tmp_path / "good.yaml").write_text(GOOD)
    assert writ("check", *arguments, cwd=tmp_path).returncode == 2


@pytest.mark.parametrize("form", ["sarif", "github", "junit"])
def test_formats_keep_the_exit_codes(tmp_path, form):
    (tmp_path / "bad.yaml").write_text(BAD)
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "warned.yaml").write_text(WARNED)
    for name, strict, code in (
        ("bad", [], 1),
        ("good", ["--strict"], 0),
        ("warned", [], 0),
        ("warned", ["--strict"], 1),
    ):
        done = writ("check", "--format", form, *strict, tmp_path / f"{name}.yaml")
        assert done.returncode == code
        assert done.stderr == b""
