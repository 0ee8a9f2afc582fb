"""The tables by which the servers on one database of PostgreSQL know of each other."""

from typing import Final

from ...errors import StoreUnavailable
from ..newest_format import STORE_FORMAT

FORMAT_TABLE: Final = """
CREATE TABLE writ_format (number bigint NOT NULL, least bigint NOT NULL);
INSERT INTO writ_format VALUES (0, 0);
"""
"""The format of the store in one row, and the least one whose programs may go on with it."""

READ_FORMAT: Final = "SELECT number, least FROM writ_format"

LEASE_TABLES: Final = """
CREATE SEQUENCE commit_tickets;
CREATE SEQUENCE lease_numbers;
CREATE TABLE servers (
    id text COLLATE "C" PRIMARY KEY,
    number bigint NOT NULL,
    confirmed bigint NOT NULL,
    lease bigint NOT NULL,
    folder text COLLATE "C"
);
CREATE TABLE duties (
    task text COLLATE "C" PRIMARY KEY,
    holder text COLLATE "C" NOT NULL,
    name text NOT NULL,
    number bigint NOT NULL,
    lease bigint NOT NULL
);
CREATE TABLE primary_line (
    single boolean PRIMARY KEY CHECK (single),
    system bigint NOT NULL,
    timeline bigint NOT NULL,
    database bigint NOT NULL,
    noted bigint NOT NULL,
    began bigint NOT NULL
);
CREATE TABLE store_identity (id uuid NOT NULL);
INSERT INTO store_identity VALUES (gen_random_uuid());
CREATE TABLE server_traces (
    id text COLLATE "C" PRIMARY KEY,
    number bigint NOT NULL
);
"""
"""The servers, with the numbers of `ServerRow`, the duties as `DutyRow`, and in one row the primary that wrote last.

`noted` is the transaction that wrote this row, `database` the number of the database in its cluster. A row that came
from a dump was written by another transaction, and one in a copied database names the other database. `server_traces`
has the number of the last lease of each data directory: a copy of the disk has an older one. `store_identity` has one
row, which each dump and copy of the store carries: numbers of two stores say nothing about each other.
`folder` names the folder of a server's bundles, as `bundles` does.
"""

UNANSWERED: Final = """
CREATE TABLE unanswered (
    environment bigint NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    revision bigint NOT NULL,
    PRIMARY KEY (environment, revision)
);
CREATE FUNCTION note_unanswered() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO unanswered VALUES (NEW.environment, NEW.revision); RETURN NULL; END
$$;
CREATE TRIGGER note_unanswered AFTER INSERT ON changes
FOR EACH ROW WHEN (NEW.delta IS NULL) EXECUTE FUNCTION note_unanswered();
"""
"""The commits without a delta that no writer may have answered yet. See `CONSISTENCY.md` of `api/store/leases`.

A trigger notes them, so that a commit is never without its row. The writer that answers removes the rows first.
"""

ANSWER_ALL: Final = "DELETE FROM unanswered"
"""For a copy of another store, whose commits were answered there."""

KEY_TABLES: Final = """
CREATE TABLE shared_secrets (
    name text COLLATE "C" PRIMARY KEY,
    secret bytea NOT NULL
);
CREATE TABLE server_keys (
    server text COLLATE "C" NOT NULL,
    name text NOT NULL,
    seen double precision NOT NULL,
    kind text COLLATE "C" NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    signs bigint NOT NULL,
    PRIMARY KEY (server, kind, key_id)
);
"""
"""Secrets that all servers have, and the ids of the keys of each server, with the epoch seconds of its last word."""


def newer_format(number: int) -> str:
    """Returns what is wrong with a store of a newer format."""
    return f"has format {number}, and this version of Writ reads up to {STORE_FORMAT}; use a newer version"


def refuse_newer(number: int, least: int) -> None:
    """Raises StoreUnavailable if a newer program has upgraded the store, and this one can't go on with it."""
    if least > STORE_FORMAT:
        raise StoreUnavailable(f"the store {newer_format(number)}")
