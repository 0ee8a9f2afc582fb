"""Every shape of an attribute's test means what the predicate behind it means."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.comparisons import predicate
from writ.bundles.program.clauses import ATTRIBUTE_SECTIONS
from writ.runtime.rules import attributes
from writ.runtime.rules.attributes import FEW, attribute_test, attribute_value, source_of, written
from writ.runtime.rules.memberships import NOBODY

from tests.bundles.conditions.test_conditions import TESTS, VALUES

STRANGE = st.sampled_from(["v1", "v", "w", 2**53 + 1, float(2**53), -(10**400), float("nan"), -0.0, False, [True], {}])
LISTS = st.lists(st.sampled_from([f"v{n}" for n in range(2 * FEW)]), max_size=2 * FEW)


def asked(section: str, attributes: dict) -> tuple:
    """A test's arguments, with the attributes in one section and others everywhere else."""
    given = [attributes if section == name else {"k": "elsewhere"} for name in ATTRIBUTE_SECTIONS]
    subject, resource, action, context = given
    return "user", "alice", subject, "d1", resource, action, context, NOBODY, 0.0


@pytest.mark.parametrize("section", ATTRIBUTE_SECTIONS)
@given(test=st.one_of(TESTS, st.tuples(st.sampled_from(["in", "nin"]), LISTS)), value=VALUES | STRANGE)
def test_a_test_is_its_predicate(section, test, value):
    op, constant = test
    found = attribute_test(section, "k", op, constant)(*asked(section, {"k": value}))
    assert found is predicate(op, constant)(value)
    absent = attribute_test(section, "k", op, constant)(*asked(section, {}))
    assert absent is False


@pytest.mark.parametrize("section", ATTRIBUTE_SECTIONS)
@given(test=st.one_of(TESTS, st.tuples(st.sampled_from(["in", "nin"]), LISTS)), value=VALUES | STRANGE | st.none())
def test_a_written_test_is_its_predicate(section, test, value):
    """It may leave a value of another type than the constant to others."""
    op, constant = test
    expression = written(attribute_test(section, "k", op, constant), "odd")
    if expression is None:
        return
    names = dict(zip(("t", "i", "s", "n", "r", "a", "c", "h", "now"), asked(section, {"k": value}), strict=True))
    found = eval(expression, {"get": dict.get, "odd": "odd"} | names)
    assert found == "odd" or bool(found) is predicate(op, constant)(value)
    assert found != "odd" or type(value) is not type(constant) or isinstance(value, list)


@pytest.mark.parametrize(
    ("op", "constant", "expected"),
    [
        ("eq", "it's é", """v == "it's \\xe9" if (v := get(r, '{k}')).__class__ is str else v is not None and odd"""),
        ("eq", "{", "v == '{' if (v := get(r, '{k}')).__class__ is str else v is not None and odd"),
        ("eq", True, "(v := get(r, '{k}', False)) is True or v is not False and odd"),
        *(("gt", number, None) for number in (10**20, -(10**400), float("inf"))),
        *(("eq", constant, None) for constant in (None, [], {}, "x" * 300)),
        *(("regex", "^a", None), ("in", [1], None), ("has", "a", None)),
    ],
)
def test_what_is_written(op, constant, expected):
    """A constant is a literal, whatever it has in it. What has no short one is called."""
    assert written(attribute_test("resource_attrs", "{k}", op, constant), "odd") == expected


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


SAME = [("eq", 1, 1.0), ("ne", "a", "a"), ("in", ["a", "b"], ["a", "b"]), ("gt", 0.0, -0.0), ("regex", "^a.*", "^a.*")]
DIFFERENT = [
    [("eq", constant) for constant in (True, 1, "1", "True", False, 0, "", [], {}, [1], [True], {"a": 1})],
    [("in", constants) for constants in (["a"], ["a", "b"], ["b", "a"], ["ab"], [1], [True], [["a"]], [])],
    [(op, "a") for op in ("eq", "ne", "gt", "gte", "lt", "lte", "regex")],
]


@pytest.mark.parametrize(("op", "constant", "twin"), SAME)
def test_rules_that_repeat_a_comparison_share_its_test(op, constant, twin):
    assert attribute_test("resource_attrs", "k", op, constant) is not attribute_test("resource_attrs", "j", op, twin)
    assert attribute_test("resource_attrs", "k", op, constant) is not attribute_test("context_attrs", "k", op, twin)
    if isinstance(constant, type(twin)):
        assert attribute_test("resource_attrs", "k", op, constant) is attribute_test("resource_attrs", "k", op, twin)


@pytest.mark.parametrize("comparisons", DIFFERENT)
@pytest.mark.parametrize(
    "value", [True, 1, 1.0, "1", False, 0, "", "a", "b", "ab", [], {}, [1], [True], ["a"], {"a": 1}]
)
def test_different_comparisons_share_nothing(comparisons, value):
    """C3: also if Python takes two constants for equal, as a flag and a number. All tests are in use at one time."""
    tests = [attribute_test("resource_attrs", "k", op, constant) for op, constant in comparisons]
    for (op, constant), test in zip(comparisons, tests, strict=True):
        assert test(*asked("resource_attrs", {"k": value})) is predicate(op, constant)(value)


def test_a_shared_test_ends_with_its_last_rule():
    tests = [attribute_test("resource_attrs", f"unused {n}", "eq", n) for n in range(50)]
    before = len(attributes._tests)
    del tests
    gc.collect()
    assert len(attributes._tests) <= before - 50


def test_the_source_of_a_test_can_be_shown():
    assert source_of("number", "c", ">=") == (
        "lambda key, constant, check: lambda t, i, s, n, r, a, c, h, now: "
        "v >= constant if (v := get(c, key)).__class__ is int or v.__class__ is float else v is not None and check(v)"
    )
