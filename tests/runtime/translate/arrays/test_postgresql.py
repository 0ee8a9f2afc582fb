"""Columns of arrays in PostgreSQL itself: SQL text, SQLAlchemy, Django's ArrayField, GIN indexes (X6)."""

import psycopg
import pytest
import sqlalchemy as sa
from django.contrib.postgres.fields import ArrayField, IntegerRangeField
from django.db import models
from sqlalchemy.dialects import postgresql as pg
from writ.runtime.translate import Array, Boolean, Integer, Json, Real, Text, Untranslatable
from writ.runtime.translate.django import q
from writ.runtime.translate.sql import where
from writ.runtime.translate.sqlalchemy import expression

from tests.support import django_settings
from tests.support.array_rows import FIELDS, assert_exact, rows
from tests.support.translated import field

django_settings.configure()

ROWS = rows(nul=False)
REFUSED = ("no string of postgresql holds U+0000",)
OTHERS = {
    "varchar(99)[]": "texts",
    "citext[]": "texts",
    "text[] COLLATE folded": "texts",
    "integer[]": "wholes",
    "smallint[]": "wholes",
}
"""Other types that a field fits, with the key of the rows that fill them as far as they can."""


class Note(models.Model):
    key = models.TextField()
    texts = ArrayField(models.CharField(max_length=99, null=True), null=True)
    wholes = ArrayField(models.BigIntegerField(null=True), null=True)
    reals = ArrayField(models.FloatField(null=True), null=True)
    flags = ArrayField(models.BooleanField(null=True), null=True)
    dates = ArrayField(models.DateField(), null=True)
    nested = ArrayField(ArrayField(models.TextField()), null=True)
    range = IntegerRangeField(null=True)

    class Meta:
        app_label = "notes"


@pytest.fixture(scope="module")
def database(postgresql):
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA arrays")
        connection.execute("SET search_path = arrays, public")
        connection.execute(
            "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
            "CREATE EXTENSION IF NOT EXISTS citext SCHEMA arrays;"
            "CREATE TABLE rows (id text, texts text[], wholes bigint[], reals double precision[], flags boolean[])"
        )
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO rows VALUES (%s, %s, %s, %s, %s)", [list(row.values()) for row in ROWS])
        yield connection
        connection.execute("DROP SCHEMA arrays CASCADE")


def select(database, tree, fields=FIELDS, table="rows"):
    found = where(tree, fields, dialect="postgresql")
    asked = database.execute(f"SELECT id, ({found.text}) IS NULL FROM {table} WHERE {found.text}", 2 * found.parameters)
    return [id for id, unknown in asked if unknown is False]


def test_sql_text(database):
    assert_exact(lambda tree: select(database, tree), ROWS, REFUSED)


@pytest.mark.parametrize("kind", OTHERS)
def test_columns_of_other_types(database, kind):
    """A cast of citext or of a collation that ignores case would let `DRAFT` pass for `draft`."""
    key = OTHERS[kind]
    most = {"integer[]": 2**31, "smallint[]": 2**15}.get(kind)
    kept = [row for row in ROWS if not most or all(item is None or -most <= item < most for item in row[key] or ())]
    database.execute(f"DROP TABLE IF EXISTS other; CREATE TABLE other (id text, k {kind})")
    with database.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO other VALUES (%s, %s::{kind.split()[0]})", [(row["id"], row[key]) for row in kept]
        )
    fields = {key: Array("other.k", of=FIELDS[key].of)}
    assert_exact(lambda tree: select(database, tree, fields, "other"), kept, REFUSED, [key])


def test_an_array_of_arrays_is_absent(database):
    """PostgreSQL keeps arrays of any dimensions in one type; of JSON, `has "a"` is false of [["a"]]."""
    database.execute("CREATE TEMP TABLE shapes (id text, texts text[], wholes bigint[])")
    database.execute(
        "INSERT INTO shapes VALUES ('flat', '{a}', '{1}'), ('square', '{{a}}', '{{1}}'),"
        " ('moved', '[5:5]={a}', '[0:0]={1}'), ('empty', '{}', '{}'), ('null', NULL, NULL)"
    )
    for key, value in (("texts", "a"), ("wholes", 1)):
        for op, constant, found in (
            ("has", value, ["flat", "moved"]),
            ("has_none", ["x", 5], ["flat", "moved", "empty"]),
            ("has_none", [value], ["empty"]),
            ("ne", "b", ["flat", "moved", "empty"]),
        ):
            assert select(database, field(key, op, constant), table="shapes") == found


def test_nan_is_no_number_that_a_filter_has(database):
    database.execute("CREATE TEMP TABLE odd (id text, reals double precision[])")
    database.execute("INSERT INTO odd VALUES ('nan', '{NaN, Infinity, -0}')")
    for op, value, count in (("has", 0, 1), ("has_none", [1e308, -1e308], 1), ("has_any", [5], 0)):
        assert len(select(database, field("reals", op, value), table="odd")) == count


@pytest.mark.parametrize(("key", "value"), [("texts", "5"), ("wholes", 5), ("reals", 5.0)])
def test_a_gin_index_serves(database, key, value):
    kinds = {"texts": "text", "wholes": "bigint", "reals": "double precision"}
    database.execute(f"DROP TABLE IF EXISTS many; CREATE TABLE many ({key} {kinds[key]}[])")
    database.execute(f"INSERT INTO many SELECT ARRAY[n, -n]::{kinds[key]}[] FROM generate_series(1, 10000) n")
    database.execute(f"CREATE INDEX many_elements ON many USING gin ({key}); ANALYZE many")
    for tree in (field(key, "has", value), field(key, "has_any", [value, "x", True])):
        found = where(tree, FIELDS, dialect="postgresql")
        shown = database.execute(f"EXPLAIN SELECT * FROM many WHERE {found.text}", found.parameters).fetchall()
        assert "Bitmap Index Scan on many_elements" in str(shown)


@pytest.mark.parametrize("held", ["text[]", "bigint[]", "double precision[]", "boolean[]", "text", "bigint", "uuid[]"])
@pytest.mark.parametrize("mapped", FIELDS)
def test_a_column_of_another_type_is_an_error(database, held, mapped):
    constants = {"texts": ("a", "text[]"), "wholes": (1, "bigint[]"), "reals": (1.5, "double precision[]")}
    value, own = constants.get(mapped, (True, "boolean[]"))
    found = where(field(mapped, "has", value), FIELDS, dialect="postgresql")
    asked = f"SELECT count(*) FROM (SELECT CAST(NULL AS {held}) AS {mapped}) AS one WHERE {found.text}"
    if held == own or (mapped, held) == ("wholes", "double precision[]"):  # numbers of both compare
        assert database.execute(asked, found.parameters).fetchall() == [(0,)]
    else:
        with pytest.raises(psycopg.errors.Error):
            database.execute(asked, found.parameters)


def engine_of(conninfo):
    return sa.create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(conninfo, options="-c search_path=arrays,public"),
        poolclass=sa.pool.NullPool,
    )


TABLE = sa.table(
    "rows",
    sa.column("id", sa.Text),
    sa.column("texts", pg.ARRAY(sa.Text)),
    sa.column("wholes", sa.ARRAY(sa.BigInteger, dimensions=1)),
    sa.column("reals", pg.ARRAY(sa.Double)),
    sa.column("flags", pg.ARRAY(sa.Boolean)),
)


@pytest.mark.parametrize("bare", [True, False])
def test_sqlalchemy(database, postgresql, bare):
    fields = {key: TABLE.c[key] if bare else Array(TABLE.c[key], of=kind.of) for key, kind in FIELDS.items()}
    with engine_of(postgresql).connect() as connection:

        def select(tree):
            return list(connection.scalars(sa.select(TABLE.c.id).where(expression(tree, fields, dialect="postgresql"))))

        assert_exact(select, ROWS, REFUSED)


class Converted(sa.types.TypeDecorator):
    impl, cache_ok = sa.Text, True


@pytest.mark.parametrize(
    ("held", "mapped", "remedy"),
    [
        (pg.ARRAY(sa.Text), Text, "map it to Array"),
        (pg.ARRAY(sa.Text), Json, "map it to Array"),
        (pg.ARRAY(sa.Text), Integer, "map it to Array"),
        (pg.ARRAY(sa.Integer), Text, "map it to Array"),
        (pg.ARRAY(sa.Text, dimensions=2), Array, "in one dimension"),
        (pg.ARRAY(sa.Date), Array, "in one dimension"),
        (pg.ARRAY(sa.CHAR(3)), Array, "in one dimension"),
        (pg.ARRAY(sa.Float(24)), Array, "in one dimension"),
        (pg.ARRAY(Converted), Array, "in one dimension"),
        (pg.ARRAY(sa.Integer), Array, "map it to Array of Integer"),
        (sa.Text(), Array, "map it to Text"),
    ],
)
def test_sqlalchemy_refuses_a_mapping_that_contradicts_the_type(held, mapped, remedy):
    column = sa.column("k", held)
    named = Array(column, of=Text) if mapped is Array else mapped(column)
    with pytest.raises(Untranslatable) as caught:
        expression(field("k", "has", "a"), {"k": named}, dialect="postgresql")
    assert remedy in caught.value.remedy


def test_sqlalchemy_refuses_arrays_elsewhere():
    with pytest.raises(Untranslatable, match="does not say what JSON value"):
        expression(field("k", "has", "a"), {"k": sa.column("k", sa.ARRAY(sa.Text))}, dialect="sqlite")


@pytest.fixture(scope="module")
def notes(postgresql):
    place = dict(part.split("=") for part in postgresql.split())
    names = {"NAME": place["dbname"], "USER": place["user"], "HOST": place["host"]}
    made = django_settings.connect("arrays", ENGINE="django.db.backends.postgresql", **names)
    with made.schema_editor() as editor:
        editor.create_model(Note)
    for row in ROWS:
        Note.objects.using("arrays").create(key=row["id"], **{key: row[key] for key in FIELDS})
    yield Note.objects.using("arrays")
    with made.schema_editor() as editor:
        editor.delete_model(Note)
    made.close()


def test_django(notes):
    def select(tree):
        return list(notes.filter(q(tree, FIELDS, dialect="postgresql")).values_list("key", flat=True))

    assert_exact(select, ROWS, REFUSED)


@pytest.mark.parametrize(
    ("mapped", "remedy"),
    [
        (Text("texts"), "map it to Array"),
        (Array("texts", of=Integer), "map it to Array of Text"),
        (Array("wholes", of=Boolean), "map it to Array of Integer"),
        (Array("wholes", of=Real), "map it to Array of Integer"),
        (Array("dates", of=Text), "keep the attribute in a field of another type"),
        (Array("nested", of=Text), "keep the attribute in a field of another type"),
        (Array("key", of=Text), "map it to Text"),
        (Text("range"), "keep the attribute in a field of another type"),
    ],
)
def test_django_refuses_a_mapping_that_contradicts_the_field(notes, mapped, remedy):
    tree = field("k", "has" if isinstance(mapped, Array) else "eq", True if mapped == Array("wholes", Boolean) else "1")
    if isinstance(mapped, Array) and mapped.of in (Integer, Real):
        tree = field("k", "has", 1)
    with pytest.raises(Untranslatable) as caught:
        notes.filter(q(tree, {"k": mapped}, dialect="postgresql")).count()
    assert remedy in caught.value.remedy
