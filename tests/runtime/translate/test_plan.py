"""What is decided before any target is: types, bounds between numbers, patterns that are plain text, unknown fields."""

from decimal import Decimal as Exact
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from writ.bundles.conditions.comparisons import ORDERINGS, predicate
from writ.bundles.conditions.literals import literal_of
from writ.bundles.conditions.trees.tree import FALSE
from writ.runtime.translate import (
    Attributes,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Integer,
    Json,
    Real,
    Text,
    Untranslatable,
    Uuid,
)
from writ.runtime.translate import column_numbers as numbers
from writ.runtime.translate import column_texts as texts
from writ.runtime.translate.column_conditions import ColumnCondition, Present
from writ.runtime.translate.translation_plan import plan

from tests.support.strategies_values import PATTERNS
from tests.support.translated import LITERALS, WORDS, field

NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5),
    st.sampled_from([10**400, -(10**400), 1.1, 0.5, 2**53, 2**63]),
)  # fmt: skip
OPS = st.sampled_from(sorted(ORDERINGS))


def holds(bound, value):
    return bound if isinstance(bound, bool) else ORDERINGS[bound[0]](value, bound[1])


@settings(max_examples=120)
@given(OPS, NUMBERS, st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
@example("gt", 2**53 + 1, 2**53, float(2**53))
@example("lte", -(2**63) - 1, -(2**63), -float(2**63))
def test_a_bound_says_the_same_of_every_number_that_a_column_holds(op, constant, whole, real):
    near = int(constant) if abs(constant) < 2**63 else whole
    for value in (whole, near, *(near + step for step in (-1, 1) if abs(near) < 2**63 - 1)):
        assert holds(numbers.integer_bound(op, constant), value) is ORDERINGS[op](value, constant)
    close = float(constant) if abs(constant) < 2**1000 else real
    for value in (real, close):
        assert holds(numbers.real_bound(op, constant), value) is ORDERINGS[op](value, constant)


@settings(max_examples=120)
@given(OPS, NUMBERS, st.integers(-(10**15) + 1, 10**15 - 1), st.integers(0, 15))
@example("gt", 1.1, 11, 1)
def test_a_decimal_column_is_compared_as_the_doubles_that_it_is_read_as(op, constant, digits, places):
    """1.1 in a decimal column is the JSON number 1.1, although no double is."""
    for value in (Exact(digits).scaleb(-places), Exact(repr(constant)) if isinstance(constant, float) else Exact(1)):
        if abs(value) < 10**15 and Fraction(value) * 10**15 % 1 == 0:
            assert holds(numbers.decimal_bound(op, constant, 15), value) is ORDERINGS[op](float(value), constant)
            assert (numbers.decimal(constant, 15) == value) is (float(value) == constant)


TEXT_OF_A_VALUE = st.one_of(
    st.uuids().map(str),
    st.dates().map(str),
    st.datetimes().map(lambda instant: f"{instant.isoformat(timespec='microseconds')}Z"),
)
NEAR_A_VALUE = st.builds(
    lambda text, cut, more: text[:cut] + more, TEXT_OF_A_VALUE, st.integers(0, 40), st.text("019afg:-TZ ~", max_size=3)
)


@settings(max_examples=180)
@given(OPS, st.sampled_from([Uuid, Date, DateTime]), st.one_of(TEXT_OF_A_VALUE, NEAR_A_VALUE, st.text()), st.data())
@example("gt", Date, "2024-02-3", None)
@example("gt", Date, "20240229", None)
@example("lte", Uuid, "123E4567-E89B-12D3-A456-426614174000", None)
@example("lt", DateTime, "2024-02-29T12:00:00.000000+00:00Z", None)
def test_a_text_is_compared_with_the_texts_of_the_values_around_it(op, kind, constant, data):
    form = texts.FORMS[kind]
    bound = texts.bound(form, op, constant)
    middle = form.size // 2 if isinstance(bound, bool) else place_of(form, bound[1])
    far = data.draw(st.integers(0, form.size - 1)) if data else 0
    for place in {0, form.size - 1, far, *(middle + step for step in (-1, 0, 1))}:
        if 0 <= place < form.size:
            value = form.at(place)
            assert holds(bound, value) is ORDERINGS[op](form.show(value), constant)
            assert (texts.equal(form, constant) == value) is (form.show(value) == constant)
            assert texts.equal(form, form.show(value)) == value
            if constant:
                starts = all(holds(one, value) for one in texts.start_bounds(form, constant))
                assert starts is form.show(value).startswith(constant)


def place_of(form, value):
    """The place of a value in the order of its kind."""
    low, high = 0, form.size
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if form.at(middle) < value else (low, middle)
    return low


@settings(max_examples=120)
@given(OPS, NUMBERS, st.fractions(-(10**6), 10**6), st.integers(-60, 60))
@example("gt", 1.0, Fraction(1) + Fraction(1, 2**53), 0)
@example("gte", 0, Fraction(-1, 2**1075), 0)
def test_an_exact_number_is_compared_as_the_double_that_it_is_read_as(op, constant, exact, step):
    op_read, edge = numbers.read_bound(op, constant)
    near = Fraction(edge) * (1 + Fraction(step, 2**80))
    for value in (exact, Fraction(edge), near):
        try:
            read = float(value)
        except OverflowError:
            read = float("inf") if value > 0 else float("-inf")
        assert ORDERINGS[op_read](value, Fraction(edge)) is ORDERINGS[op](read, constant)


@pytest.mark.parametrize(
    "pattern", [*PATTERNS, *LITERALS, "a\\$", "^a\\\\$", "\\", "a\\", "\\-", "^", "$", "^\\^$", "\\d"]
)
def test_a_pattern_of_plain_text_is_found_where_re2_finds_it(pattern):
    found = literal_of(pattern)
    if found is None:
        return
    text, position = found
    finds = predicate("regex", pattern)
    for value in (*WORDS, text, f"{text}\n", f"x{text}", f"{text}x"):
        expected = {
            "whole": value == text,
            "start": value.startswith(text),
            "end": value.endswith(text),
            "inside": text in value,
        }
        assert finds(value) is expected[position], value


@pytest.mark.parametrize(
    "kind", [Text("k"), Integer("k"), Real("k"), Decimal("k", 5), Boolean("k"), Uuid("k"), Date("k"), DateTime("k")]
)
def test_what_another_type_decides_is_decided_here(kind):
    """C3, C4, C7: a number never equals a string, and what differs from all strings is any number that is there."""
    strange = 5 if isinstance(kind, Text | Uuid | Date | DateTime) else "5"
    assert plan(field("k", "eq", strange), {"k": kind}, "t") == FALSE
    assert plan(field("k", "gt", strange), {"k": kind}, "t") == FALSE
    assert plan(field("k", "in", [[1], {}]), {"k": kind}, "t") == FALSE
    for tree in (field("k", "ne", strange), field("k", "nin", [])):
        assert plan(tree, {"k": kind}, "t") == ColumnCondition(kind, Present(), "$")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("statos", "x", "the mapping has no field `statos`; did you mean `status`?"),
        ("zzz", "x", "the mapping has no field `zzz`; add it to the mapping"),
        ("bare", "x", "the mapping says nothing of what `bare` holds; map it to Text, Integer, Json, …"),
        ("id", "x", "`id` is the row's own key, no attribute (E6); map it to the column of that key"),
        ("type", "x", "`type` is the row's own key, no attribute (E6); map it to the column of that key"),
        ("money", 1, "decimals of more than 15 digits have no exact JSON number; keep fewer digits"),
        ("status", "\ud800", "the constant holds a lone surrogate, which is no text; take it out of the policy"),
        ("doc", [{"\ud800": 1}], "the constant holds a lone surrogate, which is no text; take it out of the policy"),
    ],
)
def test_a_field_that_is_not_known_is_an_error(key, value, message):
    """Never a skipped condition, wherever it stands."""
    attributes = Attributes("doc")
    fields = {"status": Text("s"), "bare": "s", "id": attributes, "type": attributes, "money": Decimal("m", 16)}
    tree = {
        "type": "logical",
        "operator": "or",
        "conditions": [{"type": "const", "value": True}, field(key, "eq", value)],
    }
    with pytest.raises(Untranslatable) as caught:
        plan(tree, fields | {"doc": Json("d")}, "t")
    assert str(caught.value).startswith(f"$.conditions[1]: not translated to t: {message}")


@pytest.mark.parametrize(("op", "value"), [("has", "a"), ("has_any", ["a"]), ("has_none", [])])
@pytest.mark.parametrize("target", ["sqlite", "duckdb", "elasticsearch", "polars"])
def test_a_column_of_one_type_has_no_elements(op, value, target):
    """X6: false would be right for the mapping, but its negation shows every row if the column holds lists."""
    tree = {"type": "field", "field": "k", "operator": op, "value": value}
    with pytest.raises(Untranslatable, match="holds no arrays") as refused:
        plan(tree, {"k": Text("k")}, target)
    assert refused.value.remedy
