"""Finds other roles that could run statements with the rights of the store's role, by what is theirs in its schema.

PostgreSQL takes the function whose parameters suit a call best, also if another one stands in an earlier schema. So a
role that may make functions in the store's schema could make one that Writ calls. A role that owns a table of the store
could read and write it, and give it triggers, which run with the rights of the store's role.
"""

from typing import Any, Final, NamedTuple

import psycopg

_TRUSTED: Final = """(r.rolsuper OR r.rolname = current_user OR r.oid = n.nspowner
    OR r.oid = (SELECT datdba FROM pg_database WHERE datname = current_database()))"""

_RIGHTS: Final = f"""BEGIN READ ONLY; SET LOCAL search_path = pg_catalog, pg_temp;
SELECT 'schema', '' FROM pg_namespace n WHERE nspname = '%(schema)s'
UNION ALL
SELECT 'right', coalesce(quote_ident(r.rolname), 'PUBLIC')
FROM pg_namespace n CROSS JOIN aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a
    LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE nspname = '%(schema)s' AND a.privilege_type = 'CREATE' AND (r.oid IS NULL OR NOT {_TRUSTED})
UNION ALL
SELECT 'function', p.oid::regprocedure::text
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles r ON r.oid = p.proowner
WHERE nspname = '%(schema)s' AND NOT {_TRUSTED}
UNION ALL
SELECT 'operator', o.oid::regoperator::text
FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace JOIN pg_roles r ON r.oid = o.oprowner
WHERE nspname = '%(schema)s' AND NOT {_TRUSTED}
UNION ALL
SELECT 'relation', c.oid::regclass::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.oid = c.relowner
WHERE nspname = '%(schema)s' AND NOT {_TRUSTED}
UNION ALL
SELECT 'trigger function', p.oid::regprocedure::text
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_roles r ON r.oid = p.proowner
WHERE nspname = '%(schema)s' AND NOT {_TRUSTED}
"""

_DROPPED: Final = {"function": "ROUTINE", "operator": "OPERATOR"}


class ForeignRight(NamedTuple):
    """A way in which another role could use the store's rights, and what to do about it."""

    words: str
    remedy: str


def foreign_right(db: psycopg.Connection[Any], schema: str) -> ForeignRight | None:
    """Returns the first one in a schema, whose name needs no quotes, or None. Also tells that there is no such schema.

    `db` has no transaction. Raises psycopg.Error.
    """
    found = db.execute(_RIGHTS.replace("%(schema)s", schema).encode())
    while found.nextset():
        pass
    rows = found.fetchall()
    db.execute("COMMIT")
    if not rows:
        return ForeignRight(f"has no schema `{schema}`", f'run `CREATE SCHEMA "{schema}"`')
    for kind, name in rows:
        if kind == "right":
            return ForeignRight(
                f"lets {name} make functions in its schema `{schema}`, which Writ might call",
                f'run `REVOKE CREATE ON SCHEMA "{schema}" FROM {name}`',
            )
        if kind in _DROPPED:
            return ForeignRight(
                f"has the {kind} {name} of another role in its schema, which Writ might call",
                f"run `DROP {_DROPPED[kind]} {name}`",
            )
        if kind != "schema":
            return ForeignRight(
                f"has the {kind} {name} of another role, which may have planted the tables there",
                "use an empty database, or restore the store's own dump as its own role",
            )
    return None
