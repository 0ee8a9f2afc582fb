"""Masks of pandas frames, held against the predicate: every RE2 pattern, gaps that turn integers into floats, JSON."""

import numpy as np
import pandas as pd
import pytest
from writ.runtime.translate import Attributes, Boolean, Decimal, Integer, Json, Real, Text, Untranslatable
from writ.runtime.translate.pandas import mask

from tests.support.strategies_values import PATTERNS
from tests.support.translated import INSIDE, LITERALS, TYPED, assert_agrees, field, rows

FIELDS = {
    "id": Text("id"),
    "text": Text("text"),
    "whole": Integer("whole"),
    "real": Real("real"),
    "money": Decimal("money", digits=12),
    "flag": Boolean("flag"),
    "any": Json("any"),
    "deep": Json("doc", ("a", "b")),
    **dict.fromkeys(INSIDE, Attributes("doc")),
}
ROWS = [*rows(seed=8, size=120), *({"id": name, "real": float(name)} for name in ("nan", "inf", "-inf"))]


def frame():
    found = pd.DataFrame({name: [row.get(name) for row in ROWS] for name in ("id", "text", *TYPED, "any", "doc")})
    found["whole"] = pd.array([row.get("whole") for row in ROWS], dtype="Int64")
    found["any"] = pd.Series([row.get("any") for row in ROWS], dtype=object)
    return found.set_index(pd.Index(range(7, 7 + len(ROWS))))


def test_it_says_what_the_predicate_says():
    table = frame()
    keys = ("id", *TYPED, "any", "deep", *INSIDE)
    assert_agrees(
        lambda tree: table[mask(tree, table, FIELDS)]["id"].tolist(), ROWS, keys, (*LITERALS, *PATTERNS), 80, 1
    )


@pytest.mark.parametrize(
    ("column", "op", "value", "fits"),
    [
        (pd.Series([1, None, 3]), "gt", 1, [False, False, True]),
        (pd.Series([np.int64(3), "3", True, np.nan], dtype=object), "ne", "x", [True, False, False, False]),
        (pd.Series([1.1], dtype="float32"), "eq", 1.1, [False]),
        (pd.Series([2**64 - 1], dtype="uint64"), "gt", 2**63, [True]),
        (pd.Series([pd.NA, 2], dtype="Int8"), "lt", 1000, [False, True]),
    ],
)
def test_a_column_s_own_type_rounds_nothing(column, op, value, fits):
    assert mask(field("k", op, value), pd.DataFrame({"k": column}), {"k": Integer("k")}).tolist() == fits


def test_an_unknown_field_is_refused():
    with pytest.raises(Untranslatable, match="did you mean `text`"):
        mask(field("txt", "eq", 1), frame(), FIELDS)
