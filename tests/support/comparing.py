"""Random comparisons and rows for the tests of what conditions mean, small enough to meet each other often."""

from typing import Any, TypeAlias

from hypothesis import strategies as st

from tests.support import oracle_conditions

Comparison: TypeAlias = tuple[str, str, Any]
Rule: TypeAlias = list[Comparison]
Row: TypeAlias = dict[str, Any]

KEYS = ("k", "l", "m.n")
NUMBERS = (0, 1, 2, 1.5, -1, 2**53, 2**53 + 1, 1e308, 10**400)
STRINGS = ("", "a", "a\0", "ab", "b", "\U0001f600", "\uffff")
SCALARS = (*NUMBERS, *STRINGS, True, False)
CONSTANTS = (*SCALARS, [1], [], {"a": 1})
PATTERNS = ("^a", "b$", "a.*b", "")
ELEMENTS = ("a", "b", 1, True, [1], {"a": 1})
ARRAYS = (["a", "b"], ["b", None], [[1], 1.0], [True, {"a": 1.0}], [2])
VALUES = (*CONSTANTS, *ARRAYS, None, "c", "ab\0", 0.5, 3, 2.0**53 + 2, [True], {"a": True}, "\ud800")

comparisons = st.one_of(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(["eq", "ne"]), st.sampled_from(CONSTANTS)),
    st.tuples(
        st.sampled_from(KEYS), st.sampled_from(["gt", "gte", "lt", "lte"]), st.sampled_from((*NUMBERS, *STRINGS))
    ),
    st.tuples(st.sampled_from(KEYS), st.sampled_from(["in", "nin"]), st.lists(st.sampled_from(CONSTANTS), max_size=3)),
    st.tuples(st.sampled_from(KEYS), st.just("regex"), st.sampled_from(PATTERNS)),
    st.tuples(st.sampled_from(KEYS), st.just("has"), st.sampled_from(ELEMENTS)),
    st.tuples(
        st.sampled_from(KEYS), st.sampled_from(["has_any", "has_none"]), st.lists(st.sampled_from(ELEMENTS), max_size=3)
    ),
)
rules = st.lists(st.lists(comparisons, max_size=3), max_size=4)
rows = st.fixed_dictionaries({key: st.sampled_from(VALUES) for key in KEYS})


def rule_holds(rule: Rule, row: Row) -> bool:
    """Returns the oracle's answer to a conjunction; a key is one name here."""
    return all(oracle_conditions.compare(op, row[key], constant) for key, op, constant in rule)


def filter_holds(allows: list[Rule], denies: list[Rule], row: Row) -> bool:
    """F1: some ALLOW holds and no DENY does."""
    return any(rule_holds(rule, row) for rule in allows) and not any(rule_holds(rule, row) for rule in denies)
