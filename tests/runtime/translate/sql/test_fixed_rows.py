"""The fixed rows in each database itself, for SQL text: every kind of column, and values that break its promise."""

import json
import sqlite3
from functools import partial

import duckdb
import psycopg
import pytest
from writ.runtime.translate import Boolean, Date, DateTime, Decimal, Enum, Integer, Json, Real, Text, Uuid
from writ.runtime.translate.sql import where

from tests.support.closing import closed_later
from tests.support.fixed_rows import JSON_ROWS, STORED, VALUES, assert_exact, native, rows
from tests.support.mariadb import stored_json

NOT_RE2, NO_TEXT = "regular expressions are not RE2", "not the text in which"
FIELDS = {
    "id": Text("rows.id"),
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "money": Decimal("money", digits=12),
    "flag": Boolean("flag"),
    "uid": Uuid("uid"),
    "day": Date("day"),
    "moment": DateTime("moment"),
    "moment_naive": DateTime("moment_naive"),
    "state": Enum("state", STORED),
    "state_text": Enum("state_text", STORED),
    "any": Json("any"),
}
KEYS = tuple(key for key in FIELDS if key not in ("id", "any"))
ROWS = [row | {"moment_naive": row["moment"], "state_text": row["state"]} for row in rows()]


def select(execute, dialect, tree, fields=FIELDS, table="rows"):
    """The ids of the rows that a filter selects."""
    found = where(tree, fields, dialect=dialect)
    return [id for (id,) in execute(f"SELECT id FROM {table} WHERE {found.text}", found.parameters)]


def stored(row):
    """A row with the values for the columns, an instant without its zone and a name as text too."""
    found = native(row)
    naive = found["moment"] and found["moment"].replace(tzinfo=None)
    return found | {"moment_naive": naive, "state_text": found["state"]}


class TestSqlite:
    TABLE = """CREATE TABLE rows (id TEXT, text STRING COLLATE NOCASE, whole INTEGER, real REAL, money NUMERIC(12, 4),
        flag BOOLEAN, uid CHAR(32), day DATE, moment DATETIME, moment_naive DATETIME, state VARCHAR COLLATE RTRIM,
        state_text TEXT COLLATE NOCASE)"""
    FIELDS = FIELDS | {"money": Real("money")}
    BROKEN = (
        *(("text", value) for value in (5, 1.5, b"a", "5", "1e5")),
        *(("whole", value) for value in ("x", 1.5, b"1")),
        *(("real", value) for value in ("x", 9e999, -9e999)),
        *(("money", value) for value in ("x", 2**53 + 1)),
        *(("uid", value) for value in ("AB000000000040008000000000000000", "ab", "g" * 32, "a" * 32 + "\0", b"a" * 32)),
        *(("day", value) for value in ("2024-02-30", "2024-2-9", "0000-01-01", "now", "2460000", "2024-02-29 ", "", 5)),
        *(("moment", f"2024-02-29{rest}") for rest in ("T12:00:00.000000", " 12:00", " 12:00:00.5", " 24:00:00")),
        *(("moment", f"2024-02-{rest}") for rest in ("29 12:00:00.00000x", "30 12:00:00", "29 12:00:00,000000")),
        *(("moment", value) for value in ("now", "", 5, "0000-01-01 00:00:00", "2024-02-29 12:00:00.000000Z")),
        *(("state", value) for value in ("Final", "final ", "x", b"a")),
        *(("flag", value) for value in (2, "true")),
    )

    def database(self, found):
        connection = closed_later(sqlite3.connect(":memory:"))
        connection.execute(self.TABLE)
        for row in found:
            columns = ", ".join(row)
            connection.execute(f"INSERT INTO rows ({columns}) VALUES ({', '.join('?' * len(row))})", [*row.values()])
        return connection

    def written(self, row):
        """A row as SQLAlchemy stores it, its second instant as Django does."""
        found = stored(row)
        naive, uid = found["moment_naive"], found["uid"]
        found |= {"money": row["money"], "day": row["day"], "uid": uid and uid.hex}
        return found | {"moment": naive and naive.isoformat(" ", "microseconds"), "moment_naive": naive and str(naive)}

    def test_every_column(self):
        connection = self.database(map(self.written, ROWS))
        # A column that is declared STRING makes numbers of the texts that look like one.
        table = [row | ({"text": None} if row["text"] in ("0", "1", "5", "1e5") else {}) for row in ROWS]
        chosen = partial(select, connection.execute, "sqlite", fields=self.FIELDS)
        assert_exact(chosen, table, KEYS, (NOT_RE2, NO_TEXT))

    def test_what_breaks_the_promise_of_a_column_is_absent(self):
        broken = [{"id": f"{number}", key: value} for number, (key, value) in enumerate(self.BROKEN)]
        connection = self.database(broken)
        chosen = partial(select, connection.execute, "sqlite", fields=self.FIELDS)
        assert_exact(chosen, [{"id": row["id"]} for row in broken], KEYS, (NOT_RE2, NO_TEXT))

    def test_json(self):
        connection = closed_later(sqlite3.connect(":memory:"))
        connection.execute('CREATE TABLE rows (id TEXT, "any" TEXT)')
        for row in JSON_ROWS:
            connection.execute("INSERT INTO rows VALUES (?, ?)", [row["id"], json.dumps(row["any"])])
        refused = (NOT_RE2, "below 2^63 only", "only up to U+0000", "only a part of a JSON string")
        assert_exact(partial(select, connection.execute, "sqlite"), JSON_ROWS, ["any"], refused)


class TestDuckDb:
    TABLE = """CREATE TABLE rows (id VARCHAR, text VARCHAR COLLATE NOCASE, whole BIGINT, real DOUBLE,
        money DECIMAL(12, 4), flag BOOLEAN, uid UUID, day DATE, moment TIMESTAMPTZ, moment_naive TIMESTAMP,
        state names, state_text VARCHAR COLLATE NOCASE)"""
    ABSENT = (
        *(("real", value) for value in ("nan", "inf", "-inf")),
        *((key, value) for key in ("day", "moment", "moment_naive") for value in ("infinity", "-infinity")),
        *(("day", value) for value in ("0001-12-31 (BC)", "10000-01-01")),
        *((key, value) for key in ("moment", "moment_naive") for value in ("10000-01-01 00:00:00+00",)),
        *(("state_text", value) for value in ("Final", "draft", "final ")),
    )

    def test_every_column(self):
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.execute(f"CREATE TYPE names AS ENUM ({', '.join(map(repr, reversed(STORED)))})")
        connection.execute(self.TABLE)
        for row in ROWS:
            values = stored(row)
            values = [values[key] for key in ("id", *KEYS)]
            connection.execute(f"INSERT INTO rows VALUES ({', '.join('?' * len(values))})", values)
        table = [*ROWS]
        for number, (key, value) in enumerate(self.ABSENT):
            connection.execute(f"INSERT INTO rows (id, {key}) VALUES (?, ?)", [f"absent {number}", value])
            table.append({"id": f"absent {number}"})

        def chosen(tree):
            return select(lambda *query: connection.execute(*query).fetchall(), "duckdb", tree)

        assert_exact(chosen, table, KEYS, (NO_TEXT,))


class TestPostgreSql:
    TABLE = """CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE rows (id text, text text COLLATE folded, whole bigint, "real" double precision,
            money numeric, flag boolean, uid uuid, day date, moment timestamptz, moment_naive timestamp, state names,
            state_text text COLLATE folded,
            "any" jsonb)"""
    ABSENT = (
        *((key, value) for key in ("real", "money") for value in ("NaN", "Infinity", "-Infinity")),
        *((key, value) for key in ("day", "moment", "moment_naive") for value in ("infinity", "-infinity")),
        *((key, value) for key in ("day", "moment", "moment_naive") for value in ("0001-12-31 BC", "10000-01-01")),
        *(("state_text", value) for value in ("Final", "draft", "final ")),
    )

    @pytest.fixture
    def database(self, postgresql):
        with psycopg.connect(postgresql, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA fixed")
            connection.execute("SET search_path = fixed, public")
            connection.execute(f"CREATE TYPE names AS ENUM ({', '.join(map(repr, reversed(STORED)))})")
            connection.execute(self.TABLE)
            connection.execute("SET TimeZone = 'America/New_York'")
            yield connection
            connection.execute("DROP SCHEMA fixed CASCADE")

    def test_every_column(self, database):
        table = [row | {"text": row["text"] and row["text"].replace("\0", "")} for row in ROWS]
        for row in table:
            values = stored(row)
            values = [values[key] for key in ("id", *KEYS)]
            database.execute(f"INSERT INTO rows VALUES ({', '.join(['%s'] * len(values))})", values)
        for number, (key, value) in enumerate(self.ABSENT):
            if database.info.server_version >= 140000 or (key, value[-1]) != ("money", "y"):
                database.execute(f'INSERT INTO rows (id, "{key}") VALUES (%s, %s)', [f"absent {number}", value])
                table.append({"id": f"absent {number}"})
        refused = (NOT_RE2, NO_TEXT, "holds U+0000")
        assert_exact(partial(select, database.execute, "postgresql"), table, KEYS, refused)

    def test_json(self, database):
        for row in JSON_ROWS:
            value = json.dumps(row["any"]).replace("\\u0000", "")
            database.execute('INSERT INTO rows (id, "any") VALUES (%s, %s)', [row["id"], value])
        kept = database.execute('SELECT id, "any"::text FROM rows').fetchall()
        table = [{"id": id, "any": json.loads(value)} for id, value in kept]
        assert_exact(
            partial(select, database.execute, "postgresql"), table, ["any"], (NOT_RE2, "holds U+0000", "large doubles")
        )

    @pytest.mark.parametrize("kind", [Text, Uuid, Date, DateTime])
    def test_a_column_of_another_type_is_an_error(self, database, kind):
        """The text that PostgreSQL makes of a date or an instant is not the attribute."""
        fitting = {Text: {"text", "state_text"}, Uuid: {"uid"}, Date: {"day"}, DateTime: {"moment", "moment_naive"}}
        constants = {Text: "x", Uuid: VALUES["uid"][0], Date: VALUES["day"][0], DateTime: VALUES["moment"][0]}
        for key in (*KEYS, "any"):
            for op in ("eq", "ne", "gt"):
                tree = {"type": "field", "field": "k", "operator": op, "value": constants[kind]}
                if key in fitting[kind]:
                    select(database.execute, "postgresql", tree, {"k": kind(key)})
                else:
                    with pytest.raises(psycopg.errors.Error):
                        select(database.execute, "postgresql", tree, {"k": kind(key)})


class TestMySql:
    TABLE = """CREATE TABLE `rows` (id VARCHAR(50), text VARCHAR(50) COLLATE utf8mb4_general_ci, whole BIGINT,
        `real` DOUBLE, money DECIMAL(12, 4), flag BOOLEAN, uid CHAR(32), day DATE, moment DATETIME(6),
        moment_naive DATETIME(6), state ENUM({}) COLLATE utf8mb4_bin,
        state_text VARCHAR(50) COLLATE utf8mb4_general_ci, `any` JSON)"""
    ABSENT = (
        *(("uid", value) for value in ("AB000000000040008000000000000000", "ab", "g" * 32, "")),
        *(("day", value) for value in ("0000-00-00", "2024-00-10", "2024-02-00")),
        *(("moment", value) for value in ("0000-00-00 00:00:00", "2024-02-00 12:00:00")),
        *(("state_text", value) for value in ("Final", "draft", "final ")),
        ("flag", 2),
    )

    @pytest.fixture
    def database(self, mariadb):
        with mariadb.cursor() as cursor:
            cursor.execute("CREATE DATABASE fixed")
            cursor.execute("USE fixed")
            cursor.execute("SET time_zone = '-05:00', sql_mode = ''")
            cursor.execute(self.TABLE.format(", ".join(map(repr, reversed(STORED)))))
            yield cursor
            cursor.execute("SET time_zone = DEFAULT, sql_mode = DEFAULT")
            cursor.execute("DROP DATABASE fixed")

    def chosen(self, database, tree):
        def execute(query, parameters):
            database.execute(query, parameters)
            return database.fetchall()

        return select(execute, "mysql", tree, table="`rows`")

    def test_every_column(self, database):
        for row in ROWS:
            values = stored(row)
            values |= {"moment": values["moment_naive"], "uid": values["uid"] and values["uid"].hex}
            values = [values[key] for key in ("id", *KEYS)]
            columns = ", ".join(f"`{key}`" for key in ("id", *KEYS))
            database.execute(f"INSERT INTO `rows` ({columns}) VALUES ({', '.join(['%s'] * len(values))})", values)
        table = [*ROWS]
        for number, (key, value) in enumerate(self.ABSENT):
            database.execute(f"INSERT INTO `rows` (id, `{key}`) VALUES (%s, %s)", [f"absent {number}", value])
            table.append({"id": f"absent {number}"})
        assert_exact(partial(self.chosen, database), table, KEYS, (NOT_RE2, NO_TEXT))

    def test_json(self, database):
        kept = [stored_json(row) for row in JSON_ROWS]
        for row in kept:
            text = json.dumps(row["any"])
            # MariaDB, unlike MySQL, takes `1e308` for an integer.
            text = text.replace("e", ".0e") if isinstance(row["any"], float) and "." not in text else text
            database.execute("INSERT INTO `rows` (id, `any`) VALUES (%s, %s)", [row["id"], text])
        assert_exact(partial(self.chosen, database), kept, ["any"], (NOT_RE2, "exact below 10^64"))


def test_the_rows_hold_what_they_promise():
    assert all({row[key] for row in ROWS} >= {*values, None} for key, values in VALUES.items())
