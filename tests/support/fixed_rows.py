"""Rows that no random run may miss, and every comparison over them: each target's answer is held against the oracle.

A row has an attribute for each kind of column; `native` gives the values that a column of that kind stores.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any
from uuid import UUID

from writ.runtime.translate import Untranslatable
from writ.runtime.translate.read_tree import read_tree

from tests.support.filter_trees import tree_holds
from tests.support.oracle_entities import Json

Row = dict[str, Json]
Tree = dict[str, Any]

STORED: dict[str, Json] = {"final": "draft", "DRAFT": "a", "a": "", "é": "\U0001f600", "five": 5, "yes": True, "1": "1"}
"""The attribute for each name that the enumeration stores; neither order is that of the other."""

VALUES: dict[str, tuple[Json, ...]] = {
    "text": (
        *("", " ", "a", "a ", "A", "b", "ab", "aé", "é", "e\u0301", "É", "ß", "ss", "İ", "i", "K", "\u212a", "draft"),
        *("draft\n", "Draft", "0", "1", "5", "+", "null", "true", "%", "_", "a%b", "\\", "'", '"', "\t", "\x7f"),
        *("\ue000x", "\uffff", "\U0001f600", "\U0010ffff", "2024-02-29", "1e5", "\x00", "a\x00b"),
    ),
    "whole": (0, 1, -1, 2, 5, 2**31, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, -(2**63), -(2**53) - 1),
    "real": (
        *(0.0, -0.0, 1.0, 0.1, 1.1, 1.5, -1.5, 2.7, 0.30000000000000004, 5e-324, -5e-324, 2.2250738585072014e-308),
        *(1.7976931348623157e308, -1.7976931348623157e308, 2.0**53, 2.0**53 + 2, 2.0**63, 1e22, 1e23),
    ),
    "money": (0.0, 0.0001, -0.0001, 0.3, 1.0, 1.1, 1.5, 2.675, 2.7, 99999999.9999, -99999999.9999),
    "flag": (True, False),
    "uid": (
        *("00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001"),
        *("12300000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426614174000"),
        *("7fffffff-ffff-ffff-ffff-ffffffffffff", "80000000-0000-0000-0000-000000000000"),
        *("ab000000-0000-4000-8000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    ),
    "day": (
        *("0001-01-01", "0999-12-31", "1000-01-01", "1582-10-10", "1969-12-31", "1970-01-01", "2000-02-29"),
        *("2024-02-29", "2024-03-01", "2024-12-31", "9999-12-31"),
    ),
    "moment": (
        *("0001-01-01T00:00:00.000000Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.000000Z"),
        *("2024-02-29T12:00:00.000000Z", "2024-02-29T12:00:00.000001Z", "2024-02-29T12:00:00.500000Z"),
        *("2024-03-31T01:30:00.000000Z", "2024-10-27T00:30:00.000000Z", "2024-10-27T01:30:00.000000Z"),
        *("2024-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ),
    "state": tuple(STORED.values()),
}
"""The attributes of each kind of column; `money` has 12 digits, 4 of them after the point."""

LOOK_ALIKES: tuple[Json, ...] = (
    *(True, False, 0, 0.0, -0.0, 1, 1.0, 5, "", "0", "1", "5", "true", "a", "draft", [], {}, [1], ["a"], {"a": 1}),
    *(0.1, 2.5, -2.5, 2**53 + 1, 2.0**53, 2**63, -(2**63) - 1, 2**64, 10**30, 1e308, 5e-324, "zzz", "\U0001f600"),
)
NEAR: tuple[Json, ...] = (
    *("123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000", "123e4567", "{", "g", "fffffffff"),
    *("2024-2-29", "2023-02-29", "2024-02-30", "20240229", "0000-01-01", "10000-01-01", "2024-02", "-", ":", "9"),
    *("2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000000+00:00", "2024-02-29T12:00:00.000000+00:00Z", "2024-02-29 12"),
    *("2024-02-29T12:00:00.0000005Z", "2024-02-29T12:00:60.000000Z", "2024-02-29T", "2024-02-29T12:00:00.000000z"),
)
"""Texts that are almost those of a UUID, a date or an instant."""

INSTANTS = (
    *("0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.0000005Z", "2024-02-29T12:00Z"),
    *("2024-02-29T13:00:00.000000999+01:00", "2024-02-29T12:00:00.000001Z", "2024-02-29T12:00:00.0000015Z"),
    *("9999-12-31T23:59:59.999998999Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.9999995Z"),
)
"""Instants at the microseconds of the rows, and between two (X5)."""

PATTERNS = (
    *("", "^", "$", "^$", "a", "^a", "a$", "^a$", "b$", r"\.", "é$", "^\U0001f600", "^draft$", "draft", "^2024-", "Z$"),
    *("^2024-02-29$", "^2024-02-29T12", "^é", "^1", "^123e4567-", "^9999-12-31", "^g", "%", "_", r"\\", "^0"),
)
OPS = ("eq", "ne", "gt", "gte", "lt", "lte")


def rows() -> list[Row]:
    """Every value of every column once at least, each column with nulls, and a row of nulls only."""
    size = max(map(len, VALUES.values()))
    found: list[Row] = []
    for number in range(size):
        # A column with few values repeats them, with a null between.
        row = {key: [*values, None][number % (len(values) + 1)] for key, values in VALUES.items()}
        found.append({"id": f"r{number}", **row})
    return [*found, {"id": "null", **dict.fromkeys(VALUES)}]


def native(row: Row) -> dict[str, Any]:
    """The row as an application stores it: Decimal, UUID, date, datetime in UTC, the enumeration's names."""
    names = {repr(attribute): name for name, attribute in STORED.items()}
    reads: dict[str, Callable[[Any], Any]] = {
        "money": lambda value: Decimal(repr(value)),
        "uid": UUID,
        "day": dt.date.fromisoformat,
        "moment": lambda value: dt.datetime.fromisoformat(value),
        "state": lambda value: names[repr(value)],
    }
    return {key: value if value is None else reads.get(key, lambda same: same)(value) for key, value in row.items()}


def trees(keys: Sequence[str]) -> Iterator[Tree]:
    """Every operator on every key, with each value of the column, with look-alikes of another type, and near misses.

    A key such as `moment_naive` is a second column of the kind `moment`.
    """
    for key in keys:
        kind = key.partition("_")[0]
        near = NEAR if kind in ("uid", "day", "moment") else ()
        own, strange = (*VALUES.get(kind, VALUES["text"]), *near), LOOK_ALIKES
        for op in OPS:
            ordered = op not in ("eq", "ne")
            for constant in (*own, *strange) if op in ("eq", "ne", "gt") else own:
                if not ordered or (isinstance(constant, str | int | float) and not isinstance(constant, bool)):
                    yield _field(key, op, constant)
        constants = [*own, *strange]
        for op in ("in", "nin"):
            yield from (_field(key, op, some) for some in ([], constants, constants[::2], constants[1::3]))
        yield from (_field(key, "regex", pattern) for pattern in PATTERNS)
        if kind in VALUES and kind != "text":
            for op in ("gt", "gte", "lt", "lte"):
                yield from (_field(key, op, instant) | {"value_type": "instant"} for instant in INSTANTS)


def assert_exact(
    select: Callable[[Tree], list[str]], table: Sequence[Row], keys: Sequence[str], refused: Sequence[str] = ()
) -> None:
    """Each tree selects the rows of which the oracle says that it is true (F5), or is refused.

    One comparison in three and each pattern is asked under a `not`: if a condition is NULL of a row, neither has it.
    """
    everything = sorted(str(row["id"]) for row in table)
    for number, tree in enumerate(trees(keys)):
        fits = fitting(tree, table)
        negated = {"type": "logical", "operator": "not", "conditions": [tree]}
        asked = [(tree, fits)] if number % 3 else []
        if tree["operator"] == "regex" or not asked:
            asked.append((negated, sorted({*everything} - {*fits})))
        for chosen, expected in asked:
            try:
                found = sorted(select(chosen))
            except Untranslatable as ex:
                if any(reason in ex.reason for reason in refused):
                    continue
                raise
            assert found == expected, (chosen, set(found) ^ set(expected))


def key_of(tree: Tree) -> str:
    """The key of a comparison, or of a negated one."""
    return str(tree["field"] if tree["type"] == "field" else tree["conditions"][0]["field"])


def fitting(tree: Tree, table: Sequence[Row]) -> list[str]:
    """The ids of the rows of which the tree is true; a number that JSON has not is absent."""
    read = read_tree(tree)
    return sorted(str(row["id"]) for row in table if tree_holds(read, lambda key, row=row: _finite(row.get(key))))


def _finite(value: Json) -> Json:
    return None if isinstance(value, float) and not isfinite(value) else value


def _field(key: str, op: str, value: Json) -> Tree:
    return {"type": "field", "field": key, "operator": op, "value": value}


JSON_ROWS: list[Row] = [
    {"id": f"j{number}", "any": value}
    for number, value in enumerate((*VALUES["text"], *VALUES["whole"], *VALUES["real"], *LOOK_ALIKES, None))
]
"""Rows with one JSON value each."""
