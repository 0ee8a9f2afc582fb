"""`as_json` gives the texts and numbers of JSON, and refuses what has none."""

import json
from collections import OrderedDict, namedtuple
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal, localcontext
from enum import Enum, IntEnum, StrEnum
from ipaddress import ip_address
from operator import ge, gt, le, lt
from random import Random
from types import MappingProxyType
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ import BadRequest, as_json
from writ.runtime.translate.column_texts import FORMS
from writ.runtime.translate.fields import Date, DateTime, Uuid

from tests.bundles.conditions.test_conditions import VALUES
from tests.support.disguises import disguised, with_disguises

EAST = timezone(timedelta(hours=5, minutes=30))


class Colour(Enum):
    """A member's value needs a conversion too."""

    RED = Decimal("0.5")


@pytest.mark.parametrize(
    ("value", "json_value"),
    [
        (datetime(2024, 2, 29, 17, 30, tzinfo=EAST), "2024-02-29T12:00:00.000000Z"),
        (datetime(1, 1, 1, 0, 0, 0, 5, tzinfo=UTC), "0001-01-01T00:00:00.000005Z"),
        (pd.Timestamp("2024-02-29T12:00:00.123456789Z"), "2024-02-29T12:00:00.123456Z"),
        (date(2024, 2, 29), "2024-02-29"),
        (UUID("123E4567-E89B-12D3-A456-426614174000"), "123e4567-e89b-12d3-a456-426614174000"),
        (ip_address("2001:DB8::1"), "2001:db8::1"),
        (Colour.RED, 0.5),
        (StrEnum("S", {"A": "a"}).A, "a"),
        (IntEnum("I", {"A": 7}).A, 7),
        (Decimal("5.00"), 5),
        (Decimal("19.90"), 19.9),
        (Decimal("-0"), 0),
        (Decimal("1E+20"), 10**20),
        (Decimal("12345678901234567890"), 12345678901234567890),
        (np.float64(1.5), 1.5),
        ((1, (2,)), [1, [2]]),
        (namedtuple("Point", "x y")(1, 2), [1, 2]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({Decimal("2.5"), 10, 1}), [1, 2.5, 10]),
        (set(), []),
        (MappingProxyType({"a": None}), {"a": None}),
        (OrderedDict(b=True, a=False), {"b": True, "a": False}),
    ],
)
def test_a_value_has_one_form(value, json_value):
    for found, expected in ((as_json(value), json_value), (as_json({"k": [value]}), {"k": [json_value]})):
        assert found == expected
        assert json.dumps(found) == json.dumps(expected)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (datetime(2024, 2, 29), "a `datetime` without a time zone is no instant"),
        (datetime.max.replace(tzinfo=timezone(-timedelta(hours=1))), "outside the years 0001 to 9999"),
        (pd.NaT, "without a time zone"),
        (Decimal("NaN"), "JSON has no NaN"),
        (Decimal("sNaN"), "JSON has no NaN"),
        (Decimal("-Infinity"), "JSON has no NaN and no infinity"),
        (float("nan"), "JSON has no NaN"),
        (float("inf"), "JSON has no NaN"),
        (Decimal("1000.0000000000000001"), "round it to 15 digits or fewer"),
        (Decimal("1E-400"), "round it"),
        (Decimal("1E+1000000"), "round it"),
        (b"a", "JSON has no `bytes`; decode it to a string"),
        (bytearray(b"a"), "JSON has no `bytearray`; decode"),
        (time(12), r"JSON has no `datetime\.time`"),
        (timedelta(1), r"JSON has no `datetime\.timedelta`"),
        (np.bool_(True), r"JSON has no `numpy\.bool"),
        (object(), "JSON has no `object`"),
        ({"a", 1}, "has no order; send a list"),
        ({(1, 2)}, "has no order; send a list"),
        ({None, True}, "has no order; send a list"),
        ({1: "a"}, "a name in a JSON object is a string, not a `int`"),
    ],
)
def test_what_has_no_form_is_refused_with_its_path(value, message):
    with pytest.raises(BadRequest, match=message) as refused:
        as_json({"a": [0, {"b": value}]})
    assert refused.value.path == "$.a[1].b"


def test_endless_nesting_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(BadRequest, match="the value nests too deep"):
        as_json(endless)


@given(st.one_of(st.dates(), st.uuids(), st.datetimes(timezones=st.just(UTC))))
def test_texts_are_those_of_translated_filters(value):
    form = FORMS[Uuid if isinstance(value, UUID) else DateTime if isinstance(value, datetime) else Date]
    assert as_json(value) == form.show(value.replace(tzinfo=None) if isinstance(value, datetime) else value)


DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12)


@given(DECIMALS, st.integers(0, 15), st.integers(-3, 3))
def test_a_decimal_keeps_its_side_of_every_limit(value, places, steps):
    """A limit as the author wrote it, near the value: the number is not rounded to the other side."""
    limit = round(value, min(places, 2)) + Decimal(steps) / 100
    with localcontext(prec=200):
        try:
            found = as_json(value)
        except BadRequest:
            assert len(value.as_tuple().digits) > 15 or value.adjusted() < -300
            return
        for compare in (lt, le, gt, ge):
            assert compare(found, float(limit)) is compare(value, limit)


@given(VALUES, st.integers(0, 10**6))
def test_a_disguise_comes_off(value, seed):
    """Conversion gives plain JSON, the same as before the disguise, and does not change it a second time."""
    request = {"context": {"a": value}, "action": {}, "subject": {}, "resource": {}}
    try:
        expected = as_json(request)
    except BadRequest:  # an infinity
        assert "inf" in repr(value)
        return
    assert expected == request == as_json(with_disguises(request, Random(seed)))
    assert as_json(disguised(value)) == value
    assert json.loads(json.dumps(expected)) == expected


def test_a_conversion_is_a_copy():
    value = {"a": [1]}
    found = as_json(value)
    found["a"].append(2)
    assert value == {"a": [1]}
