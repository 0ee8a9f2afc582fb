"""Columns of every type of SQLAlchemy: the fixed rows on three databases, expressions, contradictions."""

import enum

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects.postgresql import INET, JSONB
from writ.runtime.translate import (
    Attributes,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Enum,
    Integer,
    Json,
    Real,
    Text,
    Untranslatable,
    Uuid,
)
from writ.runtime.translate.sqlalchemy import expression

from tests.support.fixed_rows import STORED, assert_exact, key_of, native, rows
from tests.support.oracle_conditions import compare
from tests.support.translated import field

METADATA = sa.MetaData()
TABLE = sa.Table(
    "fixed rows",
    METADATA,
    sa.Column("id", sa.String(50), primary_key=True),
    sa.Column("text", sa.String(50)),
    sa.Column("whole", sa.BigInteger),
    sa.Column("real", sa.Double),
    sa.Column("money", sa.Numeric(12, 4)),
    sa.Column("flag", sa.Boolean),
    # Beside MariaDB, SQLAlchemy knows a type that MySQL has not.
    sa.Column("uid", sa.Uuid().with_variant(sa.Uuid(native_uuid=False), "mysql")),
    sa.Column("day", sa.Date),
    sa.Column("moment", sa.DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql")),
    sa.Column("moment_naive", sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql")),
    sa.Column("state", sa.Enum(*reversed(STORED), name="names")),
)
KEYS = tuple(column.name for column in TABLE.columns if column.name != "id")
REFUSED = ("regular expressions are not RE2", "not the text in which", "holds U+0000")
ROWS = [row | {"moment_naive": row["moment"]} for row in rows()]


def fields(table, dialect):
    """Bare columns where their type says enough."""
    found = {key: table.c[key] for key in KEYS} | {"state": Enum(table.c.state, STORED)}
    found["moment_naive"] = DateTime(table.c.moment_naive)
    if dialect != "postgresql":
        found["moment"] = DateTime(table.c.moment)
    if dialect == "sqlite":
        found["money"] = Real(table.c.money)
    return found


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def engine(request):
    if request.param == "sqlite":
        made = sa.create_engine("sqlite://", poolclass=sa.pool.StaticPool)
    elif request.param == "postgresql":
        conninfo = request.getfixturevalue("postgresql")
        options = "-c TimeZone=America/New_York"
        made = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo, options=options))
    else:
        connection = request.getfixturevalue("mariadb")
        with connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE columns_of_types")
            cursor.execute("USE columns_of_types")
        made = sa.create_engine("mysql+pymysql://", creator=lambda: connection, poolclass=sa.pool.StaticPool)
    METADATA.create_all(made)
    yield made
    METADATA.drop_all(made)
    if request.param != "mysql":
        made.dispose()
    else:
        with connection.cursor() as cursor:
            cursor.execute("DROP DATABASE columns_of_types")


@pytest.mark.filterwarnings("ignore:Dialect sqlite.* does \\*not\\* support Decimal")
def test_every_column(engine):
    dialect, table = engine.name, TABLE.alias("t")
    kept = [
        row if dialect == "sqlite" else row | {"text": row["text"] and row["text"].replace("\0", "")} for row in ROWS
    ]
    with engine.begin() as connection:
        for row in kept:
            values = native(row)
            naive = values["moment"] and values["moment"].replace(tzinfo=None)
            values |= {"moment_naive": naive} | ({} if dialect == "postgresql" else {"moment": naive})
            connection.execute(sa.insert(TABLE), values)

        mapped = fields(table, dialect)

        def select(tree):
            key = key_of(tree)
            chosen = expression(tree, {key: mapped[key]}, dialect)
            return list(connection.scalars(sa.select(table.c.id).where(chosen)))

        assert_exact(select, kept, KEYS, REFUSED)


EXPRESSIONS = {
    "or": lambda c: Boolean(sa.or_(c.a, c.b)),
    "and": lambda c: Boolean(sa.and_(c.a, c.b)),
    "not": lambda c: Boolean(sa.not_(c.a)),
    "greater": lambda c: Boolean(c.number > 1),
    "is null": lambda c: Boolean(c.number.is_(None)),
    "coerced": lambda c: Boolean(sa.type_coerce(sa.or_(c.a, c.b), sa.Boolean)),
    "literal": lambda c: Boolean(sa.literal_column("a OR b", sa.Boolean)),
    "labelled": lambda c: Boolean(sa.or_(c.a, c.b).label("either")),
    "sum": lambda c: Integer(c.number + 1),
    "negative": lambda c: Integer(-c.number),
    "bitwise": lambda c: Integer(c.number.op("|")(4)),
    "joined": lambda c: Text(c.word + "b"),
    "either": lambda c: Text(sa.case((c.a, c.word), else_="z")),
    "first": lambda c: Text(sa.select(sa.func.min(c.word)).scalar_subquery()),
}


@pytest.mark.parametrize("made", EXPRESSIONS.values(), ids=EXPRESSIONS)
@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_an_expression_is_one_operand(request, dialect, made):
    """Without parentheses, `a OR b = false` is `a OR (b = false)`."""
    types = {"a": sa.Boolean, "b": sa.Boolean, "number": sa.Integer, "word": sa.String}
    columns = [sa.Column(name, type) for name, type in types.items()]
    table = sa.Table("operands", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), *columns)
    if dialect == "sqlite":
        engine = sa.create_engine("sqlite://")
    else:
        conninfo = request.getfixturevalue("postgresql")
        engine = sa.create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo))
    operand = made(table.c).column
    with engine.connect() as connection:
        table.create(connection)
        for number, (a, b) in enumerate((a, b) for a in (True, False, None) for b in (True, False, None)):
            connection.execute(sa.insert(table).values(a=a, b=b, number=number % 4 or None, word="ab"[number % 2]))
        values = dict(connection.execute(sa.select(table.c.id, operand)).fetchall())
        for op, constant in [("eq", True), ("eq", False), ("ne", True), ("in", [2, -1, "ab"]), ("gt", 1), ("ne", "z")]:
            tree = field("k", op, constant)
            for asked in (tree, {"type": "logical", "operator": "not", "conditions": [tree]}):
                chosen = expression(asked, {"k": made(table.c)}, dialect)
                found = set(connection.scalars(sa.select(table.c.id).where(chosen)))
                fits = {id for id, value in values.items() if compare(op, value, constant)}
                assert found == (fits if asked is tree else set(values) - fits), (asked, values)
        connection.rollback()
    engine.dispose()


class Status(enum.Enum):
    DRAFT = "draft"
    FINAL = "final"


class Doubled(sa.types.TypeDecorator):
    impl = sa.String
    cache_ok = True


C = "contradicts the column's type"
WRONG = [
    (sa.Uuid(), Text, "postgresql", C, "map it to Uuid"),
    (sa.Uuid(), Text, "sqlite", C, "map it to Uuid"),
    (sa.DateTime(), Text, "postgresql", C, "map it to DateTime, if it holds instants in UTC"),
    (sa.DateTime(), Date, "sqlite", C, "map it to DateTime, if it holds instants in UTC"),
    (sa.Date(), Text, "mysql", C, "map it to Date"),
    (sa.Date(), DateTime, "postgresql", C, "map it to Date"),
    (sa.Numeric(12, 2), Text, "postgresql", C, "map it to Decimal with its number of digits"),
    (sa.Numeric(12, 2), Integer, "postgresql", C, "map it to Decimal with its number of digits"),
    (sa.Numeric(12, 2), Real, "mysql", C, "map it to Decimal with its number of digits"),
    (sa.Numeric(12, 2), Integer, "sqlite", C, "map it to Real, if it holds doubles"),
    (sa.Numeric(20, 2), Text, "postgresql", C, "keep 15 digits or fewer, integers of a smaller unit, or doubles"),
    (sa.Numeric(20, 2), Real, "sqlite", C, "keep 15 digits or fewer, integers of a smaller unit, or doubles"),
    (sa.Enum(Status), Text, "postgresql", C, "map it to Enum with the attribute of each name"),
    (sa.Enum("a", native_enum=False), Text, "sqlite", C, "map it to Enum with the attribute of each name"),
    (sa.Integer(), Text, "sqlite", C, "map it to Integer"),
    (sa.Integer(), Real, "postgresql", C, "map it to Integer"),
    *((sa.Integer(), Boolean, dialect, C, "map it to Integer") for dialect in ("postgresql", "mysql", "sqlite")),
    (sa.Double(), Integer, "postgresql", C, "map it to Real, if it holds doubles"),
    (sa.Double(), Text, "sqlite", C, "map it to Real, if it holds doubles"),
    (sa.REAL(), Real, "postgresql", C, "cast the column to Double"),
    (sa.Float(), Real, "mysql", C, "cast the column to Double"),
    (sa.Boolean(), Integer, "sqlite", C, "map it to Boolean"),
    (sa.String(), Integer, "sqlite", C, "map it to Text"),
    (sa.String(), Json, "postgresql", C, "map it to Text"),
    (sa.String(), Uuid, "postgresql", C, "map it to Text"),
    (sa.String(), Date, "mysql", C, "map it to Text"),
    (sa.CHAR(3), Text, "postgresql", C, "cast the column to Text, which takes the padding away"),
    (sa.JSON(), Text, "sqlite", C, "map it to Json or Attributes"),
    (sa.JSON(), Attributes, "postgresql", C, "cast the column to JSONB, since a json column has no equality of values"),
    (sa.Text().with_variant(JSONB(), "postgresql"), Text, "postgresql", C, "map it to Json or Attributes"),
    (sa.Uuid(native_uuid=False), Uuid, "postgresql", C, "cast the column to Uuid"),
    (mysql.BIGINT(unsigned=True), Integer, "mysql", C, "keep the attribute in a column of another type"),
    (mysql.SET("a"), Text, "mysql", C, "keep the attribute in a column of another type"),
    (sa.TIMESTAMP(), DateTime, "mysql", C, "keep instants in a DATETIME in UTC"),
    (sa.LargeBinary(), Text, "sqlite", C, "keep the attribute in a column of another type"),
    (INET(), Text, "postgresql", C, "keep the attribute in a column of another type"),
    (sa.Time(), DateTime, "postgresql", C, "keep the attribute in a column of another type"),
    (Doubled(), Text, "sqlite", "converts values in Python", "say with sqlalchemy.type_coerce what the database holds"),
    (sa.types.NullType(), DateTime, "postgresql", C, "keep the attribute in a column of another type"),
]


@pytest.mark.parametrize(
    ("type", "kind", "dialect", "reason", "remedy"),
    WRONG,
    ids=[f"{kind.__name__}-{type!r}-{dialect}" for type, kind, dialect, *_ in WRONG],
)
def test_a_field_that_contradicts_the_type_is_refused(type, kind, dialect, reason, remedy):
    """Under `ne` or `not`, no database says that it can't compare."""
    column = sa.column("k", type)
    with pytest.raises(Untranslatable) as caught:
        expression(field("k", "ne", 1), {"k": kind(column)}, dialect)
    assert reason in caught.value.reason
    assert caught.value.remedy.startswith(remedy)


BARE = [
    (sa.Enum(Status), "postgresql", "map it to Enum with the attribute of each name"),
    (sa.DateTime(), "postgresql", "map it to DateTime, if it holds instants in UTC"),
    (sa.DateTime(timezone=True), "sqlite", "map it to DateTime, if it holds instants in UTC"),
    (sa.Numeric(), "postgresql", "map it to Decimal with its number of digits"),
    (sa.Numeric(10, 2), "sqlite", "map it to Real, if it holds doubles"),
    (sa.Numeric(20, 2), "postgresql", "keep 15 digits or fewer, integers of a smaller unit, or doubles"),
    (sa.Numeric(2, 16), "postgresql", "keep 15 digits or fewer, integers of a smaller unit, or doubles"),
    (sa.JSON(), "sqlite", "map it to Json or Attributes"),
    (sa.Text().with_variant(JSONB(), "postgresql"), "postgresql", "map it to Json or Attributes"),
    (sa.Float(), "mysql", "cast the column to Double"),
    (sa.REAL(), "postgresql", "cast the column to Double"),
    (sa.Float(precision=24), "postgresql", "cast the column to Double"),
    (sa.CHAR(3), "postgresql", "cast the column to Text, which takes the padding away"),
    (sa.Time(), "sqlite", "keep the attribute in a column of another type"),
    (sa.types.NullType(), "sqlite", "keep the attribute in a column of another type"),
    (sa.dialects.postgresql.UUID(), "sqlite", "cast the column to Uuid"),
]


@pytest.mark.parametrize(("type", "dialect", "remedy"), BARE, ids=[f"{type!r}-{dialect}" for type, dialect, _ in BARE])
def test_a_column_that_says_too_little_is_refused(type, dialect, remedy):
    with pytest.raises(Untranslatable) as caught:
        expression(field("k", "eq", 1), {"k": sa.column("k", type)}, dialect)
    assert "does not say what JSON value it holds" in caught.value.reason
    assert caught.value.remedy == remedy


@pytest.mark.parametrize("column", ["k", sa.text("a OR b"), None, 5])
def test_what_is_no_column_is_refused(column):
    """SQLAlchemy takes a string for a value, which differs from most constants."""
    with pytest.raises(Untranslatable, match=r"give the column, like `table\.c\.status`"):
        expression(field("k", "ne", "x"), {"k": Text(column)}, "sqlite")


def test_a_part_of_a_json_column_is_refused_where_it_is_rounded():
    part = sa.column("doc", sa.JSON())["a"]
    with pytest.raises(Untranslatable, match="map the whole column to Json with a path"):
        expression(field("k", "eq", 0.1), {"k": Json(part)}, "sqlite")


def test_an_enumeration_is_mapped_as_a_whole():
    column = sa.column("k", sa.Enum(Status))
    with pytest.raises(Untranslatable, match="differ in `FINAL`, `OLD`; give every name its attribute"):
        expression(field("k", "eq", "draft"), {"k": Enum(column, {"DRAFT": "draft", "OLD": "old"})}, "sqlite")
    for attributes in ({"DRAFT": None}, {1: "draft"}, {"DRAFT": ["draft"]}):
        with pytest.raises(Untranslatable, match="give each stored name its string, number or boolean"):
            expression(field("k", "eq", "draft"), {"k": Enum(sa.column("k", sa.String()), attributes)}, "sqlite")


@pytest.mark.parametrize(("precision", "scale", "digits"), [(12, 2, 12), (2, 5, 5), (2, -3, 5), (9, None, 9)])
def test_the_digits_of_a_decimal_stand_on_both_sides_of_the_point(precision, scale, digits):
    """`numeric(2, 5)` holds 0.00012, `numeric(2, -3)` holds 99000."""
    column = sa.column("k", sa.Numeric(precision, scale))
    expression(field("k", "eq", 1), {"k": Decimal(column, digits)}, "postgresql")
    with pytest.raises(Untranslatable, match=f"map it to Decimal with {digits}"):
        expression(field("k", "eq", 1), {"k": Decimal(column, digits - 1)}, "postgresql")
