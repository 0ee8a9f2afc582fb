"""The union of intervals covers the same instants, in the fewest intervals (P4)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.intervals import united
from writ.bundles.program.facts import ALWAYS, FOREVER, Holding, united_holdings

EDGES = (ALWAYS, 0.0, 1.0, 2.0, 3.0, 4.0, FOREVER)
SPANS = st.tuples(st.sampled_from(EDGES), st.sampled_from(EDGES))


@given(st.lists(SPANS, max_size=6))
def test_a_union_covers_the_same_instants_in_order_and_apart(spans):
    found = united(spans)
    for now in (-9.0, *(edge + half for edge in EDGES[1:-1] for half in (0.0, 0.5))):
        assert any(low <= now < high for low, high in found) == any(low <= now < high for low, high in spans)
    edges = [edge for span in found for edge in span]
    assert all(low < high for low, high in pairwise(edges))


@given(st.lists(st.tuples(st.sampled_from("rs"), SPANS), max_size=6))
def test_holdings_are_united_by_role_whatever_their_order(stated):
    holdings = [Holding(role, end, start) for role, (start, end) in stated]
    found = united_holdings(holdings)
    assert found == united_holdings(holdings[::-1]) == united_holdings(found)
    for role in "rs":
        spans = united([(one.starts, one.expires) for one in holdings if one.role == role])
        assert [(one.starts, one.expires) for one in found if one.role == role] == spans
