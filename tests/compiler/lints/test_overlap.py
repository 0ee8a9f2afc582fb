"""Windows and blocks meet exactly where something lies in both."""

from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.addresses import AddressSet, merge_blocks, parse_block
from writ.bundles.conditions.windows import TimeWindow, covers
from writ.compiler.lints.overlap import blocks_overlap, windows_overlap

WINDOWS = st.builds(
    TimeWindow,
    days=st.frozensets(st.integers(0, 6), min_size=1),
    start=st.sampled_from([0, 60, 720, 1439]),
    end=st.sampled_from([1, 61, 721, 1440]),
)


@given(WINDOWS, WINDOWS)
def test_weekly_windows_meet_where_some_minute_is_in_both(left, right):
    minutes = [(day, minute) for day in range(7) for minute in range(1440)]
    both = any(covers(left, *at) and covers(right, *at) for at in minutes)
    assert windows_overlap(left, right) == both


BLOCKS = st.lists(
    st.builds(lambda number, length: f"10.0.{number}.0/{length}", st.integers(0, 7), st.integers(24, 32))
    | st.builds(lambda number: f"::{number}", st.integers(1, 9)),
    max_size=5,
)


@given(BLOCKS, BLOCKS)
def test_blocks_meet_where_some_address_is_in_both(left, right):
    one, other = merge_blocks(map(parse_block, left)), merge_blocks(map(parse_block, right))
    first = [(block.version, int(block.network_address)) for block in (*one, *other)]
    assert blocks_overlap(one, other) == any(at in AddressSet(one) and at in AddressSet(other) for at in first)
