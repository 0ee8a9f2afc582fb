"""Columns of arrays in Polars, pandas, DuckDB and Elasticsearch, and the targets that refuse them (X6)."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from writ.runtime.translate import Array, Integer, Json, Text, Untranslatable, Uuid, elasticsearch, mongo, polars
from writ.runtime.translate.pandas import mask
from writ.runtime.translate.python import predicate
from writ.runtime.translate.sql import where

from tests.support import lucene_index
from tests.support.array_rows import FIELDS, assert_exact, rows
from tests.support.translated import field

ROWS = rows()
TYPES = {"texts": pl.String, "wholes": pl.Int64, "reals": pl.Float64, "flags": pl.Boolean}
NO_ARRAYS = "it has no columns of arrays"


def test_the_predicate():
    def select(tree):
        fits = predicate(tree)
        return [row["id"] for row in ROWS if fits(row)]

    assert_exact(select, ROWS)


def test_polars():
    frame = pl.DataFrame(
        {"id": [row["id"] for row in ROWS]}
        | {key: pl.Series([row[key] for row in ROWS], dtype=pl.List(kind)) for key, kind in TYPES.items()}
    )
    assert_exact(lambda tree: frame.lazy().filter(polars.expression(tree, FIELDS)).collect()["id"].to_list(), ROWS)


def test_polars_with_elements_of_narrow_types():
    frame = pl.DataFrame({"names": [["a", None], []], "small": [[1, None], [-1]]}).with_columns(
        pl.col("names").cast(pl.List(pl.Enum(["b", "a"]))), pl.col("small").cast(pl.List(pl.Int8))
    )
    fields = {"names": Array("names", of=Text), "small": Array("small", of=Integer)}
    for tree in (field("names", "has", "a"), field("small", "has_any", [1.0, 300])):
        assert frame.select(polars.expression(tree, fields)).to_series().to_list() == [True, False]


@pytest.mark.parametrize("held", [*TYPES, "plain", "nested"])
@pytest.mark.parametrize("mapped", FIELDS)
def test_polars_raises_for_elements_of_another_type(held, mapped):
    series = {
        "texts": [["a"]],
        "wholes": [[1]],
        "reals": [[1.5]],
        "flags": [[True]],
        "plain": ["a"],
        "nested": [[["a"]]],
    }
    constants = {"texts": "a", "wholes": 1, "reals": 1.5, "flags": True}
    tree = field(mapped, "has", constants[mapped])
    lazy = pl.LazyFrame({mapped: series[held]}).filter(polars.expression(tree, FIELDS))
    if held == mapped:
        assert len(lazy.collect()) == 1
    else:
        with pytest.raises(pl.exceptions.PolarsError):
            lazy.collect()


@pytest.mark.parametrize("kind", [list, tuple, np.array], ids=["list", "tuple", "numpy"])
def test_pandas(kind):
    def stored(array):
        return None if array is None else kind(array, dtype=object) if kind is np.array else kind(array)

    columns = {key: pd.Series([stored(row[key]) for row in ROWS], dtype=object) for key in FIELDS}
    frame = pd.DataFrame({"id": [row["id"] for row in ROWS]} | columns)
    assert_exact(lambda tree: frame[mask(tree, frame, FIELDS)]["id"].tolist(), ROWS)


def test_pandas_refuses_elements_of_another_kind():
    frame = pd.DataFrame({"texts": [["a"], [b"a"]]})
    with pytest.raises(Untranslatable, match="`bytes`"):
        mask(field("texts", "has", "a"), frame, FIELDS)


def test_an_array_of_arrays_is_absent_in_pandas():
    frame = pd.DataFrame({"texts": [["a"], [["a"]], np.array([["a"]], dtype=object), "a", float("nan")]})
    for op, value, found in (("has", "a", [0]), ("has_none", ["a"], []), ("has_none", ["b"], [0]), ("ne", 1, [0])):
        assert frame[mask(field("texts", op, value), frame, FIELDS)].index.tolist() == found


def test_duckdb():
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE rows (id VARCHAR, texts VARCHAR[], wholes BIGINT[], reals DOUBLE[], flags BOOLEAN[])"
    )
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", [list(row.values()) for row in ROWS])

    def select(tree):
        found = where(tree, FIELDS, dialect="duckdb")
        asked = connection.execute(
            f"SELECT id, ({found.text}) IS NULL FROM rows WHERE {found.text}", 2 * found.parameters
        )
        return [id for id, unknown in asked.fetchall() if unknown is False]

    assert_exact(select, ROWS)


def test_duckdb_heeds_no_collation_and_raises_for_arrays_of_arrays():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE words (word VARCHAR COLLATE NOCASE)")
    connection.execute("INSERT INTO words VALUES ('DRAFT')")
    connection.execute("CREATE TABLE papers AS SELECT [word] AS texts, [[word]] AS nested FROM words")
    for text, count in (("DRAFT", 1), ("draft", 0)):
        found = where(field("texts", "has", text), FIELDS, dialect="duckdb")
        for texts in ("papers", "(SELECT [word] AS texts FROM words)"):
            asked = connection.execute(f"SELECT count(*) FROM {texts} WHERE {found.text}", found.parameters)
            assert asked.fetchall() == [(count,)]
    found = where(field("texts", "has", "a"), {"texts": Array("nested", of=Text)}, dialect="duckdb")
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM papers WHERE {found.text}", found.parameters)


def test_elasticsearch():
    def select(tree):
        found = elasticsearch.query(tree, FIELDS)
        return [row["id"] for row in ROWS if lucene_index.matches(found, row)]

    assert_exact(select, ROWS, ("can't tell an empty list from none",))


@pytest.mark.parametrize(("op", "value"), [("has", "a"), ("has_any", ["a", 1])])
def test_elasticsearch_translates_elements(op, value):
    assert elasticsearch.query(field("texts", op, value), FIELDS) == {"terms": {"texts": ["a"]}}


@pytest.mark.parametrize(("op", "value"), [("has_none", ["a"]), ("has_none", []), ("ne", "a"), ("nin", [])])
def test_elasticsearch_refuses_to_tell_an_empty_list_from_none(op, value):
    with pytest.raises(Untranslatable) as caught:
        elasticsearch.query(field("texts", op, value), FIELDS)
    assert caught.value.remedy == "let the policy ask with `has_any`, plain or in a `not`"


@pytest.mark.parametrize("op", ["eq", "ne", "in", "nin"])
def test_a_whole_array_is_refused(op):
    tree = field("texts", op, [["a"]] if op in ("in", "nin") else ["a"])
    for make in (elasticsearch.query, polars.expression, lambda *given: where(*given, dialect="postgresql")):
        with pytest.raises(Untranslatable, match="compares a whole array"):
            make(tree, FIELDS)


def test_targets_without_arrays_refuse_them():
    tree = field("texts", "has", "a")
    for dialect in ("mysql", "sqlite"):
        with pytest.raises(Untranslatable, match=NO_ARRAYS) as caught:
            where(tree, FIELDS, dialect=dialect)
        assert caught.value.remedy == "keep the array as JSON, and map the key to Json"
        where(tree, {"texts": Json("texts")}, dialect=dialect)
    with pytest.raises(Untranslatable, match="map the key to Json, Attributes or DateTime"):
        mongo.query(tree, FIELDS)


def test_elements_of_other_types_are_refused():
    with pytest.raises(Untranslatable, match="its elements are `Uuid`"):
        where(field("k", "has", "a"), {"k": Array("k", of=Uuid)}, dialect="postgresql")
    with pytest.raises(Untranslatable, match="map the key to Array, Json or Attributes"):
        where(field("k", "has", "a"), {"k": Text("k")}, dialect="postgresql")
