"""Hostile rows and random filters over them, and the question that every translation answers: which rows fit."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from writ.runtime.translate import Untranslatable
from writ.runtime.translate.python import predicate

from tests.support.strategies_pick import Pick
from tests.support.strategies_values import LOOK_ALIKES, NUMBERS, TEXTS

Row = dict[str, Any]
EDGES = (
    2**53 - 1,
    2**53 + 2,
    2**53 + 3,
    -(2**53) - 1,
    2**63,
    -(2**63),
    -(2**63) - 1,
    1.5,
    -0.5,
    1.1,
    2.5,
    1e-9,
    10**30,
)
WORDS = (
    *TEXTS,
    "a ",
    " a",
    "Draft",
    "draft",
    "DRAFT",
    "draft\n",
    "%",
    "a%b",
    "a_b",
    "\\",
    "'",
    '"',
    "$a",
    "\ue000x",
    "5",
)
LITERALS = (
    "^a$",
    "^a",
    "b$",
    "a.b",
    r"a\.b",
    "^$",
    "",
    "^draft$",
    "draft",
    "^\U0001f600",
    "é$",
    r"^\$a",
    "%",
    "\\\\",
    "a$",
    "_",
)
DEEP = (
    [1, [2.0, "x"]],
    [1, None],
    {"a": {"b": [1]}},
    {"a": None},
    {"b": 1, "a": 1},
    ["\x00"],
    ["a\x00b", "a"],
    [True, "true", None],
    [1.0, 2],
    [["a"], [[1]]],
    [[2, "x"]],
    [{"b": [1]}, None],
    [2**63, 2**53 + 1, 1.5],
    {"a\x00": 1},
    {'q"q': 1},
)
TYPED = {
    "text": WORDS,
    "whole": (0, 1, 2, -1, 3, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, -(2**63), 5, 100),
    "real": (0.0, -0.0, 1.0, 1.5, -1.5, 0.1, 1.1, 1e308, -1e308, 5e-324, float(2**53), float(2**63), 2.5, 1e-9),
    "money": (0.0, 1.0, 1.1, -1.1, 1.5, 2.5, 99999999.9999, 0.0001),
    "flag": (True, False),
}
"""The values that a column of each type may hold; `money` has 12 digits, 4 of them after the point."""

INSIDE = ("a", "b", "a.b", "a.b.c", "é", "n")
"""Keys that are read in the JSON document of attributes; `any` is a whole JSON value, `deep` a path in one."""

SHARP: tuple[Any, ...] = (
    {"a": 1},
    {"a": 1.0},
    {"a": True},
    {"a": 1, "b": 2},
    {"a": {"b": 2}, "a.b": 1},
    {"a": {"b": 2}, "a.b": None},
    {"a.b": 2, "n\x00": 1, "n": "a\x00b"},
    {"n\x00": "a"},
    {"n": "a"},
    {"n": ["a"], "a": [{"b": 2}]},
    {"n": {}, "a": []},
    {"n": ["a", "b"], "a": [[]]},
    {"n": [["a"]], "a": [{}]},
    {"n": [None], "a": [1]},
    {"n": [1, [2, "x"]], "a": [[1, [2, "x"]]]},
    {"n": [True], "a": ["1"]},
    ["a", 1],
    [1.0],
)
"""Documents, and values, that one mistake each would take for another; every table begins with them."""

ANYTHING: tuple[Any, ...] = (*LOOK_ALIKES, *WORDS, *NUMBERS, *EDGES, *DEEP)


def rows(seed: int, size: int) -> list[Row]:
    """Rows with a member for each column; half the values are missing or null, or of the wrong type where JSON."""
    pick = Pick.seeded(seed)
    found = []
    for number in range(size):
        row: Row = {name: pick.one(values) if pick.chance(4, 5) else None for name, values in TYPED.items()}
        row["any"] = pick.one(ANYTHING) if pick.chance(9, 10) else None
        row["doc"] = document(pick)
        if number < len(SHARP):
            row["doc"] = row["any"] = SHARP[number]
        row["id"] = pick.one(WORDS).replace("\0", "") + str(number) if number else "a"
        found.append(row)
    return found


def document(pick: Pick) -> Any:
    """The JSON object of a row's attributes, now and then something else."""
    if pick.chance(1, 12):
        return pick.one((None, [], ["a"], "a", 5, [{"a": 1}]))
    found: Row = {}
    for name in pick.some(("a", "b", "a.b", "é", "n", "n\x00x", "a\x00"), 0, 5):
        found[name] = pick.one(ANYTHING) if pick.chance(4, 5) else None
    if pick.chance(1, 3):
        found["a"] = {"b": pick.one(ANYTHING) if pick.chance(3, 4) else {"c": pick.one(ANYTHING)}}
    return found


def attributes(row: Row) -> Row:
    """The row as an evaluation gets it; a value that no JSON number can say is absent (C7)."""
    doc = row.get("doc")
    found = dict(doc) if isinstance(doc, dict) else {}
    found |= {name: row.get(name) for name in (*TYPED, "any")}
    inner = found.get("a")
    found["deep"] = inner.get("b") if isinstance(inner, dict) else None
    return {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in found.items()}


def trees(keys: Sequence[str], patterns: Iterable[str] = LITERALS) -> st.SearchStrategy[Row]:
    """Filters over the keys, with constants that meet the rows' values or just miss them."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Row:
        return tree(Pick.drawn(draw), keys, tuple(patterns))

    return drawn()


def tree(pick: Pick, keys: Sequence[str], patterns: Sequence[str], depth: int = 0) -> Row:
    """One filter, three levels deep at most."""
    kind = pick.one(("field", "field", "not", "and", "or", "const")) if depth < 3 else "field"
    if kind == "const":
        return {"type": "const", "value": pick.chance(1, 2)}
    if kind == "field":
        key = pick.one(keys)
        of_elements = () if key in (*TYPED, "id") else ("has", "has_any", "has_none")
        op = pick.one(("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "regex", *of_elements))
        return field(key, op, constant(pick, key, op, patterns))
    parts = [tree(pick, keys, patterns, depth + 1) for _ in range(1 if kind == "not" else pick.number(1, 3))]
    return {"type": "logical", "operator": kind, "conditions": parts}


def constant(pick: Pick, key: str, op: str, patterns: Sequence[str]) -> Any:
    """Constants for `op`, rather one of the column's own values than another."""
    if op == "regex":
        return pick.one(patterns)
    if op == "has":
        return element(pick, key)
    if op in ("has_any", "has_none"):
        return [element(pick, key) for _ in range(pick.one((2, 1, 3, 0)))]
    if op in ("in", "nin"):
        return [single(pick, key) for _ in range(pick.one((2, 3, 1, 0)))]
    if op in ("eq", "ne"):
        return single(pick, key)
    numbers = key not in ("text", "id") and pick.chance(2, 3)
    return pick.one((*NUMBERS, *EDGES) if numbers else [word for word in WORDS if "\0" not in word] + ["\0"])


def single(pick: Pick, key: str) -> Any:
    """A constant for one comparison, without a null, which no model may hold (C2)."""
    found = pick.one(TYPED.get(key, ANYTHING) if pick.chance(3, 4) else ANYTHING)
    return "x" if has_null(found) else found


def element(pick: Pick, key: str) -> Any:
    """A constant that some arrays of the rows have, or that looks like one of their elements."""
    return pick.one(("a", "1", "true", 1, 1.0, True, 2, [2, "x"], ["a"], {"b": 2}, {"b": [1]}, "x", single(pick, key)))


def has_null(value: Any) -> bool:
    """Returns whether a null stands anywhere in the value."""
    if isinstance(value, list | dict):
        return any(map(has_null, value.values() if isinstance(value, dict) else value))
    return value is None


def field(key: str, op: str, value: Any) -> Row:
    """A field node."""
    return {"type": "field", "field": key, "operator": op, "value": value}


def fitting(filter_tree: Row, table: Iterable[Row]) -> list[str]:
    """The ids of the rows that the Python predicate takes."""
    fits = predicate(filter_tree)
    return sorted(row["id"] for row in table if fits(attributes(row), row["id"]))


def sharp_trees(keys: Sequence[str]) -> Iterable[Row]:
    """Filters that tell the sharp documents apart, plain and negated."""
    for key in {"any", "a.b", "n", "a"} & set(keys):
        for op, value in (
            *(("eq", value) for value in (*filter(lambda doc: not has_null(doc), SHARP), 1, 2, "a", ["a"], [])),
            ("gt", "a"),
            ("lte", "a"),
            *(("has", value) for value in ("a", 1, True, "1", [2, "x"], [1, [2, "x"]], {"b": 2}, ["a"], [], {})),
            *((op, value) for op in ("has_any", "has_none") for value in ([], ["a"], [1, "x", True], [{"b": [1]}, []])),
        ):
            yield field(key, op, value)
            yield {"type": "logical", "operator": "not", "conditions": [field(key, op, value)]}


def assert_agrees(
    select: Callable[[Row], list[str]],
    table: Sequence[Row],
    keys: Sequence[str],
    patterns: Iterable[str] = LITERALS,
    examples: int = 150,
    least: float = 0.5,
) -> None:
    """Every filter over the keys that is not refused selects just what the predicate does; most are not refused."""
    refused = []

    @settings(max_examples=examples)
    @given(trees(keys, patterns))
    def agrees(filter_tree: Row) -> None:
        try:
            selected = select(filter_tree)
        except Untranslatable as ex:
            refused.append(ex.reason)
            return
        assert sorted(selected) == fitting(filter_tree, table)

    for filter_tree in sharp_trees(keys):
        with contextlib.suppress(Untranslatable):
            assert sorted(select(filter_tree)) == fitting(filter_tree, table), filter_tree
    agrees()
    assert len(refused) <= examples * (1 - least), sorted(set(refused))
