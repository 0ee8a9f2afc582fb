"""A process that has no mirror waits for the row of progress, and only for one of its environment (F8)."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from writ import FollowError
from writ.mirror import TableMirror
from writ.mirror.progress import Progress
from writ.sqlalchemy import grants_table

UUID, OTHER = "0" * 8 + "-0000-0000-0000-" + "0" * 12, "1" * 8 + "-0000-0000-0000-" + "0" * 12
GRANTS = grants_table(sa.MetaData())


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sa.Engine]:
    made = sa.create_engine(f"sqlite:///{tmp_path / 'app.db'}")
    yield made
    made.dispose()


def note(database: sa.Engine, token: str | None) -> None:
    """Does what the mirror does at a revision."""
    progress = Progress(database, GRANTS)
    progress.prepare()
    with database.begin() as connection:
        progress.note(connection, token)


def test_it_waits_until_the_row_has_the_revision(database: sa.Engine) -> None:
    mirror = TableMirror(database, GRANTS)
    mirror.wait(None)
    with pytest.raises(FollowError, match="has not the revision"):
        mirror.wait(f"{UUID}.0.1", timeout=0)
    waiting = [threading.Thread(target=mirror.wait, args=(f"{UUID}.0.2", 60)) for _ in range(3)]
    for one in waiting:
        one.start()
    note(database, f"{UUID}.0.1")
    mirror.wait(f"{UUID}.0.1")
    assert all(one.is_alive() for one in waiting)
    note(database, f"{UUID}.0.3")
    for one in waiting:
        one.join(60)
        assert not one.is_alive()


@pytest.mark.parametrize(
    ("token", "sentence"),
    [(f"{OTHER}.1.1", "another environment"), (f"{UUID}.0.1", "a backup was restored"), ("1", "no revision token")],
)
def test_it_does_not_wait_for_what_never_comes(database: sa.Engine, token: str, sentence: str) -> None:
    note(database, f"{UUID}.1.1")
    with pytest.raises(FollowError, match=sentence):
        TableMirror(database, GRANTS).wait(token, timeout=60)


def test_a_database_that_takes_no_table_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sa.create_engine(f"sqlite:///{tmp_path / 'app.db'}").connect().close()
    progress = Progress(sa.create_engine(f"sqlite:///file:{tmp_path / 'app.db'}?mode=ro&uri=true"), GRANTS)
    with caplog.at_level(logging.WARNING):
        progress.prepare()
        progress.prepare()
    assert caplog.text.count("can't be made") == 1
