"""The fixed rows in the targets that are no SQL: the predicate, frames, and the indexes and documents of the models."""

import datetime as dt
from functools import partial

import pandas as pd
import polars as pl
import pytest
from writ.runtime.translate import (
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
    elasticsearch,
    mongo,
    polars,
)
from writ.runtime.translate.pandas import mask
from writ.runtime.translate.python import predicate

from tests.support import lucene_index, mongo_expressions
from tests.support.fixed_rows import JSON_ROWS, STORED, VALUES, assert_exact, native, rows

FIELDS = {
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
    "any": Json("any"),
}
TYPED = tuple(key for key in FIELDS if key != "any")
ROWS = [row | {"moment_naive": row["moment"]} for row in rows()]
STRANGE = [{"id": name, "real": float(name)} for name in ("nan", "inf", "-inf")]
NOT_RE2, NO_TEXT = "regular expressions are not RE2", "not the text in which"


def stored():
    found = [native(row) for row in ROWS]
    return [row | {"moment_naive": row["moment"] and row["moment"].replace(tzinfo=None)} for row in found] + STRANGE


def test_the_predicate():
    def select(tree):
        fits = predicate(tree)
        return [row["id"] for row in (*ROWS, *JSON_ROWS) if fits(row)]

    assert_exact(select, [*ROWS, *JSON_ROWS], [*TYPED, "any"])


def test_pandas():
    frame = pd.DataFrame({key: pd.Series([row.get(key) for row in stored()], dtype=object) for key in ("id", *TYPED)})
    assert_exact(lambda tree: frame[mask(tree, frame, FIELDS)]["id"].tolist(), ROWS + STRANGE, TYPED)


def test_pandas_with_columns_of_its_own_types():
    """Gaps turn integers into floats; instants of any zone and unit, categories and strings have types of their own."""
    found = stored()
    moments = [row.get("moment") for row in found]
    frame = pd.DataFrame({"id": [row["id"] for row in found]})
    frame["text"] = pd.Series([row.get("text") for row in found], dtype="str")
    frame["moment"] = pd.Series(moments, dtype="datetime64[us, UTC]").dt.tz_convert("America/New_York")
    frame["moment_naive"] = pd.Series(moments, dtype="datetime64[us, UTC]").dt.tz_localize(None)
    frame["state"] = pd.Categorical([row.get("state") for row in found])
    frame["flag"] = pd.array([row.get("flag") for row in found], dtype="boolean")
    keys = ["text", "moment", "moment_naive", "state", "flag"]
    assert_exact(lambda tree: frame[mask(tree, frame, FIELDS)]["id"].tolist(), ROWS + STRANGE, keys)


def test_instants_of_pandas_beyond_the_text_are_absent_and_nanoseconds_are_cut_off():
    seconds = [-62135596801, 253402300800, 253402300799]
    frame = pd.DataFrame({"k": pd.Series(seconds).astype("datetime64[s]")})
    tree = {"type": "field", "field": "k", "operator": "ne", "value": "x"}
    for zone in (None, "UTC", "America/New_York"):
        zoned = frame if zone is None else frame.assign(k=frame["k"].dt.tz_localize("UTC").dt.tz_convert(zone))
        assert mask(tree, zoned, {"k": DateTime("k")}).tolist() == [False, False, True]
    fine = pd.DataFrame({"k": [pd.Timestamp("1969-12-31T23:59:59.999999999Z")]})
    for op, text in (("eq", "1969-12-31T23:59:59.999999Z"), ("lt", "1970"), ("gt", "1969-12-31T23:59:59.999998Z")):
        assert mask(tree | {"operator": op, "value": text}, fine, {"k": DateTime("k")}).all()


def test_pandas_json():
    frame = pd.DataFrame({"id": [row["id"] for row in JSON_ROWS]})
    frame["any"] = pd.Series([row["any"] for row in JSON_ROWS], dtype=object)
    assert_exact(lambda tree: frame[mask(tree, frame, FIELDS)]["id"].tolist(), JSON_ROWS, ["any"])


def test_polars():
    names = pl.Enum([*reversed(STORED)])
    kinds = {"text": pl.String, "whole": pl.Int64, "real": pl.Float64, "money": pl.Decimal(12, 4), "flag": pl.Boolean}
    kinds |= {"day": pl.Date, "moment": pl.Datetime("us", "UTC"), "moment_naive": pl.Datetime("us"), "state": names}
    frame = pl.DataFrame({key: pl.Series([row.get(key) for row in stored()], dtype=kinds[key]) for key in kinds})
    frame = frame.with_columns(
        pl.Series("id", [row["id"] for row in stored()]),
        pl.col("moment").dt.convert_time_zone("America/New_York"),
        pl.col("text").cast(pl.Enum([*reversed(VALUES["text"])])).alias("text_names"),
    )

    def select(tree):
        return frame.filter(polars.expression(tree, FIELDS | {"text_names": Text("text_names")}))["id"].to_list()

    table = [row | {"text_names": row.get("text")} for row in ROWS + STRANGE]
    assert_exact(select, table, [*kinds, "text_names"], (NOT_RE2, NO_TEXT))


def test_elasticsearch():
    names = {repr(attribute): name for name, attribute in STORED.items()}
    kept = [row | {"state": names.get(repr(row["state"]))} for row in ROWS]

    def select(tree):
        found = elasticsearch.query(tree, FIELDS)
        return [row["id"] for row in kept if lucene_index.matches(found, row)]

    assert_exact(select, ROWS, ["text", "whole", "real", "flag", "state"], (NOT_RE2,))


def in_milliseconds():
    """The rows with the moments that a column of milliseconds holds, as their texts and as they are stored."""
    texts = [{"id": row["id"], "moment": row["moment"] and f"{row['moment'][:23]}000Z"} for row in ROWS]
    return texts, [native(row) for row in texts]


def test_dates_of_elasticsearch():
    texts, kept = in_milliseconds()

    def select(tree):
        found = elasticsearch.query(tree, FIELDS)
        return [row["id"] for row in kept if lucene_index.matches(found, row)]

    assert_exact(select, texts, ["moment"], (NOT_RE2, NO_TEXT))


def test_dates_of_mongo():
    """A Date that has no text is absent, and so is what is no Date."""
    texts, kept = in_milliseconds()
    far = [mongo_expressions.FarDate(ms) for ms in (-62135596800001, 253402300800000, -(2**63), 2**63 - 1)]
    for number, value in enumerate((*far, "2024-02-29T12:00:00.000000Z", 1709208000000, True, [kept[3]["moment"]], {})):
        texts.append({"id": f"strange {number}", "moment": None})
        kept.append({"id": f"strange {number}", "moment": value})
    texts.append({"id": "none", "moment": None})
    kept.append({"id": "none"})

    def select(tree):
        found = mongo.query(tree, FIELDS)
        return [row["id"] for row in kept if mongo_expressions.matches(found, row)]

    assert_exact(select, texts, ["moment"], (NOT_RE2, NO_TEXT))


def test_mongo():
    kept = [row for row in JSON_ROWS if not isinstance(row["any"], int) or -(2**63) <= row["any"] < 2**63]

    def select(tree):
        found = mongo.query(tree, FIELDS)
        return [row["id"] for row in kept if mongo_expressions.matches(found, row)]

    assert_exact(select, kept, ["any"], (NOT_RE2,))


KINDS = {
    "text": pl.Series(["a", "5", ""]),
    "whole": pl.Series([1, 5, 2**53 + 1]),
    "real": pl.Series([1.0, 2.7, float("nan")]),
    "money": pl.Series(["1.10", "2.70", "5.00"]).cast(pl.Decimal(12, 2)),
    "flag": pl.Series([True, False, True]),
    "day": pl.Series([0, 1, 2]).cast(pl.Date),
    "moment": pl.Series([0, 1, 2]).cast(pl.Datetime("us")),
}
ALLOWED = {("whole", "money")}
"""An integer is a decimal, too."""


@pytest.mark.parametrize("held", KINDS)
@pytest.mark.parametrize("mapped", KINDS)
def test_polars_raises_for_a_column_of_another_type(held, mapped):
    """Polars would order a boolean among strings, and 2.7 among whole numbers."""
    field = FIELDS[mapped]
    frame = pl.DataFrame({"k": KINDS[held]})
    kind = type(field)("k", 12) if mapped == "money" else type(field)("k")
    constants = {"whole": [2.5, 5], "real": [2.5, 5.0], "money": [2.5, 1.1]}
    for op in ("gt", "eq", "ne"):
        for constant in constants.get(mapped, ["b", 2.5] if mapped == "flag" else [VALUES[mapped][1], 2.5, "b"]):
            tree = {"type": "field", "field": "k", "operator": op, "value": constant}
            chosen = polars.expression(tree, {"k": kind})
            if held == mapped or (held, mapped) in ALLOWED or chosen.meta.eq(pl.lit(False)):
                frame.filter(chosen)
            else:
                with pytest.raises(pl.exceptions.PolarsError):
                    frame.lazy().filter(chosen).collect()


@pytest.mark.parametrize("held", ["uid", "day", "moment", "money", "bytes", "tuple", "time"])
@pytest.mark.parametrize("mapped", TYPED)
def test_pandas_refuses_values_of_another_kind(held, mapped):
    """Under `not`, values that count as absent would show every row."""
    others = {"bytes": b"a", "tuple": ("a",), "time": dt.time(1)}
    value = others[held] if held in others else next(row[held] for row in stored() if row.get(held))
    frame = pd.DataFrame({"k": pd.Series([None, value], dtype=object)})
    tree = {"type": "field", "field": "k", "operator": "eq", "value": "x"}
    field = FIELDS[mapped]
    kind = type(field)("k", *([12] if mapped == "money" else [STORED] if mapped == "state" else []))
    if mapped.partition("_")[0] == held:
        assert not mask(tree, frame, {"k": kind}).any()
        return
    with pytest.raises(Untranslatable) as caught:
        mask(tree, frame, {"k": kind})
    wanted = {
        "uid": "map it to Uuid",
        "day": "map it to Date",
        "moment": "map it to DateTime",
        "money": "map it to Decimal",
    }
    assert caught.value.remedy == wanted.get(held, "convert them to strings, numbers or booleans")


def test_columns_that_a_target_has_not_are_refused():
    tree = partial(dict, type="field", operator="ne", value="x")
    for make in (elasticsearch.query, polars.expression):
        with pytest.raises(Untranslatable, match=r"map a .* of their text to Text"):
            make(tree(field="uid"), FIELDS)
    with pytest.raises(Untranslatable, match="as a keyword and map it to Text"):
        elasticsearch.query(tree(field="day"), FIELDS)
