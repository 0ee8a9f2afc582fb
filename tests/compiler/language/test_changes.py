"""Changes of elements as lines: what they say parses again, and what has no meaning shows nothing."""

import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from writ.api.store.elements.element_bodies import merged
from writ.compiler.language.writing.changes import change_lines, has_made_id, statement_text
from writ.compiler.language.writing.compared_lines import ADDED, REMOVED, SAME, compared
from writ.compiler.model.elements import Assignment, ElementKind, Grant, Group, Member, Policy, ResourceRef, Scope
from writ.compiler.model.same_element import same_element

from tests.support.strategies_pick import Pick
from tests.support.writ_spelling import hostile_model
from tests.support.writ_texts import load_json, read

SEEDS = st.integers(0, 2**32)
MADE = "4d1e5ed0-5a3c-5a55-8a5c-1d2f3a4b5c6d"
OTHER = "9f0b7d9f-6a3f-4c8c-9f0b-7d9f6a3f6f11"


def pairs(seed):
    """Elements of two random models, of the same kind and with the same key where a change has one."""
    pick = Pick.seeded(seed)
    old, new = (load_json(hostile_model(pick)).model for _ in range(2))
    for kind in ElementKind:
        for before, after in zip(getattr(old, kind), getattr(new, kind), strict=False):
            yield kind, before, after


def parsed(kind, lines, like):
    """The element that some lines say, of the class of `like`, with the made id that text leaves out."""
    found = read("".join(f"{line[2:]}\n" for line in lines))
    assert {name for name, _ in found} == {kind}
    value = found[0][1]
    for _, more in found[1:]:  # declared attributes are one object in several statements
        value = merged(value, more)
    if kind in (ElementKind.EXTENSIONS, ElementKind.REQUESTS):
        value = {"names" if kind == ElementKind.EXTENSIONS else "mode": value}
    return msgspec.convert(value | ({"id": like.id} if has_made_id(like) else {}), type(like))


def without_made_id(element):
    return replace(element, id=None) if has_made_id(element) else element


@settings(max_examples=30)
@given(SEEDS)
def test_lines_of_a_change_parse_to_both_elements(seed):
    for kind, before, after in pairs(seed):
        lines = [*change_lines(kind, before, after, None)]
        gone, come = ([line for line in lines if not line.startswith(other)] for other in (ADDED, REMOVED))
        assert same_element(parsed(kind, gone, before), before)
        assert same_element(parsed(kind, come, after), after)
        changes = [line for line in lines if not line.startswith(SAME)]
        assert changes or same_element(without_made_id(before), without_made_id(after))
        short = [line for line in change_lines(kind, before, after, 1) if "lines stay" not in line]
        rest = iter(lines)
        assert all(line in rest for line in short)
        assert [line for line in short if not line.startswith(SAME)] == changes


@settings(max_examples=30)
@given(SEEDS)
def test_an_element_that_comes_or_goes_is_shown_in_full(seed):
    for kind, element, _ in pairs(seed):
        come, gone = [*change_lines(kind, None, element)], [*change_lines(kind, element, None)]
        assert same_element(parsed(kind, come, element), element)
        assert [line[2:] for line in come] == [line[2:] for line in gone]
        assert {line[:2] for line in come} == {ADDED}
        assert {line[:2] for line in gone} == {REMOVED}


@given(st.lists(st.sampled_from("abcdef"), max_size=12), st.lists(st.sampled_from("abcdef"), max_size=12))
def test_compared_lines_have_both_texts(before, after):
    rows = [*compared(before, after)]
    assert [text for sign, text in rows if sign != ADDED] == before
    assert [text for sign, text in rows if sign != REMOVED] == after


def test_lists_without_an_order_show_nothing():
    members = tuple(Member("user", id) for id in "abc")
    assert not changes(ElementKind.GROUPS, Group("g", members=members), Group("g", members=members[::-1]))
    one = Policy("p", "ALLOW", (Scope("d", ("read", "write")), Scope("e", ("*",))), roles=("r", "s"))
    other = Policy("p", "ALLOW", (Scope("e", ("*",)), Scope("d", ("write", "read"))), roles=("s", "r"))
    assert not changes(ElementKind.POLICIES, one, other)


def changes(kind, before, after):
    return [line for line in change_lines(kind, before, after) if not line.startswith(SAME)]


def test_a_dropped_end_and_a_made_id():
    before = Assignment("editor", MADE, group="eng", expires_at="2027-01-01T00:00:00Z")
    after = replace(before, expires_at=None, id=OTHER)
    assert changes(ElementKind.ASSIGNMENTS, before, after) == [
        "- assign editor to group eng until 2027-01-01T00:00:00Z",
        "+ assign editor to group eng",
    ]
    named = replace(after, id="the one")
    assert changes(ElementKind.ASSIGNMENTS, after, named) == [
        "- assign editor to group eng",
        '+ assign editor to group eng as "the one"',
    ]
    grant = Grant(group="eng", resource=ResourceRef("record", "r1"), actions=("read",), id=MADE)
    assert statement_text(ElementKind.GRANTS, grant) == "grant read on record r1 to group eng"


@pytest.mark.parametrize("gone", [0, 17, 39])
def test_a_member_of_a_long_list_is_one_line(gone):
    members = tuple(Member("user", f"u{place:02}") for place in range(40))
    left = members[:gone] + members[gone + 1 :]
    lines = [*change_lines(ElementKind.GROUPS, Group("eng", members=members), Group("eng", members=left))]
    assert lines[0] == "  group eng"
    assert any(line.startswith(REMOVED) and f"user u{gone:02}" in line for line in lines)
    assert len([line for line in lines if not line.startswith(SAME)]) <= 3
    assert any("lines stay" in line for line in lines)


def test_a_hostile_list_takes_no_quadratic_time():
    """Twice as many members take about twice as long: a quadratic comparison would take four times."""

    def seconds(size):
        members = [Member("user", f"u{place:06}") for place in range(size)]
        groups = [Group("g", members=tuple(members[first::2])) for first in (0, 1)]
        began = time.perf_counter()
        assert len(changes(ElementKind.GROUPS, *groups)) >= size
        return time.perf_counter() - began

    small, large = (min(seconds(size) for _ in range(3)) for size in (2_000, 8_000))
    assert large < 10 * small
