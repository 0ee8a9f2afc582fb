"""The tables of the audit log, and the counts that wait for their entry in it."""

from typing import Final

ACTOR_OF_ENTRY: Final = "json_extract(body, '$.actor')"
"""The actor of an audit entry, exactly as the index has it: else SQLite would not use the index."""

AUDIT: Final = f"""
CREATE TABLE audit (
    number INTEGER PRIMARY KEY, body TEXT NOT NULL, digest BLOB NOT NULL,
    time TEXT NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.time')) VIRTUAL,
    event TEXT NOT NULL GENERATED ALWAYS AS (json_extract(body, '$.event')) VIRTUAL,
    client TEXT GENERATED ALWAYS AS (json_extract(body, '$.client_id')) VIRTUAL,
    acting_client TEXT GENERATED ALWAYS AS (json_extract(body, '$.acting_client')) VIRTUAL
) STRICT;
CREATE INDEX audit_in_time ON audit (time, number);
CREATE INDEX audit_of_event ON audit (event, time, number);
CREATE INDEX audit_of_client ON audit (client, time, number) WHERE client IS NOT NULL;
CREATE INDEX audit_by_client ON audit (acting_client, time, number) WHERE acting_client IS NOT NULL;
CREATE INDEX audit_of_actor ON audit ({ACTOR_OF_ENTRY}, time, number);
CREATE TABLE audit_seals (
    purpose TEXT NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
    time TEXT NOT NULL, key TEXT NOT NULL, signature BLOB NOT NULL,
    PRIMARY KEY (purpose, number)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
CREATE TRIGGER audit_grows BEFORE INSERT ON audit
    WHEN NEW.number <> coalesce((SELECT max(number) FROM audit), 0) + 1
    BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
    WHEN OLD.number > coalesce((SELECT max(number) FROM audit_seals WHERE purpose = 'checkpoint'), 0)
    BEGIN SELECT RAISE(ABORT, 'the audit log only grows'); END;
CREATE TABLE audit_refusals (
    minute INTEGER NOT NULL, event TEXT NOT NULL, client TEXT NOT NULL, address TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (minute, event, client, address)
) STRICT, WITHOUT ROWID;
"""
"""The audit log. `body` is an entry in JSON. The columns of the indexes are computed from it, so they can't differ.

`audit_refusals` counts refused attempts until their minute has ended. Empty text means no value.
"""

EXPORTS: Final = """
CREATE TABLE bundle_exports (
    hour INTEGER NOT NULL, actor TEXT NOT NULL, client TEXT NOT NULL, address TEXT NOT NULL,
    environment TEXT NOT NULL, uuid TEXT NOT NULL, what TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (hour, actor, client, address, environment, uuid, what)
) STRICT, WITHOUT ROWID;
"""
"""Counts of exported bundles and updates until their hour has ended. Empty text means no value."""
