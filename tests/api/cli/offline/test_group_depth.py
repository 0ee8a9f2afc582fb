"""Commands that check models read the depth of nested groups from `WRIT_MAX_GROUP_DEPTH`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from writ.api.cli.main import writ

GROUPS = [{"id": f"g{number}", "members": [{"group": f"g{number - 1}"}] if number else []} for number in range(5)]


@pytest.mark.parametrize("command", ["check", "compile"])
def test_the_depth_is_a_setting(tmp_path: Path, command: str) -> None:
    source = tmp_path / "model.json"
    source.write_text(json.dumps({"model": 1, "groups": GROUPS}))
    asked = [command, str(source)] + (["-o", str(tmp_path / "model.bundle")] if command == "compile" else [])
    for depth, code, said in (
        ("5", 0, ""),
        ("4", 1, "5 in a chain, the limit is 4"),
        ("deep", 2, "WRIT_MAX_GROUP_DEPTH"),
    ):
        found = CliRunner(env={"WRIT_MAX_GROUP_DEPTH": depth}).invoke(writ, asked)
        assert (found.exit_code == 0) == (code == 0), found.output
        assert said in found.output
        assert not isinstance(found.exception, ValueError)
