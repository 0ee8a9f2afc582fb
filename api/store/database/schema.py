"""The tables of the store, and the migrations that bring an older database up to date, one per step.

The row of an element has a `place`: environment * 2**40 + its position in its list. So a list is read in order and
grows at its end. The row also has the revision that last changed the element (`version`), its JSON (`body`), its key,
and the columns of its indexes.
"""

import msgspec
from sqlite_utils import Database

from ....bundles.conditions.instants import parse_instant, seconds_not_before
from ....compiler.checks.pattern_sizes import pattern_sizes
from ....compiler.model.elements import Policy
from .audit_by_actor import add_audit_actors
from .credential_use_table import add_credential_uses
from .policy_test_table import add_policy_tests

PLACE_BITS = 40

_ROW = """place INTEGER PRIMARY KEY,
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    body BLOB NOT NULL"""

_TYPE = "REFERENCES resource_types (environment, id) DEFERRABLE INITIALLY DEFERRED"
_ROLE = "REFERENCES roles (environment, id) DEFERRABLE INITIALLY DEFERRED"
_GROUP = "REFERENCES groups (environment, id) DEFERRABLE INITIALLY DEFERRED"

_FIRST = f"""
CREATE TABLE environments (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL UNIQUE,
    protected INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created TEXT NOT NULL,
    lists TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE TABLE resource_types ({_ROW},
    id TEXT NOT NULL, name TEXT NOT NULL, closed INTEGER NOT NULL, actionless INTEGER NOT NULL,
    UNIQUE (environment, id), UNIQUE (environment, name)
) STRICT;

CREATE TABLE roles ({_ROW}, id TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (environment, id)) STRICT;

CREATE TABLE groups ({_ROW}, id TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (environment, id)) STRICT;
CREATE TABLE group_subjects (
    environment INTEGER NOT NULL, group_id TEXT NOT NULL, type TEXT NOT NULL, id TEXT NOT NULL,
    PRIMARY KEY (environment, group_id, type, id),
    FOREIGN KEY (environment, group_id) REFERENCES groups (environment, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_of_subject ON group_subjects (environment, type, id);
CREATE TABLE group_groups (
    environment INTEGER NOT NULL, group_id TEXT NOT NULL, member TEXT NOT NULL,
    PRIMARY KEY (environment, group_id, member),
    FOREIGN KEY (environment, group_id) REFERENCES groups (environment, id) ON DELETE CASCADE,
    FOREIGN KEY (environment, member) {_GROUP}
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_of_group ON group_groups (environment, member);

CREATE TABLE subjects ({_ROW},
    type TEXT NOT NULL, id TEXT NOT NULL, external_id TEXT,
    UNIQUE (environment, type, id), UNIQUE (environment, type, external_id)
) STRICT;

CREATE TABLE resources ({_ROW},
    type TEXT NOT NULL, id TEXT NOT NULL, external_id TEXT, name TEXT,
    UNIQUE (environment, type, id), UNIQUE (environment, type, external_id), UNIQUE (environment, type, name),
    FOREIGN KEY (environment, type) {_TYPE}
) STRICT;

CREATE TABLE assignments ({_ROW},
    id TEXT NOT NULL, role TEXT NOT NULL, subject_type TEXT, subject_id TEXT, group_id TEXT,
    UNIQUE (environment, id),
    FOREIGN KEY (environment, role) {_ROLE},
    FOREIGN KEY (environment, group_id) {_GROUP}
) STRICT;
CREATE INDEX assignments_of_role ON assignments (environment, role);
CREATE INDEX assignments_of_subject ON assignments (environment, subject_type, subject_id);
CREATE INDEX assignments_of_group ON assignments (environment, group_id) WHERE group_id IS NOT NULL;

CREATE TABLE grants ({_ROW},
    id TEXT NOT NULL, subject_type TEXT NOT NULL, subject_id TEXT NOT NULL,
    resource_type TEXT NOT NULL, resource_id TEXT NOT NULL, wildcard INTEGER NOT NULL,
    UNIQUE (environment, id),
    FOREIGN KEY (environment, resource_type) {_TYPE}
) STRICT;
CREATE INDEX grants_of_subject ON grants (environment, subject_type, subject_id, resource_type, resource_id);
CREATE INDEX grants_on_resource ON grants (environment, resource_type, resource_id);
CREATE INDEX grants_of_everything ON grants (environment, resource_type) WHERE wildcard;

CREATE TABLE policies ({_ROW},
    id TEXT NOT NULL, name TEXT NOT NULL, effect TEXT NOT NULL, enabled INTEGER NOT NULL,
    UNIQUE (environment, id)
) STRICT;
CREATE TABLE policy_roles (
    environment INTEGER NOT NULL, policy_id TEXT NOT NULL, role TEXT NOT NULL,
    PRIMARY KEY (environment, policy_id, role),
    FOREIGN KEY (environment, policy_id) REFERENCES policies (environment, id) ON DELETE CASCADE,
    FOREIGN KEY (environment, role) {_ROLE}
) STRICT, WITHOUT ROWID;
CREATE INDEX policies_of_role ON policy_roles (environment, role);
CREATE TABLE policy_types (
    environment INTEGER NOT NULL, policy_id TEXT NOT NULL, type TEXT NOT NULL,
    PRIMARY KEY (environment, policy_id, type),
    FOREIGN KEY (environment, policy_id) REFERENCES policies (environment, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX policies_of_type ON policy_types (environment, type);

CREATE TABLE changes (
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    time TEXT NOT NULL,
    actor TEXT NOT NULL,
    summary TEXT NOT NULL,
    delta BLOB,
    PRIMARY KEY (environment, revision)
) STRICT;
CREATE TABLE change_entries (
    environment INTEGER NOT NULL, revision INTEGER NOT NULL, chunk INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (environment, revision, chunk),
    FOREIGN KEY (environment, revision) REFERENCES changes (environment, revision)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE TABLE bundles (
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    file TEXT NOT NULL,
    PRIMARY KEY (environment, revision)
) STRICT, WITHOUT ROWID;
"""


_SEARCHES = """
CREATE INDEX subjects_searched ON subjects (environment, type, id, body);
CREATE INDEX resources_searched ON resources (environment, type, id, body);
DROP INDEX assignments_of_role;
CREATE INDEX assignments_of_role ON assignments (environment, role, subject_type, subject_id, group_id);
DROP INDEX grants_on_resource;
CREATE INDEX grants_on_resource ON grants (environment, resource_type, resource_id, subject_type, subject_id);
"""
"""Indexes that a search reads in order, and that have all it needs.

PERF: bodies lie side by side in the order of ids. To fetch each from its table takes ten times as long if ids are
random.
"""


_CREDENTIALS = """
CREATE TABLE clients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT,
    scopes TEXT NOT NULL, environments TEXT, token_lifetime INTEGER NOT NULL,
    created TEXT NOT NULL, revoked TEXT, secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY, name TEXT NOT NULL,
    scopes TEXT NOT NULL, environments TEXT,
    created TEXT NOT NULL, expires_at TEXT, secret BLOB NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
CREATE TABLE revoked_tokens (id TEXT PRIMARY KEY, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE credential_generation (number INTEGER NOT NULL) STRICT;
INSERT INTO credential_generation VALUES (1);
"""
"""The credentials. `secret` is the SHA-256 of a secret, `environments` a JSON list of UUIDs, or NULL if not bound.

`credential_generation` rises with every change here, so that a worker knows whether its cached credentials are current.
"""


AUDIT = """
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


_PATTERNS = """
CREATE TABLE policy_patterns (
    environment INTEGER NOT NULL, policy_id TEXT NOT NULL, pattern TEXT NOT NULL, instructions INTEGER NOT NULL,
    PRIMARY KEY (environment, policy_id, pattern),
    FOREIGN KEY (environment, policy_id) REFERENCES policies (environment, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX policies_of_pattern ON policy_patterns (environment, pattern, instructions);
"""
"""The patterns of policies that need a search, with their RE2 instructions."""


_EXPORTS = """
CREATE TABLE bundle_exports (
    hour INTEGER NOT NULL, actor TEXT NOT NULL, client TEXT NOT NULL, address TEXT NOT NULL,
    environment TEXT NOT NULL, uuid TEXT NOT NULL, what TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (hour, actor, client, address, environment, uuid, what)
) STRICT, WITHOUT ROWID;
"""
"""Counts of exported bundles and updates until their hour has ended. Empty text means no value."""


_PROMOTIONS = """
ALTER TABLE environments ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE environments ADD COLUMN promotion_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE environments ADD COLUMN approvals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE environments ADD COLUMN baseline INTEGER;
ALTER TABLE environments ADD COLUMN provenance TEXT;
ALTER TABLE changes ADD COLUMN origin TEXT;
CREATE INDEX changes_by_promotion ON changes (environment, revision) WHERE origin IS NOT NULL;
CREATE INDEX changes_of_policies ON changes (environment, revision) WHERE json_type(summary, '$.resource_types')
    IS NOT NULL OR json_type(summary, '$.roles') IS NOT NULL OR json_type(summary, '$.policies') IS NOT NULL;
CREATE TABLE promotions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    id TEXT NOT NULL UNIQUE,
    pending INTEGER NOT NULL,
    body TEXT NOT NULL,
    content BLOB
) STRICT;
CREATE INDEX promotions_in_environment ON promotions (environment, number);
CREATE INDEX promotions_pending ON promotions (environment) WHERE pending;
CREATE TABLE credential_makers (
    credential TEXT NOT NULL, maker TEXT NOT NULL,
    PRIMARY KEY (credential, maker)
) STRICT, WITHOUT ROWID;
"""
"""Promotions. `baseline` is the revision of the promotion that an environment's policy model comes from.

`provenance` is that of the next bundles, in JSON. `origin` tells which promotion or restoration made a revision.
`content` is the policy model that waits for an approval. `credential_makers` tells who could know a credential's
secret when it was made, as actors.
"""


_EXPIRIES = """
CREATE INDEX assignments_by_expiry ON assignments (environment, expires, id) WHERE expires IS NOT NULL;
CREATE INDEX grants_by_expiry ON grants (environment, expires, id) WHERE expires IS NOT NULL;
"""
"""The expiries of assignments and grants, in epoch seconds. Rows without one are not in the indexes (P4)."""


_ROUTES = f"""
ALTER TABLE environments ADD COLUMN gateway TEXT;
CREATE TABLE routes ({_ROW},
    id TEXT NOT NULL, resource_type TEXT NOT NULL, action TEXT NOT NULL,
    UNIQUE (environment, id),
    FOREIGN KEY (environment, resource_type) {_TYPE}
) STRICT;
CREATE INDEX routes_of_type ON routes (environment, resource_type);
CREATE TABLE route_orders (
    environment INTEGER NOT NULL, revision INTEGER NOT NULL, ids BLOB NOT NULL,
    PRIMARY KEY (environment, revision),
    FOREIGN KEY (environment, revision) REFERENCES changes (environment, revision)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
DROP INDEX changes_of_policies;
CREATE INDEX changes_of_policies ON changes (environment, revision) WHERE json_type(summary, '$.resource_types')
    IS NOT NULL OR json_type(summary, '$.roles') IS NOT NULL OR json_type(summary, '$.policies') IS NOT NULL
    OR json_type(summary, '$.routes') IS NOT NULL;
"""
"""Routes, and the gateway settings of an environment in JSON.

`route_orders` has the ids of all routes in order, packed, as they were before a revision that did more to their list
than add to its end.
"""


_DECLARATIONS = f"""
CREATE TABLE attributes ({_ROW},
    id TEXT NOT NULL,
    UNIQUE (environment, id)
) STRICT;
CREATE TABLE lints ({_ROW},
    id TEXT NOT NULL, code TEXT NOT NULL,
    UNIQUE (environment, id)
) STRICT;
DROP INDEX changes_of_policies;
CREATE INDEX changes_of_policies ON changes (environment, revision) WHERE json_type(summary, '$.resource_types')
    IS NOT NULL OR json_type(summary, '$.roles') IS NOT NULL OR json_type(summary, '$.policies') IS NOT NULL
    OR json_type(summary, '$.routes') IS NOT NULL OR json_type(summary, '$.attributes') IS NOT NULL
    OR json_type(summary, '$.lints') IS NOT NULL;
"""
"""The declared attributes of a model, one row at most for an environment, and the lints that it silences."""


class _Expiring(msgspec.Struct):
    """The member of a body that the column `expires` follows."""

    expires_at: str | None = None


_MIGRATED_ROWS = 10_000
_expiring = msgspec.json.Decoder(_Expiring)


def _create(db: Database) -> None:
    db.executescript(_FIRST)


def _ease_searches(db: Database) -> None:
    db.executescript(_SEARCHES)


def _add_credentials(db: Database) -> None:
    db.executescript(_CREDENTIALS)


def _add_audit(db: Database) -> None:
    db.executescript(AUDIT)


def _add_patterns(db: Database) -> None:
    db.executescript(_PATTERNS)
    for environment, id, body in db.execute("SELECT environment, id, body FROM policies").fetchall():
        sizes = pattern_sizes(msgspec.json.decode(body, type=Policy))
        rows = [(environment, id, pattern, size) for pattern, size in sizes.items()]
        db.conn.executemany("INSERT INTO policy_patterns VALUES (?, ?, ?, ?)", rows)


def _add_exports(db: Database) -> None:
    db.executescript(_EXPORTS)


def _add_promotions(db: Database) -> None:
    db.executescript(_PROMOTIONS)


def _add_expiries(db: Database) -> None:
    for table in ("assignments", "grants"):
        db.execute(f"ALTER TABLE {table} ADD COLUMN expires REAL")
        last = -1
        while rows := db.execute(
            f"SELECT place, body FROM {table} WHERE place > ? ORDER BY place LIMIT {_MIGRATED_ROWS}", (last,)
        ).fetchall():
            last = rows[-1][0]
            stated = ((place, _expiring.decode(body).expires_at) for place, body in rows)
            expiries = ((seconds_not_before(parse_instant(text)), place) for place, text in stated if text is not None)
            db.conn.executemany(f"UPDATE {table} SET expires = ? WHERE place = ?", expiries)
    db.executescript(_EXPIRIES)


def _add_routes(db: Database) -> None:
    db.executescript(_ROUTES)


def _add_declarations(db: Database) -> None:
    db.executescript(_DECLARATIONS)


MIGRATIONS = (
    _create,
    _ease_searches,
    _add_credentials,
    _add_audit,
    _add_patterns,
    _add_exports,
    _add_promotions,
    _add_expiries,
    _add_routes,
    _add_declarations,
    add_policy_tests,
    add_audit_actors,
    add_credential_uses,
)
"""Their number is the version of the format. Released migrations never change: each later change is another step."""
