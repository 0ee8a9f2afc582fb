"""Every shape of an attribute's test means what the predicate behind it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.comparisons import predicate
from writ.bundles.program.clauses import ATTRIBUTE_SECTIONS
from writ.runtime.rules.attributes import FEW, attribute_test, attribute_value, source_of

from tests.bundles.conditions.test_conditions import TESTS, VALUES

LISTS = st.lists(st.sampled_from([f"v{n}" for n in range(2 * FEW)]), max_size=2 * FEW)


def asked(section: str, attributes: dict) -> tuple:
    """A test's arguments, with the attributes in one section and others everywhere else."""
    given = [attributes if section == name else {"k": "elsewhere"} for name in ATTRIBUTE_SECTIONS]
    subject, resource, action, context = given
    return "user", "alice", subject, "d1", resource, action, context, 0.0


@pytest.mark.parametrize("section", ATTRIBUTE_SECTIONS)
@given(test=st.one_of(TESTS, st.tuples(st.sampled_from(["in", "nin"]), LISTS)), value=VALUES | st.sampled_from(["v1"]))
def test_a_test_is_its_predicate(section, test, value):
    op, constant = test
    found = attribute_test(section, "k", op, constant)(*asked(section, {"k": value}))
    assert bool(found) is predicate(op, constant)(value)
    absent = attribute_test(section, "k", op, constant)(*asked(section, {}))
    assert bool(absent) is False


@pytest.mark.parametrize("section", ATTRIBUTE_SECTIONS)
@given(test=TESTS, value=VALUES)
def test_a_path_is_followed(section, test, value):
    op, constant = test
    found = attribute_test(section, "a.k", op, constant)(*asked(section, {"a": {"k": value}}))
    assert bool(found) is predicate(op, constant)(value)


@pytest.mark.parametrize("section", ATTRIBUTE_SECTIONS)
def test_the_value_of_an_attribute(section):
    found = [
        attribute_value(section, key)(*asked(section, {"k": 1, "a": {"k": 2}})) for key in ("k", "a.k", "b", "k.a")
    ]
    assert found == [1, 2, None, None]


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [("subject_attrs", "type", "user"), ("subject_attrs", "id", "alice"), ("resource_attrs", "id", "d1")],
)
def test_an_own_key_is_never_an_attribute(section, key, value):
    """E6."""
    arguments = asked(section, {key: "an attribute"})
    assert attribute_value(section, key)(*arguments) == value
    assert attribute_test(section, key, "eq", value)(*arguments) is True
    assert attribute_test(section, key, "eq", "an attribute")(*arguments) is False


def test_the_source_of_a_test_can_be_shown():
    assert source_of("order", "c") == (
        "lambda key, compare, constant: lambda t, i, s, n, r, a, c, now: "
        "isinstance(v := c.get(key), NUMBER) and v.__class__ is not bool and compare(v, constant)"
    )
