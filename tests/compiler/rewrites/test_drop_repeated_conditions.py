"""Conditions that mean the same stand once."""

import pytest
from writ.bundles.program.clauses import Clause, Comparison, From, Program, Rate
from writ.compiler.rewrites.drop_repeated_conditions import drop_repeated_conditions


def kept(*atoms):
    clause = Clause("ALLOW", "p", "", 0, None, ("document",), ("read",), atoms)
    (rewritten,) = drop_repeated_conditions(Program((), (), (clause,))).clauses
    return rewritten.body


def compared(value, key="k", op="eq", section="resource_attrs"):
    return Comparison(section, key, op, value)


REPEATS = {
    "text": ("a", "a"),
    "integer and real are one type (C3)": (1, 1.0),
    "deep": ({"a": [1, {"b": 2.0, "c": ""}]}, {"a": [1.0, {"c": "", "b": 2}]}),
    "beyond doubles": (2**60, 2**60),
}


@pytest.mark.parametrize("case", REPEATS)
def test_of_what_means_the_same_the_first_is_kept(case):
    first, again = map(compared, REPEATS[case])
    assert kept(first, again) == (first,)


DIFFERENT = {
    "a flag is not a number (C3)": (True, 1, "1", False, 0, ""),
    "nor inside a value": ([True], [1], {"a": True}, {"a": 1}),
    "arrays have an order": ([1, 2], [2, 1]),
    "an integer beyond doubles": (2**60, 2**60 + 1, float(2**60 + 2**20)),
    "shapes": ([], {}, [[]], ["a"], {"a": []}, "[]"),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_means_something_else_is_kept(case):
    atoms = tuple(map(compared, DIFFERENT[case]))
    assert list(map(repr, kept(*atoms))) == list(map(repr, atoms))


def test_the_key_the_operator_and_the_section_count():
    atoms = (
        compared(1),
        compared(1, key="j"),
        compared(1, op="ne"),
        compared(1, section="context_attrs"),
        From(("::1",)),
        Rate(1, 1),
        Rate(1, 2),
    )
    assert kept(*atoms, *atoms) == atoms
