"""The table of the data directory: it names all that is in one, and so all that an operator may have to keep."""

import json
import re
from pathlib import Path

from tests.support.command import writ
from tests.support.pages import ROOT
from tests.support.server import running

PAGE = ROOT / "api" / "REFERENCE.md"
MASKS = json.dumps({"*": [{"path": "$.subject.id", "do": "hash"}]})


def rows() -> list[str]:
    """The names in the first column of the table. A name that ends with `…` is the beginning of one."""
    text = PAGE.read_text().partition("## Files of the data directory")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ") and "`" in line]
    return [name.removesuffix("/") for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def is_listed(name: str, listed: list[str]) -> bool:
    return any(name.startswith(one[:-1]) if one.endswith("…") else name == one for one in listed)


def whole_files(folder: Path) -> set[str]:
    """The names in a folder, but those of files that are being written and get their own name then."""
    return {one.name for one in folder.iterdir() if re.search(r"\.[0-9a-f]{16}$", one.name) is None}


def test_the_table_lists_all_that_a_data_directory_has(tmp_path: Path, model_file: Path) -> None:
    """A directory in which a service did everything that leaves a file, while it runs and afterwards."""
    data, backup, found = tmp_path / "data", tmp_path / "backup.db", set[str]()
    log = ("--decision-log", str(tmp_path / "decisions.jsonl"))
    settings = {"WRIT_DECISION_LOG_MASKS": MASKS, "WRIT_ADMIN_KEY": ""}
    with running(data, "--import", str(model_file), *log, settings=settings) as server:
        server.key = (data / "admin-key").read_text().strip()
        assert writ("keys", "rotate", "--kind", "bundle", "--data", data).returncode == 0
        with server.client() as client:
            assert client.get("/v1/environments/default/bundle").status_code == 200
        (tmp_path / "published").mkdir()
        assert writ("publish", tmp_path / "published", "--data", data).returncode == 0
        assert writ("backup", backup, "--data", data).returncode == 0
        found |= whole_files(data)
    assert writ("restore", backup, "--data", data).returncode == 0
    with running(data):
        found |= whole_files(data)
    listed = rows()
    assert {one for one in found if not is_listed(one, listed)} == set()
    assert found >= {
        "last-backup",
        "decision-log.key",
        "exports",
        "audit-head.replaced",
        "writ.db.replaced",
        "writ.db-commits",
    }
