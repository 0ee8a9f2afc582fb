"""The laws accept what the compiler can make and refuse everything else, naming the law."""

from dataclasses import replace

import pytest
from writ.bundles.conditions.instants import EARLIEST, END
from writ.bundles.conditions.windows import TimeWindow
from writ.bundles.program.clauses import Clause, Comparison, During, From, Program, Rate, ResourceType
from writ.bundles.program.laws import IllegalProgram, check_clause, check_patterns, check_program

DOCUMENT = ResourceType("document", "Document", ("read", "update"), False)
NOTE = ResourceType("note", "note", ("read",), True)
TYPES = {"document": DOCUMENT, "note": NOTE}
CLAUSE = Clause("ALLOW", "p", "", 0, ("editor",), ("document", "note"), ("read",), ())


def during(**changes: object) -> During:
    return During(replace(TimeWindow(days=frozenset({0})), **changes))


@pytest.mark.parametrize(
    "atom",
    [
        during(),
        during(not_before=EARLIEST, not_after=END - 1),
        during(days=frozenset({6}), start=1439, end=1440),
        during(start=600, end=0, timezone="Europe/Oslo"),
        From(("10.0.0.0/8", "::1")),
        Rate(1, 2**31 - 1),
        Comparison("context_attrs", "a", "in", []),
        Comparison("context_attrs", "k" * 256, "eq", {"a": [1, 1.5, True, "é", 10**400]}),
        Comparison("context_attrs", "a", "regex", "^a|b$"),
    ],
)
def test_a_legal_condition(atom):
    check_clause(replace(CLAUSE, body=(atom,)), TYPES)


@pytest.mark.parametrize(
    "atom",
    [
        during(not_before=EARLIEST - 1),
        during(not_after=END),
        during(not_before=0.0),
        during(not_after=True),
        during(days=frozenset()),
        during(days=frozenset({7})),
        during(days=frozenset({-1})),
        during(days=frozenset({"mon"})),
        during(start=-1),
        during(start=1440, end=0),
        during(start=0.5),
        during(end=1441),
        during(start=60, end=60),
        during(timezone=""),
        From(()),
        From(("10.0.0.1/8",)),
        From(("10.0.0.0/8", "host")),
        From((f"10.0.0.0/{'0' * 100}8",)),
        Rate(0, 1),
        Rate(1, 0),
        Rate(True, 1),
        Rate(2**31, 1),
        Comparison("elsewhere", "a", "eq", 1),
        Comparison("context_attrs", "", "eq", 1),
        Comparison("context_attrs", "k" * 257, "eq", 1),
        Comparison("context_attrs", "\ud800", "eq", 1),
        Comparison("context_attrs", "a", "like", 1),
        Comparison("context_attrs", "a", "eq", None),
        Comparison("context_attrs", "a", "eq", [{"b": None}]),
        Comparison("context_attrs", "a", "eq", float("nan")),
        Comparison("context_attrs", "a", "lt", float("inf")),
        Comparison("context_attrs", "a", "eq", {"\ud800": 1}),
        Comparison("context_attrs", "a", "in", "text"),
        Comparison("context_attrs", "a", "nin", ["\ud800"]),
        Comparison("context_attrs", "a", "in", list(range(10_001))),
        Comparison("context_attrs", "a", "gt", True),
        Comparison("context_attrs", "a", "regex", 1),
        Comparison("context_attrs", "a", "regex", "a" * 257),
        "no condition",
    ],
)
def test_an_illegal_condition(atom):
    with pytest.raises(IllegalProgram, match="policy `p` breaks the law: every condition is legal"):
        check_clause(replace(CLAUSE, body=(atom,)), TYPES)


@pytest.mark.parametrize(
    ("changes", "law"),
    [
        ({"effect": "MAYBE"}, "ALLOW or DENY"),
        ({"policy": ""}, "has an id"),
        ({"policy": "p" * 513}, "short text"),
        ({"name": "\ud800"}, "short text"),
        ({"priority": 2**31}, "32 bits"),
        ({"priority": False}, "32 bits"),
        ({"roles": ()}, "roles are left out"),
        ({"roles": ("b", "a")}, "roles are left out"),
        ({"types": ()}, "at least one type"),
        ({"actions": ()}, "at least one type and one action"),
        ({"types": ("note", "document")}, "sorted"),
        ({"actions": ("read", "read")}, "sorted"),
        ({"types": ("other",)}, "every type is declared"),
        ({"actions": ("update",)}, "declares every action"),
        ({"effect": "DENY", "body": (Rate(1, 1),)}, "no DENY has a rate limit"),
        ({"body": (Rate(1, 1), Rate(2, 2))}, "one rate limit at most"),
    ],
)
def test_an_illegal_clause(changes, law):
    with pytest.raises(IllegalProgram, match=law):
        check_clause(replace(CLAUSE, **changes), TYPES)


PROGRAM = Program((DOCUMENT, NOTE), ("editor",), (CLAUSE, replace(CLAUSE, policy="q")))


@pytest.mark.parametrize(
    ("changes", "law"),
    [
        ({"types": (NOTE, DOCUMENT)}, "types are sorted"),
        ({"types": (DOCUMENT, replace(NOTE, name="Document"))}, "type names are unique"),
        ({"types": (replace(DOCUMENT, actions=("update", "read")), NOTE)}, "actions are sorted"),
        ({"types": (replace(DOCUMENT, actions=("", "read")), NOTE)}, "actions are sorted, unique and named"),
        ({"roles": ("editor", "editor")}, "roles are sorted"),
        ({"roles": ()}, "every role that a clause names"),
        ({"clauses": PROGRAM.clauses[::-1]}, "clauses are sorted"),
        ({"clauses": (replace(CLAUSE, types=("other",)),)}, "every type is declared"),
    ],
)
def test_an_illegal_program(changes, law):
    check_program(PROGRAM)
    with pytest.raises(IllegalProgram, match=law):
        check_program(replace(PROGRAM, **changes))


@pytest.mark.parametrize("pattern", ["(", r"(\pL{3}){10}"])
def test_a_program_has_no_pattern_that_re2_rejects(pattern):
    """C6. A reader of one clause leaves patterns to their first search."""
    bad = replace(CLAUSE, body=(Comparison("context_attrs", "a", "regex", pattern),))
    check_clause(bad, TYPES)
    for check in (lambda: check_patterns(bad), lambda: check_program(replace(PROGRAM, clauses=(bad,)))):
        with pytest.raises(IllegalProgram, match="clause of policy `p` breaks the law: RE2 accepts every pattern"):
            check()
