"""Polars expressions, held against the predicate: nulls, NaN, decimals, structs."""

from decimal import Decimal as Exact

import polars as pl
import pytest
from writ.runtime.translate import Attributes, Boolean, Decimal, Integer, Real, Text, Untranslatable
from writ.runtime.translate.polars import expression

from tests.support.translated import TYPED, assert_agrees, field, rows

FIELDS = {
    "id": Text("id"),
    "text": Text(pl.col("part").struct.field("text")),
    "whole": Integer("whole"),
    "real": Real("real"),
    "money": Decimal("money", digits=12),
    "flag": Boolean("flag"),
}
ROWS = rows(seed=7, size=120) + [{"id": name, "real": float(name)} for name in ("nan", "inf", "-inf")]
FRAME = pl.DataFrame(
    {
        "id": [row["id"] for row in ROWS],
        "part": [{"text": row.get("text")} for row in ROWS],
        "whole": [row.get("whole") for row in ROWS],
        "real": [row.get("real") for row in ROWS],
        "money": [None if row.get("money") is None else Exact(str(row["money"])) for row in ROWS],
        "flag": [row.get("flag") for row in ROWS],
    },
    schema_overrides={"money": pl.Decimal(12, 4), "part": pl.Struct({"text": pl.String}), "whole": pl.Int64},
    strict=False,
)


def test_it_says_what_the_predicate_says(capfd):
    assert_agrees(lambda tree: FRAME.filter(expression(tree, FIELDS))["id"].to_list(), ROWS, ("id", *TYPED))
    # Polars says there what it deprecates: its engine drops the exception that the warning is made here.
    assert capfd.readouterr().err == ""


def test_it_is_never_null_and_lazy_frames_take_it():
    tree = {"type": "logical", "operator": "not", "conditions": [field("text", "ne", "a")]}
    assert FRAME.select(expression(tree, FIELDS)).to_series().null_count() == 0
    lazy = FRAME.lazy().filter(expression(tree, FIELDS)).collect()
    assert lazy["id"].to_list() == [row["id"] for row in ROWS if row.get("text") in (None, "a")]


@pytest.mark.parametrize(
    ("tree", "reason"),
    [(field("text", "regex", r"\d"), "not RE2"), (field("doc", "eq", 1), "of one type a column")],
)
def test_refusals(tree, reason):
    with pytest.raises(Untranslatable) as caught:
        expression(tree, {**FIELDS, "doc": Attributes("doc")})
    assert reason in caught.value.reason
