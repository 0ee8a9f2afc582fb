"""`writ takeover` of a database: it counts as another copy from then on, unless servers still use it."""

import json
import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from writ.api.identity.keys.folder import BUNDLE_FOLDER, KeyFolder
from writ.api.store.actor import COMMAND_LINE, command_actor
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.elements.edits import Create
from writ.api.store.leases.database_users import without_lease
from writ.api.store.leases.keeper import Keeper
from writ.api.store.leases.lease_cell import LeaseCell
from writ.api.store.leases.lease_connection import connecting
from writ.api.store.leases.lengths import lease_ns
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.stored import ENV
from tests.support.waiting import wait_until

LEASE = 1.0


@pytest.fixture
def url(postgresql: str, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with a store of one revision."""
    with psycopg.connect(postgresql, autocommit=True) as control:
        control.execute("CREATE DATABASE taken")
        found = f"postgresql://writ@/taken?host={conninfo_to_dict(postgresql)['host']}"
        with closing(Store.open(tmp_path / "made", server=without_lease(found))) as store:
            store.write(ENV, COMMAND_LINE, [Create("roles", {"id": "first"})])
        yield found
        control.execute("DROP DATABASE taken WITH (FORCE)")


def answer(url: str, *words: str | Path) -> tuple[int, bytes, str]:
    """The exit code of the command on the database, and what it writes."""
    done = writ("takeover", *words, settings={"WRIT_STORE": url, "WRIT_LEASE_SECONDS": str(LEASE)})
    return done.returncode, done.stdout, done.stderr.decode()


def taken_over(url: str, *words: str | Path) -> dict[str, Any]:
    code, written, said = answer(url, "--format", "json", *words)
    assert code == 0, said
    found = json.loads(written)
    assert isinstance(found, dict)
    return found


def test_each_takeover_begins_an_epoch_above_all_others(url: str, tmp_path: Path) -> None:
    data, target = tmp_path / "data", tmp_path / "published"
    data.mkdir(mode=0o700)
    KeyFolder(data, BUNDLE_FOLDER).make_first("EdDSA")
    found = [taken_over(url, "--data", data, "--publish", target) for _ in range(2)]
    (first,), (second,) = (one["environments"] for one in found)
    assert (first["revision"], second["revision"]) == (1, 1)
    assert first["time"].endswith("Z")
    assert 1 < first["epoch"] < second["epoch"]
    assert found[1]["published"][0]["epoch"] == second["epoch"]
    with closing(Store.open(data, server=without_lease(url))) as store:
        assert store.environment(ENV).epoch == second["epoch"]
        entries, _ = store.audit.page(EntryFilter(event=Event.STORE_RESTORED), None, 10)
    assert [(one.entry.actor, one.entry.details) for one in entries] == [
        (command_actor().name, {"cause": "takeover"})
    ] * 2


def test_it_says_what_is_lost_and_what_is_valid_again(url: str, tmp_path: Path) -> None:
    code, _, said = answer(url, "--data", tmp_path / "data")
    assert code == 0
    assert "What came after these revisions is lost" in said
    assert "default: revision 1 of " in said
    assert "revoked tokens too" in said


def test_it_is_refused_while_a_server_has_a_lease(url: str, tmp_path: Path) -> None:
    keeper = Keeper("one", connecting(url, LEASE), lambda: None, LeaseCell(), logging.getLogger("tests"), LEASE)
    keeper.start()
    with psycopg.connect(url, autocommit=True) as db:
        assert wait_until(lambda: db.execute("SELECT count(*) FROM servers").fetchone() == (1,))
        code, _, said = answer(url, "--data", tmp_path / "data")
        assert (code, "stop all servers" in said) == (2, True)
        assert db.execute("SELECT epoch FROM environments").fetchone() == (1,)
        keeper.stop()
        db.execute("INSERT INTO servers VALUES ('killed', 1, 0, %s)", [lease_ns(LEASE)])
        assert answer(url, "--data", tmp_path / "data")[0] == 0
        assert db.execute("SELECT id FROM servers").fetchall() == [("unknown",)]


def test_a_file_and_a_database_are_not_mixed_up(url: str, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_bytes(b"")
    code, _, said = answer(url, tmp_path / "copy.db", "--data", tmp_path / "data")
    assert (code, "leave one of them out" in said) == (2, True)
    done = writ("takeover", "--data", tmp_path / "data")
    assert (done.returncode, b"name the FILE" in done.stderr) == (2, True)
