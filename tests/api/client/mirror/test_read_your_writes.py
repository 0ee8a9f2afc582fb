"""A list has a share as soon as the mirror has waited for its token, at a real service (contract 3, F8)."""

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
import writ.mirror
from writ import Client, FollowError
from writ.sqlalchemy import authorized, grants_table

from tests.support.command import writ as command
from tests.support.server import KEY, running

pytestmark = pytest.mark.service

ROUNDS = 30
ALICE = {"type": "user", "id": "alice"}


WAITS = """
import sys
import sqlalchemy as sa
import writ.mirror
from writ.sqlalchemy import grants_table
database, grants = sa.create_engine(sys.argv[1]), grants_table(sa.MetaData())
writ.mirror.TableMirror(database, grants).wait(sys.argv[2], timeout=60)
with database.connect() as connection:
    print(connection.scalar(sa.select(sa.func.count()).select_from(grants)))
"""


def check_another_process(client: Client, url: str, document: dict[str, str]) -> None:
    """A process without a mirror waits for the one that has it, by the database."""
    token = client.grants.share(document, ["read", "update"], subject=ALICE).revision
    assert token is not None
    ended = subprocess.run([sys.executable, "-c", WAITS, url, token], capture_output=True, text=True, check=False)
    assert (ended.stdout.strip(), ended.stderr) == (str(ROUNDS + 1), "")
    client.grants.unshare(document, subject=ALICE)


def test_a_share_is_in_the_list_when_the_mirror_has_waited_for_it(tmp_path: Path) -> None:
    """Without the wait, 28 of 30 lists lacked the document that had just been shared."""
    metadata = sa.MetaData()
    documents = sa.Table("document", metadata, sa.Column("id", sa.String(20), primary_key=True))
    grants = grants_table(metadata)
    database = sa.create_engine(f"sqlite:///{tmp_path / 'app.db'}")
    metadata.create_all(database)
    with database.begin() as connection:
        connection.execute(sa.insert(documents), [{"id": str(number)} for number in range(ROUNDS)])
    model = tmp_path / "model.writ"
    model.write_text("type document\n    actions read, update\n")
    with running(tmp_path / "data", "--import", str(model)) as service, Client(service.url, token=KEY) as client:
        command("keys", "rotate", "--kind", "bundle", "--data", tmp_path / "data")
        pem = command("keys", "--kind", "bundle", "--data", tmp_path / "data").stdout
        options = {"environment": "default", "keys": pem, "token": KEY}
        with writ.mirror.keep(service.url, database, grants, **options) as (following, mirror):
            for number in range(ROUNDS):
                document = {"type": "document", "id": str(number)}
                mirror.wait(client.grants.share(document, ["read"], subject=ALICE).revision)
                query = authorized(sa.select(documents.c.id), following.engine, ALICE, "read", mirror=grants)
                with database.connect() as connection:
                    assert len(connection.scalars(query).all()) == number + 1
            mirror.wait(client.grants.unshare(document, subject=ALICE).revision)
            with database.connect() as connection:
                assert len(connection.scalars(query).all()) == ROUNDS - 1
            mirror.wait(client.grants.unshare(document, subject=ALICE).revision)
            check_another_process(client, f"sqlite:///{tmp_path / 'app.db'}", document)
            uuid, epoch, revision = str(mirror.revision_token).split(".")
            with pytest.raises(FollowError, match="is not in force after"):
                mirror.wait(f"{uuid}.{epoch}.{int(revision) + 9}", timeout=0.05)
    database.dispose()
