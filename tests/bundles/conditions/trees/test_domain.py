"""The classes of an attribute's domain, held against the oracle (C2 to C6)."""

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions import neighbours
from writ.bundles.conditions.constants import canonical_key
from writ.bundles.conditions.trees.domain import MISSING, OTHER, is_opaque, is_satisfiable, partition
from writ.bundles.conditions.values import is_number

from tests.support.comparing import NUMBERS, STRINGS, VALUES, comparisons
from tests.support.oracle_conditions import compare

TESTS = st.lists(comparisons.map(lambda comparison: comparison[1:]), min_size=1, max_size=4)


def class_of(domain, value):
    if value is None:
        return MISSING
    if isinstance(value, str) or is_number(value):
        constants = domain.strings if isinstance(value, str) else domain.numbers
        place = bisect_left(constants, value)
        found = constants[place : place + 1] == (value,)
        return (domain.first_string if isinstance(value, str) else domain.first_number) + 2 * place + found
    points = [canonical_key(point) for point in domain.points]
    try:
        return 2 + points.index(canonical_key(value))
    except ValueError:
        return OTHER


@given(tests=TESTS, value=st.sampled_from(VALUES))
def test_all_values_of_a_class_get_the_answers_of_its_cell(tests, value):
    """Opaque tests are decided on constants, and only in open cells may they answer one way or the other."""
    domain = partition(tests)
    cell = domain.cells[class_of(domain, value)]
    assert cell >= 0
    for number, (op, constant) in enumerate(tests):
        may_hold = bool(domain.holding[cell] >> number & 1)
        if not (may_hold and domain.open[cell] and is_opaque(op, constant)):
            assert compare(op, value, constant) == may_hold


@given(tests=TESTS, value=st.sampled_from(VALUES))
def test_what_some_value_passes_can_hold_together(tests, value):
    assert is_satisfiable([(op, constant) for op, constant in tests if compare(op, value, constant)])


@given(value=st.sampled_from((*NUMBERS, *STRINGS)))
def test_nothing_is_between_a_value_and_the_next(value):
    """Neither a double nor an integer, nor a string."""
    above = neighbours.next_value(value)
    assert value < above
    assert neighbours.previous_value(above) == value
    if isinstance(value, str):
        assert above == value + "\0"
    else:
        whole = int(value // 1) + 1
        assert above <= whole
        assert not value < 2.0**1023 < above
        assert above == whole or value < float(above) == above


@given(number=st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_the_short_text_of_a_number_is_the_same_number(number):
    short = neighbours.short_number(number)
    assert short == number
    assert len(str(short)) <= len(repr(number))
