"""The tables of environments, and of the elements of their models.

The row of an element has a `place`: environment * 2**40 + its position in its list. So a list is read in order and
grows at its end. The row also has the revision that last changed the element (`version`), its JSON (`body`), its key,
and the columns of its indexes.
"""

from typing import Final

PLACE_BITS: Final = 40

ENVIRONMENTS: Final = """
CREATE TABLE environments (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    id TEXT NOT NULL UNIQUE,
    protected INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created TEXT NOT NULL,
    lists TEXT NOT NULL DEFAULT '[]',
    description TEXT NOT NULL DEFAULT '',
    promotion_only INTEGER NOT NULL DEFAULT 0,
    tests_must_pass INTEGER NOT NULL DEFAULT 0,
    approvals INTEGER NOT NULL DEFAULT 0,
    baseline INTEGER,
    provenance TEXT,
    gateway TEXT
) STRICT;
"""
"""The environments. `gateway` has their gateway settings in JSON.

`baseline` is the revision of the promotion that an environment's policy model comes from. `provenance` is that of the
next bundles, in JSON.
"""

_ROW: Final = """place INTEGER PRIMARY KEY,
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    body BLOB NOT NULL"""

_TYPE: Final = "REFERENCES resource_types (environment, id) DEFERRABLE INITIALLY DEFERRED"
_ROLE: Final = "REFERENCES roles (environment, id) DEFERRABLE INITIALLY DEFERRED"
_GROUP: Final = "REFERENCES groups (environment, id) DEFERRABLE INITIALLY DEFERRED"

ELEMENTS: Final = f"""
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
CREATE INDEX subjects_searched ON subjects (environment, type, id, body);

CREATE TABLE resources ({_ROW},
    type TEXT NOT NULL, id TEXT NOT NULL, external_id TEXT, name TEXT,
    UNIQUE (environment, type, id), UNIQUE (environment, type, external_id), UNIQUE (environment, type, name),
    FOREIGN KEY (environment, type) {_TYPE}
) STRICT;
CREATE INDEX resources_searched ON resources (environment, type, id, body);

CREATE TABLE assignments ({_ROW},
    id TEXT NOT NULL, role TEXT NOT NULL, subject_type TEXT, subject_id TEXT, group_id TEXT,
    expires REAL,
    UNIQUE (environment, id),
    FOREIGN KEY (environment, role) {_ROLE},
    FOREIGN KEY (environment, group_id) {_GROUP}
) STRICT;
CREATE INDEX assignments_of_role ON assignments (environment, role, subject_type, subject_id, group_id);
CREATE INDEX assignments_of_subject ON assignments (environment, subject_type, subject_id);
CREATE INDEX assignments_of_group ON assignments (environment, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX assignments_by_expiry ON assignments (environment, expires, id) WHERE expires IS NOT NULL;

CREATE TABLE grants ({_ROW},
    id TEXT NOT NULL, subject_type TEXT, subject_id TEXT, group_id TEXT,
    resource_type TEXT NOT NULL, resource_id TEXT NOT NULL, wildcard INTEGER NOT NULL,
    expires REAL,
    UNIQUE (environment, id),
    FOREIGN KEY (environment, resource_type) {_TYPE},
    FOREIGN KEY (environment, group_id) {_GROUP}
) STRICT;
CREATE INDEX grants_of_subject ON grants (environment, subject_type, subject_id, resource_type, resource_id);
CREATE INDEX grants_of_group ON grants (environment, group_id, resource_type, resource_id) WHERE group_id IS NOT NULL;
CREATE INDEX grants_on_resource
    ON grants (environment, resource_type, resource_id, subject_type, subject_id, group_id);
CREATE INDEX grants_of_everything ON grants (environment, resource_type) WHERE wildcard = 1;
CREATE INDEX grants_by_expiry ON grants (environment, expires, id) WHERE expires IS NOT NULL;

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
CREATE TABLE policy_patterns (
    environment INTEGER NOT NULL, policy_id TEXT NOT NULL, pattern TEXT NOT NULL, instructions INTEGER NOT NULL,
    PRIMARY KEY (environment, policy_id, pattern),
    FOREIGN KEY (environment, policy_id) REFERENCES policies (environment, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX policies_of_pattern ON policy_patterns (environment, pattern, instructions);

CREATE TABLE routes ({_ROW},
    id TEXT NOT NULL, resource_type TEXT NOT NULL, action TEXT NOT NULL,
    UNIQUE (environment, id),
    FOREIGN KEY (environment, resource_type) {_TYPE}
) STRICT;
CREATE INDEX routes_of_type ON routes (environment, resource_type);

CREATE TABLE extensions ({_ROW}, id TEXT NOT NULL, UNIQUE (environment, id)) STRICT;
CREATE TABLE requests ({_ROW}, id TEXT NOT NULL, UNIQUE (environment, id)) STRICT;
CREATE TABLE attributes ({_ROW}, id TEXT NOT NULL, UNIQUE (environment, id)) STRICT;
CREATE TABLE lints ({_ROW},
    id TEXT NOT NULL, code TEXT NOT NULL,
    UNIQUE (environment, id)
) STRICT;
"""
"""The elements.

- `subjects_searched` and `resources_searched` have all that a search needs, in its order. PERF: bodies lie side by side
  in the order of ids. To fetch each from its table takes ten times as long if ids are random.
- `expires` is the expiry in epoch seconds. Rows without one have null (P4).
- `policy_patterns` has the patterns that need a search, with their RE2 instructions.
- `extensions`, `requests` and `attributes` have one row at most for an environment: these members of its model.
"""

ENTRY_BLOCKS: Final = """
CREATE TABLE entry_blocks (
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    kind TEXT NOT NULL, type TEXT NOT NULL, first TEXT NOT NULL, entries TEXT NOT NULL,
    UNIQUE (environment, kind, type, first)
) STRICT;
"""
"""The texts of the elements, for those who know a part of one (see `store/finding`). They follow from the elements."""

SORTED: Final = """
ALTER TABLE roles ADD COLUMN called TEXT;
ALTER TABLE groups ADD COLUMN called TEXT;
ALTER TABLE subjects ADD COLUMN called TEXT;
ALTER TABLE resources ADD COLUMN called TEXT;
ALTER TABLE policies ADD COLUMN called TEXT;
CREATE INDEX roles_by_name ON roles (environment, called, id);
CREATE INDEX groups_by_name ON groups (environment, called, id);
CREATE INDEX subjects_by_name ON subjects (environment, type, called, id);
CREATE INDEX resources_by_name ON resources (environment, type, called, id);
CREATE INDEX policies_by_name ON policies (environment, called, id);
DROP INDEX assignments_by_expiry;
DROP INDEX grants_by_expiry;
CREATE INDEX assignments_by_expiry ON assignments (environment, expires, id);
CREATE INDEX grants_by_expiry ON grants (environment, expires, id);
"""
SORTING: Final = f"""{SORTED}DELETE FROM entry_blocks;
"""
"""The columns and indexes that lists are sorted by.

`called` is the beginning of the name, or of the id of an element without a name. The store fills it in when it makes
the blocks again (see `store/finding/keeping`).
"""
