"""SQLAlchemy expressions on SQLite and PostgreSQL, held against the predicate; aliases, caching, refusals."""

import json
from decimal import Decimal as Exact

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from writ.runtime.translate import Attributes, Json, Untranslatable
from writ.runtime.translate.sqlalchemy import expression

from tests.support.translated import INSIDE, TYPED, assert_agrees, field, rows

METADATA = sa.MetaData()
DOCUMENT = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
TABLE = sa.Table(
    "hostile rows",
    METADATA,
    sa.Column("id", sa.String),
    sa.Column("text", sa.Text),
    sa.Column("whole", sa.BigInteger),
    sa.Column("real", sa.Double),
    sa.Column("flag", sa.Boolean),
    sa.Column("any%", sa.Text().with_variant(JSONB(), "postgresql")),
    sa.Column("doc", sa.Text().with_variant(JSONB(), "postgresql")),
)
KEYS = ["id", *(name for name in TYPED if name != "money")]
ROWS = rows(seed=5, size=70)


def fields(table, dialect):
    any_, doc = table.c["any%"], table.c.doc
    if dialect == "postgresql":
        any_, doc = sa.type_coerce(any_, JSONB), sa.type_coerce(doc, JSONB)
    found = {name: table.c[name] for name in KEYS} | {"any": Json(any_), "deep": Json(doc, ("a", "b"))}
    return found | dict.fromkeys(INSIDE, Attributes(doc))


@pytest.fixture(params=["sqlite", "postgresql"], scope="module")
def engine(request):
    if request.param == "sqlite":
        made = sa.create_engine("sqlite://", poolclass=sa.pool.StaticPool)
    else:
        conninfo = request.getfixturevalue("postgresql")
        made = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo))
    METADATA.create_all(made)
    with made.begin() as connection:
        for row in stored(made.name):
            connection.execute(sa.insert(TABLE), written(row, made.name))
    yield made
    METADATA.drop_all(made)
    made.dispose()


def stored(dialect):
    """The rows that the database can hold; jsonb keeps no double as such, so none beyond its integers."""
    if dialect == "sqlite":
        return ROWS
    return json.loads(json.dumps(ROWS).replace("\\u0000", "").replace("1e+308", "1.5"))


def written(row, dialect):
    found = {name: row[name] for name in KEYS}
    documents = {"any%": row["any"], "doc": row["doc"]}
    return found | (documents if dialect == "postgresql" else {k: json.dumps(v) for k, v in documents.items()})


@pytest.mark.parametrize("keys", [KEYS, ["any", "deep", *INSIDE]], ids=["plain", "json"])
def test_it_says_what_the_predicate_says(engine, keys):
    table = TABLE.alias("t")
    with engine.connect() as connection:

        def select(tree):
            chosen = expression(tree, fields(table, engine.name), dialect=engine.name)
            return list(connection.scalars(sa.select(table.c.id).where(chosen)))

        assert_agrees(select, stored(engine.name), keys, examples=80, least=0.4)


def test_it_joins_other_conditions_and_is_cached():
    """The text is the same for other values, so SQLAlchemy compiles it once; columns follow their alias."""
    one, other = (
        expression(field("text", "eq", value), {"text": TABLE.c.text}, dialect="sqlite") for value in ("a", "b")
    )
    assert one._generate_cache_key() == other._generate_cache_key()
    alias = TABLE.alias("t")
    adapted = sa.sql.visitors.replacement_traverse(
        one, {}, lambda element, **_: alias.c.text if element is TABLE.c.text else None
    )
    shown = str(sa.select(alias.c.id).where(~adapted | (alias.c.whole == 1)))
    assert "typeof(t.text)" in shown
    assert '"hostile rows".text' not in shown


def test_it_compiles_for_its_own_dialect_only():
    chosen = expression(field("text", "eq", "a"), {"text": TABLE.c.text}, dialect="sqlite")
    with pytest.raises(sa.exc.CompileError):
        sa.select(TABLE.c.id).where(chosen).compile(dialect=sa.dialects.postgresql.dialect())


def test_an_index_serves_it():
    """For a database without booleans, SQLAlchemy writes `(…) = 1` around other expressions."""
    documents = sa.Table(
        "documents", sa.MetaData(), sa.Column("owner", sa.Text, index=True), sa.Column("size", sa.Integer)
    )
    made = sa.create_engine("sqlite://")
    documents.metadata.create_all(made)
    chosen = expression(field("owner", "eq", "u5"), {"owner": documents.c.owner}, dialect="sqlite")
    with made.connect() as connection:
        for where in ([chosen], [chosen, documents.c.size > 1], [sa.and_(documents.c.size > 1, chosen)]):
            query = sa.select(documents.c.size).where(*where).compile(made, compile_kwargs={"literal_binds": True})
            (plan,) = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}").scalars("detail")
            assert "USING INDEX ix_documents_owner" in plan
    made.dispose()


@pytest.mark.parametrize(
    ("type", "dialect", "reason"),
    [
        (sa.String(), "oracle", "SQLAlchemy has no such dialect"),
        (sa.String(), "duckdb", "SQLAlchemy has no such dialect"),
    ],
)
def test_refusals(type, dialect, reason):
    with pytest.raises(Untranslatable) as caught:
        expression(field("k", "eq", 1), {"k": sa.column("k", type)}, dialect=dialect)
    assert reason in caught.value.reason


def test_a_json_column_of_postgresql_is_jsonb():
    with pytest.raises(Untranslatable, match="cast the column to JSONB"):
        expression(field("k", "eq", 1), {"k": Json(sa.column("k", sa.JSON()))}, dialect="postgresql")


def test_a_decimal_column_is_read_by_its_precision():
    chosen = expression(field("k", "gt", 1.1), {"k": sa.column("k", sa.Numeric(12, 2))}, dialect="postgresql")
    compiled = chosen.compile(dialect=sa.dialects.postgresql.dialect())
    assert list(compiled.params.values()) == [Exact("1.1")]
