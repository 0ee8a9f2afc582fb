"""Gates meet exactly where something passes both, and one is within another exactly where all that it passes does."""

from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.addresses import AddressSet, parse_block
from writ.bundles.conditions.gates import gates_of, meet, within
from writ.bundles.conditions.windows import TimeWindow, covers

HOURS = st.builds(
    TimeWindow,
    days=st.frozensets(st.integers(0, 6), min_size=1),
    start=st.sampled_from([60, 720, 1439]),
    end=st.sampled_from([1, 61, 721, 1440]),
)
MINUTES = [(day, minute) for day in range(7) for minute in (0, 1, 59, 60, 61, 719, 720, 721, 1438, 1439)]


@given(HOURS, HOURS)
def test_hours_of_the_week(left, right):
    first, second = ({at for at in MINUTES if covers(window, *at)} for window in (left, right))
    assert meet(gates_of(left, None), gates_of(right, None)) == bool(first & second)
    assert within(gates_of(left, None), gates_of(right, None)) == (first <= second)


INSTANTS = st.builds(
    TimeWindow,
    not_before=st.none() | st.integers(0, 4),
    not_after=st.none() | st.integers(5, 9),
) | st.builds(TimeWindow, not_before=st.integers(0, 9))


@given(INSTANTS, INSTANTS)
def test_instants(left, right):
    def passed(window):
        low = -1 if window.not_before is None else window.not_before
        high = 11 if window.not_after is None else window.not_after
        return {at for at in range(-1, 11) if low <= at < high}

    first, second = passed(left), passed(right)
    assert meet(gates_of(left, None), gates_of(right, None)) == bool(first & second)
    assert within(gates_of(left, None), gates_of(right, None)) == (first <= second)


ALLOWLISTS = st.lists(
    st.builds(lambda number, length: f"10.0.{number}.0/{length}", st.integers(0, 7), st.sampled_from([24, 25, 31, 32]))
    | st.builds(lambda number: f"::{number}", st.integers(1, 9)),
    min_size=1,
    max_size=5,
)


@given(ALLOWLISTS, ALLOWLISTS)
def test_addresses(left, right):
    first, second = (AddressSet(map(parse_block, one)) for one in (left, right))
    ends = [parse_block(text) for text in (*left, *right)]
    tried = [(one.version, int(at)) for one in ends for at in (one.network_address, one.broadcast_address)]
    assert meet(gates_of(None, left), gates_of(None, right)) == any(at in first and at in second for at in tried)
    tried += [(version, at + 1) for version, at in tried]
    assert within(gates_of(None, left), gates_of(None, right)) == all(at in second for at in tried if at in first)


def test_what_limits_nothing_meets_all_and_is_within_itself_alone():
    night = gates_of(TimeWindow(start=22 * 60, end=6 * 60), None)
    elsewhere = gates_of(TimeWindow(start=7 * 60, end=8 * 60, timezone="Europe/Oslo"), None)
    assert meet({}, night)
    assert within(night, {})
    assert not within({}, night)
    assert meet(night, elsewhere), "another time zone"
    assert not within(night, elsewhere)
