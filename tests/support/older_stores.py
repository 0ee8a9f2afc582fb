"""Turns a store back to the schema of an earlier version, as an older program left it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from writ.api.store.database.opening import FILE
from writ.api.store.database.schema import MIGRATIONS

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
    10: """
        DROP TABLE attributes; DROP TABLE lints; DROP INDEX changes_of_policies;
        CREATE INDEX changes_of_policies ON changes (environment, revision) WHERE
            json_type(summary, '$.resource_types') IS NOT NULL OR json_type(summary, '$.roles') IS NOT NULL
            OR json_type(summary, '$.policies') IS NOT NULL OR json_type(summary, '$.routes') IS NOT NULL;
    """,
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
