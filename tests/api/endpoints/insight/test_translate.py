"""`POST …/filters:translate`: a condition of SQL that means exactly the filter, or a refusal (F5)."""

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from writ.api.endpoints.insight.translate import MOST_STEPS
from writ.runtime.translate import Decimal, Json, Real, Text
from writ.runtime.translate.python import predicate
from writ.runtime.translate.sql import DIALECTS, where

from tests.support.managed import ROOT, Managed

TRANSLATE = f"{ROOT}/filters:translate"


def field(key: str, operator: str, value: Any) -> dict[str, Any]:
    return {"type": "field", "field": key, "operator": operator, "value": value}


def logical(operator: str, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "logical", "operator": operator, "conditions": [*conditions]}


DIRECT = {"type": "direct", "resource_type": "d", "action": "a", "subject": {"type": "u", "id": "1"}, "groups": []}
DRAFT = field("status", "eq", "draft")
NOT_SECRET = logical("and", logical("not", field("level", "gt", 3)), field("status", "nin", ["secret", "top"]))
OWN = logical("or", field("id", "eq", "d2"), field("owner.team", "in", ["a", 7]))
ROWS: list[dict[str, Any]] = [
    {"id": "d1", "attributes": {"status": "draft", "level": 1}},
    {"id": "d2", "attributes": {"status": "secret", "level": 4}},
    {"id": "d3", "attributes": {"level": "3", "owner": {"team": "a"}}},
    {"id": "d4", "attributes": {"status": None, "level": 3.5, "owner.team": 7}},
    {"id": "d5", "attributes": {"status": ["draft"], "id": "d2"}},
]


def translated(service: Managed, **body: Any) -> dict[str, Any]:
    answer = service.simulate_post(TRANSLATE, json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json)


@pytest.mark.parametrize("tree", [DRAFT, NOT_SECRET, OWN, {"type": "const", "value": False}])
def test_without_columns_the_attributes_are_a_json_object(service: Managed, tree: dict[str, Any]) -> None:
    """SQLite finds the rows that the filter is true of, beside another table with the same columns."""
    found = translated(service, filter=tree, dialect="sqlite", table="documents")
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE documents (id TEXT, type TEXT, attributes TEXT)")
        db.execute("CREATE TABLE others (id TEXT, type TEXT, attributes TEXT)")
        db.execute("INSERT INTO others VALUES ('x', 'x', '{}')")
        rows = [(row["id"], "document", json.dumps(row["attributes"])) for row in ROWS]
        db.executemany("INSERT INTO documents VALUES (?, ?, ?)", rows)
        query = f"SELECT documents.id FROM documents, others WHERE {found['sql']} ORDER BY documents.id"
        shown = [id for (id,) in db.execute(query, found["parameters"])]
    holds = predicate(tree)
    assert shown == [row["id"] for row in ROWS if holds(row["attributes"], row["id"], "document")]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_columns_are_mapped_by_their_types(service: Managed, dialect: str) -> None:
    tree = logical("and", DRAFT, field("price", "gte", 1.5))
    exact = {"type": "decimal", "digits": 10} if dialect != "sqlite" else {"type": "real"}
    columns = {"status": {"type": "text"}, "price": {"column": "p.amount"} | exact}
    found = translated(service, filter=tree, dialect=dialect, columns=columns)
    price = Decimal("p.amount", 10) if dialect != "sqlite" else Real("p.amount")
    expected = where(tree, {"status": Text("status"), "price": price}, dialect)
    assert (found["sql"], found["dialect"]) == (expected.text, dialect)
    assert [*map(str, found["parameters"])] == [*map(str, expected.parameters)]


def test_a_value_inside_json_has_a_path(service: Managed) -> None:
    tree = field("owner.team", "eq", "a")
    columns = {"owner.team": {"type": "json", "column": "owner", "path": ["team"]}}
    found = translated(service, filter=tree, dialect="postgresql", columns=columns, table="d")
    expected = where(tree, {"owner.team": Json("d.owner", ("team",))}, "postgresql")
    assert (found["sql"], found["parameters"]) == (expected.text, expected.parameters)


def test_names_are_quoted(service: Managed) -> None:
    columns = {"status": {"type": "text", "column": 'a" OR 1=1 --'}}
    found = translated(service, filter=DRAFT, dialect="postgresql", columns=columns)
    assert '"a"" OR 1=1 --"' in found["sql"]
    assert "draft" not in found["sql"], "values are parameters"


@pytest.mark.parametrize(
    ("body", "code", "path"),
    [
        ({}, "bad-filter", "$"),
        ({"filter": DRAFT}, "bad-filter", "$"),
        ({"filter": DRAFT, "dialect": "oracle"}, "bad-filter", "$.dialect"),
        ({"filter": {}, "dialect": "sqlite"}, "bad-filter", "$.filter.type"),
        ({"filter": DRAFT | {"more": 1}, "dialect": "sqlite"}, "bad-filter", "$.filter"),
        ({"filter": logical("and", DRAFT, field("a", "like", "x")), "dialect": "sqlite"}, "bad-filter", None),
        ({"filter": DRAFT, "dialect": "duckdb"}, "untranslatable", "$.filter"),
        ({"filter": logical("or", DRAFT, DIRECT), "dialect": "sqlite"}, "untranslatable", "$.filter.conditions[1]"),
        ({"filter": DRAFT, "dialect": "mysql", "columns": {}}, "untranslatable", "$.filter"),
        (
            {"filter": DRAFT, "dialect": "mysql", "columns": {"status": {"type": "decimal"}}},
            "bad-filter",
            "$.columns.status",
        ),
        (
            {"filter": DRAFT, "dialect": "mysql", "columns": {"status": {"type": "text", "path": ["a"]}}},
            "bad-filter",
            "$.columns.status.path",
        ),
        ({"filter": DRAFT, "dialect": "mysql", "columns": {"status": {"type": "blob"}}}, "bad-filter", None),
        (
            {"filter": DRAFT, "dialect": "mysql", "columns": {f"c{one}": {"type": "text"} for one in range(201)}},
            "bad-filter",
            "$.columns",
        ),
        ({"filter": DRAFT, "dialect": "mysql", "columns": {"c" * 129: {"type": "text"}}}, "bad-filter", None),
        ({"filter": DRAFT, "dialect": "mysql", "table": ""}, "bad-filter", "$.table"),
    ],
)
def test_what_can_t_be_translated_is_refused_with_its_place(
    service: Managed, body: dict[str, Any], code: str, path: str | None
) -> None:
    answer = service.simulate_post(TRANSLATE, json=body)
    assert answer.status_code == 400
    (detail,) = answer.json["details"]
    assert detail["code"] == code
    assert path is None or detail["path"] == path
    assert detail["message"] == answer.json["error"]


def test_an_unknown_environment_is_not_found(service: Managed) -> None:
    path = "/v1/environments/none/filters:translate"
    assert service.simulate_post(path, json={"filter": DRAFT, "dialect": "sqlite"}).status_code == 404


@pytest.mark.parametrize("name", ["x\0y", "..", ".x", "x.", "a..b"])
def test_a_name_that_no_column_has_is_refused(service: Managed, name: str) -> None:
    for more in ({"columns": {"status": {"type": "text", "column": name}}}, {"table": name}):
        answer = service.simulate_post(TRANSLATE, json={"filter": DRAFT, "dialect": "sqlite"} | more)
        assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "$.columns")


def test_a_long_condition_is_refused_before_it_is_made(service: Managed) -> None:
    """Few conditions on long paths count as much as many on short ones."""
    column = {"type": "json", "path": [f"step-{number}" for number in range(31)]}
    body = {"dialect": "mysql", "columns": {"status": column}}
    for count, status in ((MOST_STEPS // 32, 200), (MOST_STEPS // 32 + 1, 400)):
        tree = logical("or", *(field("status", "eq", str(number)) for number in range(count)))
        answer = service.simulate_post(TRANSLATE, json=body | {"filter": tree})
        assert answer.status_code == status, answer.text
    assert answer.json["details"] == [
        {
            "code": "bad-filter",
            "path": "$.filter",
            "message": f"the filter has more than {MOST_STEPS} conditions and steps of their paths",
        }
    ]
