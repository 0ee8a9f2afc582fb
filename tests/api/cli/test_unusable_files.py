"""Each command with a file that the system refuses: one sentence with the path, and no traceback."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from writ.api.cli.main import COMMANDS, writ

LONG: Final = "x" * 300
"""A name for which no system has a file. To ask whether it exists is an error already, whoever asks."""

URL: Final = ("--url", "http://127.0.0.1:9", "--token-file", LONG)

LINES: Final[Mapping[str, Sequence[str]]] = {
    "admin-key": ("--data", LONG),
    "agent": ("--bundle", LONG, "--unsigned", "--bind", "127.0.0.1:0"),
    "audit": ("--data", LONG),
    "backup": ("copy.db", "--data", LONG),
    "check": (LONG,),
    "clients": ("--data", LONG),
    "compile": (LONG, "-o", "model.bundle"),
    "convert": (LONG, "--as", "json"),
    "copy-store": (LONG, "other"),
    "decide": (LONG,),
    "diff": (LONG, LONG),
    "doctor": ("--data", LONG),
    "drift": ("--data", LONG),
    "environments": ("--data", LONG),
    "explain": (LONG,),
    "export": ("--data", LONG),
    "filter": (LONG,),
    "fmt": (LONG,),
    "import": (LONG, "--data", LONG),
    "inspect": (LONG,),
    "keys": ("--data", LONG),
    "promote": ("--from", "a", "--to", "b", "--data", LONG),
    "publish": ("folder", "--data", LONG),
    "push": (LONG, *URL),
    "reconcile": (LONG, "--resource-type", "t", *URL),
    "rename": ("role", "a", "b", LONG),
    "replay": (LONG, LONG),
    "restore": (LONG, "--data", LONG),
    "rollback": ("1", "--data", LONG),
    "routes": ("import", LONG),
    "serve": ("--data", LONG, "--bind", "127.0.0.1:0"),
    "takeover": ("--data", LONG),
    "test": (LONG,),
    "upgrade": ("--data", LONG),
    "who-can": (LONG, "--action", "read", "--resource", "document"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_which_file_it_cannot_use(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WRIT_TOKEN", raising=False)
    done = CliRunner().invoke(writ, [name, *LINES[name]])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (1, 2)
    assert LONG in done.output, done.output
    assert "[Errno" not in done.output
