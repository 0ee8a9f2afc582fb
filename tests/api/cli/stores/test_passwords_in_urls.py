"""The password in the URL of a store is in no output of a command, whatever characters it has."""

from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import quote

import pytest

from tests.support.command import writ

PASSWORDS = [
    "p%SECRET",
    "p@SECRET",
    "12/SECRET",
    "SECRET/a",
    "12:SECRET",
    "p#SECRET",
    "12?a=SECRET",
    "p SECRET",
    "%3ASECRET",
]
COMMANDS = [
    ("doctor",),
    ("export",),
    ("import", "model.yaml"),
    ("keys", "list"),
    ("clients", "list"),
    ("audit", "show"),
    ("audit", "verify"),
    ("takeover",),
    ("upgrade",),
    ("backup", "copy"),
    ("publish", "site"),
]


def assert_untold(done: CompletedProcess[bytes]) -> None:
    said = (done.stdout + done.stderr).decode()
    assert done.returncode != 0
    assert "SECRET" not in said
    assert "Traceback" not in said


@pytest.mark.parametrize("password", PASSWORDS)
def test_serve_copy_store_and_export_tell_no_password(password: str, tmp_path: Path) -> None:
    """Port 1 has no database."""
    for word in (password, quote(password, safe="")):
        url = f"postgresql://writ:{word}@127.0.0.1:1/writ"
        assert_untold(writ("serve", "--data", tmp_path / "data", "--store", url))
        assert_untold(writ("copy-store", url, tmp_path / "copy"))
        assert_untold(writ("export", cwd=tmp_path, settings={"WRIT_STORE": url}))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_each_command_on_a_store_tells_no_password(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "model.yaml").write_text("model: 1\n")
    for password in ("p%SECRET", "12/SECRET", "SECRET"):
        url = f"postgresql://writ:{password}@127.0.0.1:1/writ"
        assert_untold(writ(*words, cwd=tmp_path, settings={"WRIT_STORE": url}))


@pytest.mark.parametrize("parameter", ["SECRET=1", "sslmode=1&SECRET=1"])
def test_a_parameter_that_the_driver_does_not_know_is_told_without_it(parameter: str, tmp_path: Path) -> None:
    settings = {"WRIT_STORE": f"postgresql://writ@127.0.0.1:1/writ?{parameter}"}
    for words in (("serve",), ("doctor",), ("export",), ("copy-store", settings["WRIT_STORE"], "copy")):
        assert_untold(writ(*words, cwd=tmp_path, settings=settings))
