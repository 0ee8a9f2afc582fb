"""Temporary tables that shadow the tables of the elements, so that a write can be tried without any lock.

They do what SQLite's overlay does (`sqlite/overlay`). A transaction that is undone at its end would not: a row that it
adds keeps other writes of the same key waiting.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from ..element_rows import OWNERS, PARTS
from .connection import PostgresConnection, failures

_COLUMNS: Final = """SELECT relname, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND relname = ANY(%s) AND attnum > 0 AND NOT attisdropped
    ORDER BY relname, attnum"""

_FIRST: Final = "SELECT set_config('search_path', 'pg_temp, ' || quote_ident(current_schema()), false)"
"""Lets temporary tables come first."""


def add_overlay(db: PostgresConnection) -> None:
    """Shadow the tables of the elements. READ ONLY transactions of the connection write to memory only."""
    db.begin("BEGIN")
    with failures():
        found = db.conn.execute(_COLUMNS, ([*PARTS, *OWNERS],)).fetchall()
    columns: dict[str, list[str]] = {table: [] for table in (*PARTS, *OWNERS)}
    for table, name in found:
        columns[table].append(name)
    db.run(_FIRST)
    db.run(";\n".join(step for table, names in columns.items() for step in _steps(table, names)))
    db.commit()


def _steps(table: str, columns: list[str]) -> Iterator[str]:
    """Yields the statements that shadow one table."""
    names, keys = ", ".join(columns), columns if table in PARTS else ["place"]
    is_gone = " AND ".join(f"g.{key} = t.{key}" for key in keys)
    yield f"CREATE TEMP TABLE new_{table} (LIKE {table})"
    yield f"CREATE TEMP TABLE gone_{table} AS SELECT {', '.join(keys)} FROM {table} LIMIT 0"
    for column in _looked_up(columns):
        yield f"CREATE INDEX ON new_{table} ({column})"
    yield (
        f"CREATE TEMP VIEW {table} AS SELECT {names} FROM {table} AS t"
        f" WHERE NOT EXISTS (SELECT 1 FROM gone_{table} AS g WHERE {is_gone})"
        f" UNION ALL SELECT {names} FROM new_{table}"
    )
    steps = _changes(table, columns, keys)
    yield f"CREATE FUNCTION pg_temp.overlay_{table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {steps} END $$"
    yield (
        f"CREATE TRIGGER overlay INSTEAD OF INSERT OR UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION pg_temp.overlay_{table}()"
    )


def _changes(table: str, columns: list[str], keys: list[str]) -> str:
    """Returns what a change of the view does to the rows that are new and to those that are gone."""
    old = ", ".join(f"OLD.{key}" for key in keys)
    where = " AND ".join(f"n.{key} = OLD.{key}" for key in keys)
    add = f"INSERT INTO new_{table} VALUES ({', '.join(f'NEW.{column}' for column in columns)});"
    drop = f"INSERT INTO gone_{table} VALUES ({old}); DELETE FROM new_{table} n WHERE {where};"
    parts = "".join(
        f" DELETE FROM {part} p WHERE p.environment = OLD.environment AND p.{column} = OLD.id;"
        for part, (owner, column) in PARTS.items()
        if owner == table
    )
    return (
        f"IF TG_OP = 'INSERT' THEN {add} RETURN NEW; END IF; {drop}"
        f" IF TG_OP = 'UPDATE' THEN {add} RETURN NEW; END IF; {parts} RETURN OLD;"
    )


def _looked_up(columns: Sequence[str]) -> Sequence[str]:
    """Returns the columns by which the new rows are found, of which a large write has many."""
    return [column for column in ("id", "group_id") if column in columns][:1]
