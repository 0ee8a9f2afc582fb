"""The tables of changes, of published bundles, and of promotions."""

from typing import Final

HISTORY: Final = """
CREATE TABLE changes (
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    time TEXT NOT NULL,
    actor TEXT NOT NULL,
    summary TEXT NOT NULL,
    delta BLOB,
    origin TEXT,
    PRIMARY KEY (environment, revision)
) STRICT;
CREATE INDEX changes_by_promotion ON changes (environment, revision) WHERE origin IS NOT NULL;
CREATE INDEX changes_of_policies ON changes (environment, revision) WHERE json_type(summary, '$.extensions')
    IS NOT NULL OR json_type(summary, '$.requests') IS NOT NULL OR json_type(summary, '$.resource_types')
    IS NOT NULL OR json_type(summary, '$.roles') IS NOT NULL OR json_type(summary, '$.policies') IS NOT NULL
    OR json_type(summary, '$.routes') IS NOT NULL OR json_type(summary, '$.attributes') IS NOT NULL
    OR json_type(summary, '$.lints') IS NOT NULL;
CREATE TABLE change_entries (
    environment INTEGER NOT NULL, revision INTEGER NOT NULL, chunk INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (environment, revision, chunk),
    FOREIGN KEY (environment, revision) REFERENCES changes (environment, revision)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE TABLE route_orders (
    environment INTEGER NOT NULL, revision INTEGER NOT NULL, ids BLOB NOT NULL,
    PRIMARY KEY (environment, revision),
    FOREIGN KEY (environment, revision) REFERENCES changes (environment, revision)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE TABLE bundles (
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    file TEXT NOT NULL,
    PRIMARY KEY (environment, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE promotions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    id TEXT NOT NULL UNIQUE,
    pending INTEGER NOT NULL,
    body TEXT NOT NULL,
    content BLOB,
    people BLOB
) STRICT;
CREATE INDEX promotions_in_environment ON promotions (environment, number);
CREATE INDEX promotions_pending ON promotions (environment) WHERE pending = 1;
"""
"""The changes, each with its elements.

- `origin` tells which promotion or restoration made a revision.
- `route_orders` has the ids of all routes in order, packed, as they were before a revision that did more to their list
  than add to its end.
- `content` of a promotion is the policy model that waits for an approval, and `people` who gains and who loses.
"""

BUNDLES: Final = """
DROP TABLE bundles;
CREATE TABLE bundles (
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    folder TEXT NOT NULL,
    revision INTEGER NOT NULL,
    file TEXT NOT NULL,
    PRIMARY KEY (environment, folder, revision)
) STRICT, WITHOUT ROWID;
"""
"""The bundles of the servers on one database. A start builds those again that are dropped here.

`folder` is the id of the server's folder that has the file (see `StoreConnections.folder`).
"""
