"""Groups are not in more others than a bundle can list."""

import json

import pytest
from writ.bundles.program.closure import MAX_PAIRS
from writ.compiler.limits import DEFAULTS, Limits
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.diagnosing import FORMATS, load_text, model_text, seen

LIMITS = Limits(group_ancestors=6)


def chain(length: int) -> str:
    """Groups, each a member of the next: `length` of them have half its square of pairs (P3)."""
    inner = [[], *([{"group": str(number)}] for number in range(length - 1))]
    return json.dumps([{"id": str(number), "members": members} for number, members in enumerate(inner)])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(("length", "expected"), [(4, []), (5, [("too-many-ancestors", "[")])])
def test_a_chain_is_limited_by_the_pairs_that_it_makes(length, expected, name):
    assert seen(model_text(groups=chain(length)), name, LIMITS) == expected


@pytest.mark.parametrize(("length", "expected"), [(64, []), (65, [("too-many-ancestors", "[")])])
def test_a_chain_has_so_many_groups(length, expected):
    assert seen(model_text(groups=chain(length)), "model.json", Limits()) == expected


def test_the_place_is_the_list_of_groups():
    text = model_text(groups=chain(5))
    documents = {"a.json": '{"model": 1}', "b.json": text, "c.json": '{"model": 1, "groups": [{"id": "other"}]}'}
    sources = [Source(name, text.encode()) for name, text in documents.items()]
    (found,) = load(sources, (), limits=LIMITS).diagnostics
    assert (found.file, found.path) == ("b.json", "$.groups")
    assert text.split("\n")[found.line - 1][found.column - 1 :].startswith(chain(5))
    assert found.message.startswith("groups are nested too deeply")
    assert found.help == "nest the groups less deeply: a subject can also be a direct member of an outer group"


def test_the_limit_is_what_a_bundle_can_hold():
    assert DEFAULTS.group_ancestors == MAX_PAIRS


def test_members_that_are_unknown_or_could_not_be_read_do_not_count():
    groups = '[{"id": "a", "members": [{"group": "x"}, {"group": 1}]}]'
    found = load_text(model_text(groups=groups), limits=Limits(group_ancestors=0)).diagnostics
    assert [one.code for one in found] == ["unknown-group", "wrong-type"]
