"""Keys of facts: two lists of parts never give one key, whatever digits, colons or surrogates the ids hold (E1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.file.fact_records import (
    grants_key,
    prefix_of,
    resource_alias_key,
    resource_key,
    subject_alias_key,
    subject_key,
)
from writ.bundles.program.facts import EntityKey

IDS = st.text(alphabet="a1:es\ud800\U00010000", min_size=1, max_size=4)
NUMBERS = st.integers(0, 11)


def _grants(type: str, id: str, resource_type: int, resource_id: str) -> bytes:
    """The key of a subject's grants, or without a type of a group's."""
    return grants_key(prefix_of(EntityKey(type, id) if type else id), resource_type, resource_id)


def _alias(kind: str, type: str, number: int, alias: str) -> bytes:
    """Aliases of subjects and of resources share one table."""
    return subject_alias_key(type, alias) if kind == "subject" else resource_alias_key(kind, number, alias)


KEYS = {
    subject_key: st.tuples(IDS, IDS),
    resource_key: st.tuples(NUMBERS, IDS),
    _grants: st.tuples(st.one_of(st.just(""), IDS), IDS, NUMBERS, IDS),
    _alias: st.one_of(
        st.tuples(st.just("subject"), IDS, st.just(0), IDS),
        st.tuples(st.sampled_from(["external_id", "name"]), st.just(""), NUMBERS, IDS),
    ),
}


@pytest.mark.parametrize("key", KEYS)
@given(data=st.data())
def test_other_parts_give_another_key(key, data):
    one, other = data.draw(KEYS[key]), data.draw(KEYS[key])
    assert (key(*one) == key(*other)) == (one == other)


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        (subject_key, ("a", "1:b"), ("a:1", "b")),
        (subject_key, ("a", "bc"), ("ab", "c")),
        (subject_key, ("1", "1:1"), ("11", ":1")),
        (resource_key, (1, "1:a"), (11, "a")),
        (resource_key, (1, "1a"), (11, "a")),
        (_grants, ("a", "b", 1, "c"), ("a", "b1:", 1, "c")),
        (_grants, ("a", "bc", 1, "d"), ("ab", "c", 1, "d")),
        (_grants, ("a", "b", 1, "1:c"), ("a", "b1", 1, "c")),
        (_grants, ("a", "b", 11, "c"), ("a", "b1", 1, "c")),
        (_grants, ("a", "b", 11, "c"), ("ab", "1", 1, "c")),
        (_grants, ("a", "b", 11, "c"), ("a", "b", 1, "1c")),
        (_grants, ("", "a", 1, "b"), ("", "a1:", 1, "b")),
        (_grants, ("", "1:a", 1, "b"), ("1", "a", 1, "b")),
        (_alias, ("subject", "a", 0, "bc"), ("subject", "ab", 0, "c")),
        (_alias, ("subject", "a", 0, "b:c"), ("subject", "a:b", 0, "c")),
        (_alias, ("name", "", 1, "a"), ("external_id", "", 1, "a")),
        (_alias, ("name", "", 1, "1a"), ("name", "", 11, "a")),
        (_alias, ("subject", "a", 0, "b"), ("name", "", 1, "ab")),
        (_alias, ("name", "", 1, "1:a"), ("name", "", 11, "a")),
    ],
)
def test_parts_that_join_to_the_same_text_give_other_keys(key, one, other):
    assert key(*one) != key(*other)
