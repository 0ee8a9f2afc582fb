"""A raw piece of SQL that is not refused stays in its brackets: each database is asked, with hostile pieces."""

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from writ.queries.raw_sql import LOOSE_WORDS, check_raw, fault_of, names_word
from writ.queries.refusal import QueryRefused

from tests.runtime.translate.conftest import mariadb  # noqa: F401  # a fixture
from tests.support.strategies_pick import Pick

Ask = Callable[[str], bool]
PIECES = (
    *("1=1", "1=1", "a='x'", "a", "1", "1=1) OR (1=1", "1=1 OR 1=1", "1=1) OR 1=1 OR (1=0", "a BETWEEN 'a'"),
    *(")", "(", " OR ", " OR ", " AND ", " NOT ", " || ", "||", " XOR ", "'", "''", '"', "`", "[", "]", "{", "}"),
    *("--", "-- ", "/*", "*/", "/*!", "#", ";", "$$", "$a$", "a$b$", "$1", "\\", "\\'", "E'", "e'", "U&'", "N'", "x'"),
    *("\n", " ", " BETWEEN 0", " CASE WHEN 1=1 THEN 1", " THEN 1", " ELSE 0", " END", "@a(", ":a(", "$a(", "#a("),
    *(
        " UNION SELECT a FROM one",
        " UNION SELECT 'y'",
        " LIMIT 5",
        " GROUP BY a",
        " HAVING 1=1",
        " ORDER BY 1",
        "+",
        "=",
    ),
)
"""What hostile pieces are made of, and ordinary ones."""


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"], scope="module")
def asked(request: Any) -> Iterator[tuple[str, Ask]]:
    """A database by its name, and whether a statement of it has rows."""
    table = "CREATE TABLE one (a VARCHAR(9))", "INSERT INTO one VALUES ('x')"
    if request.param == "sqlite":
        database = sqlite3.connect(":memory:")
        request.addfinalizer(database.close)
        run: Any = database.execute
    elif request.param == "postgresql":
        connection = psycopg.connect(request.getfixturevalue("postgresql"), autocommit=True)
        request.addfinalizer(connection.close)  # noqa: PT021  # each database is closed in its way
        run = connection.execute
    else:
        cursor = request.getfixturevalue("mariadb").cursor()

        def run(statement: str) -> Any:
            cursor.execute(statement)
            return cursor

        run("CREATE DATABASE IF NOT EXISTS pieces")
        run("USE pieces")
    run("DROP TABLE IF EXISTS one")
    for statement in table:
        run(statement)

    def has_rows(statement: str) -> bool:
        try:
            return bool(run(statement).fetchall())
        except Exception:
            return False

    yield request.param, has_rows
    run("DROP TABLE one")


def test_a_piece_stays_in_its_brackets(asked: tuple[str, Ask]) -> None:
    """The other condition is never true, so a row says that the piece has loosened it."""
    dialect, has_rows = asked
    pick, leaks, kept = Pick.seeded(7), 0, 0
    for _ in range(6_000):
        sql = "".join(pick.one(PIECES) for _ in range(pick.number(1, 6)))
        is_refused = fault_of(sql, dialect) is not None
        loosened = has_rows(f"SELECT a FROM one WHERE ({sql}) AND 0 = 1")
        assert is_refused or not loosened, sql
        leaks += loosened
        if is_refused:
            continue
        kept += 1
        if names_word(sql, LOOSE_WORDS, dialect) is None:
            for statement in (f"{sql} AND (0 = 1)", f"(0 = 1) AND {sql}", f"(0 = 1) AND {sql} AND 1 = 1"):
                assert not has_rows(f"SELECT a FROM one WHERE {statement}"), sql
    assert leaks > 5
    assert kept > 500


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("1=1) OR (1=1", "closes a bracket that it did not open"),
        ("(1=1", "leaves a bracket open"),
        ("(1]", "closes a bracket"),
        ("a = 'x", "leaves a quote open"),
        ("1=1 -- x", "has a comment"),
        ("1=1 /* x */", "has a comment"),
        ("1=1; DELETE FROM one", "has a semicolon"),
        ("1=1\0", "has a NUL"),
    ],
)
@pytest.mark.parametrize("dialect", ["postgresql", "mysql", "mariadb", "sqlite", "oracle", None])
def test_what_each_database_reads_so_is_refused(sql: str, words: str, dialect: str | None) -> None:
    with pytest.raises(QueryRefused, match=words):
        check_raw(sql, dialect)


@pytest.mark.parametrize(
    ("sql", "refusing"),
    [
        ("a = '\\'", {"postgresql", "mysql", "mariadb"}),
        ("a = 1 # 2", {"mysql", "mariadb"}),
        ("a = $$x$$", {"postgresql", "sqlite"}),
        ("`)` = `(`", {"postgresql"}),
        ("[)] = 1", {"postgresql", "mysql", "mariadb"}),
        ("@a(')", {"sqlite", "postgresql", "mysql", "mariadb"}),
        ("@a(x)", {"sqlite"}),
        ("a = @a", {"sqlite"}),
        ("a = :a", {"sqlite"}),
        ("a = '\1'", {"postgresql", "mysql", "mariadb", "sqlite"}),
        ("a = '%(b_1)s'", {"postgresql", "mysql", "mariadb", "sqlite"}),
        ("a IN __[POSTCOMPILE_a_1]", {"postgresql", "mysql", "mariadb", "sqlite"}),
        ("a = \1 AND b = ':c' AND c = '10%'", set()),
        ("a ? 'x'", {"mysql", "mariadb", "sqlite"}),
        ("a = 'it''s -- (' AND \"b;\" > 0", set()),
        ("lower(a) IN ('x', 'y') AND a$b = \1", set()),
        ("a::text #>> '{a,b}'", {"mysql", "mariadb"}),
        ("E'a' || 'b' = \1", set()),
    ],
)
def test_each_database_reads_its_own_quotes(sql: str, refusing: set[str]) -> None:
    found = {one for one in ("postgresql", "mysql", "mariadb", "sqlite") if fault_of(sql, one) is not None}
    assert found == refusing
    assert (fault_of(sql, "oracle") is None) == (not refusing)


def test_made_sql_may_have_backslashes() -> None:
    """SQLAlchemy escapes as the connection reads, so its own literals are no fault."""
    assert fault_of("a LIKE 'x' ESCAPE '\\\\'", "mysql", "escape") is None
    assert fault_of("a LIKE 'x' ESCAPE '\\'", "mysql", "escape") == "leaves a quote open"
    assert fault_of("a LIKE 'x' ESCAPE '\\'", "postgresql", "plain") is None
    assert fault_of("a = E'\\'", "postgresql", "plain") == "leaves a quote open"
    assert fault_of("a = E'\\') OR (E''", "postgresql", "plain") is not None


def test_words_outside_of_brackets() -> None:
    assert names_word("a = 'OR' AND (b OR c)", LOOSE_WORDS) is None
    assert names_word("a = 1 or b", LOOSE_WORDS) == "OR"
    assert names_word("a || b", LOOSE_WORDS, "mysql") == "||"
    assert names_word("a || b", LOOSE_WORDS, "sqlite") is None
    assert names_word("a || b", LOOSE_WORDS) == "||"
