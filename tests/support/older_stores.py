"""Stores of earlier versions: kept files that each program left, and what turns a store back to an earlier schema.

`python -m tests.support.older_stores` keeps a store of the version that this program writes.
"""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from writ.api.store.database.opening import FILE
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.environment_ids import DEFAULT
from writ.api.store.store import Store
from writ.compiler.source import Source

from tests.support.stored import ACTOR

KEPT: Final = Path(__file__).parents[1] / "api" / "store" / "database" / "stores"
"""The folder of kept stores, `1.db.gz` and so on, and `model.yaml`, the model that each of them has."""

_UNDONE: Final = {
    3: "DROP TABLE clients; DROP TABLE api_keys; DROP TABLE revoked_tokens; DROP TABLE credential_generation;",
    4: "DROP TABLE audit; DROP TABLE audit_seals; DROP TABLE audit_refusals;",
    5: "DROP TABLE policy_patterns;",
    6: "DROP TABLE bundle_exports;",
    7: """
        DROP INDEX changes_by_promotion; DROP INDEX changes_of_policies;
        ALTER TABLE environments DROP COLUMN description; ALTER TABLE environments DROP COLUMN promotion_only;
        ALTER TABLE environments DROP COLUMN approvals; ALTER TABLE environments DROP COLUMN baseline;
        ALTER TABLE environments DROP COLUMN provenance; ALTER TABLE changes DROP COLUMN origin;
        DROP TABLE promotions; DROP TABLE credential_makers;
    """,
    8: """
        DROP INDEX assignments_by_expiry; DROP INDEX grants_by_expiry;
        ALTER TABLE assignments DROP COLUMN expires; ALTER TABLE grants DROP COLUMN expires;
    """,
    12: "DROP INDEX audit_of_actor;",
    10: """
        DROP TABLE attributes; DROP TABLE lints; DROP INDEX changes_of_policies;
        CREATE INDEX changes_of_policies ON changes (environment, revision) WHERE
            json_type(summary, '$.resource_types') IS NOT NULL OR json_type(summary, '$.roles') IS NOT NULL
            OR json_type(summary, '$.policies') IS NOT NULL OR json_type(summary, '$.routes') IS NOT NULL;
    """,
    11: "DROP TABLE policy_tests;",
    13: "DROP TABLE credential_uses;",
    9: """
        DROP TABLE routes; DROP TABLE route_orders; ALTER TABLE environments DROP COLUMN gateway;
        DROP INDEX changes_of_policies;
        CREATE INDEX changes_of_policies ON changes (environment, revision) WHERE
            json_type(summary, '$.resource_types') IS NOT NULL OR json_type(summary, '$.roles') IS NOT NULL
            OR json_type(summary, '$.policies') IS NOT NULL;
    """,
}
"""What takes back the migration to each version."""


def turn_back(directory: Path, version: int) -> None:
    """Undo the migrations after a version in the store of a directory."""
    with closing(sqlite3.connect(directory / FILE)) as db:
        for undone in range(len(MIGRATIONS), version, -1):
            db.executescript(_UNDONE[undone])
        db.execute(f"PRAGMA user_version = {version}")


def put_kept_store(version: int, directory: Path) -> None:
    """Make a directory with the kept store of a version. A program of that version wrote it."""
    directory.mkdir(mode=0o700)
    (directory / FILE).write_bytes(gzip.decompress((KEPT / f"{version}.db.gz").read_bytes()))


def keep_store() -> Path:
    """Keep a store of the newest version, for the tests of all later ones. Returns its file."""
    document = KEPT / "model.yaml"
    with TemporaryDirectory() as folder:
        store = Store.open(Path(folder))
        store.put_model(DEFAULT, ACTOR, [Source(document.name, document.read_bytes())])
        store.close()
        with closing(sqlite3.connect(store.path)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
        kept = KEPT / f"{len(MIGRATIONS)}.db.gz"
        kept.write_bytes(gzip.compress(store.path.read_bytes(), mtime=0))
    return kept


if __name__ == "__main__":
    print(keep_store())
