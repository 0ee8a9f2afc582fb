"""E3, S4: the candidates include everything that qualifies, once, by id, span by span, read from the span alone."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.store.errors import NotFound
from writ.api.store.search import candidates, search_rows
from writ.api.store.search.candidate_sql import MOST_COMPARISONS, MOST_CONSTANTS
from writ.api.store.store import Store
from writ.bundles.conditions.trees.canonical import canonical_tree
from writ.bundles.conditions.trees.normalise import normal_and, normal_or
from writ.bundles.conditions.trees.tree import FALSE, TRUE, And, Or, TreeComparison, complement
from writ.runtime.searches.subjects import SubjectRule

from tests.support.comparing import VALUES, comparisons
from tests.support.filter_trees import tree_holds
from tests.support.oracle_conditions import read
from tests.support.store_engines import engine_named
from tests.support.stored import ACTOR, ENV, put

IDS = (" ", '"', "%", "'", "A", "\\", "a", "a\0", "a\0b", "aa", "b", "é", "\0", "\uffff", "\U0001f600")
ROLES = ("r", "r\0", "s")
GROUPS = ("g", "g\0", "h", "i")
EDITOR = [{"id": role} for role in ROLES]
TYPES = [{"id": name, "name": name.upper(), "actions": ["read"]} for name in ("doc", "other")]
GRANTEE, GRANTED = {"type": "user", "id": "u\0"}, {"type": "doc", "id": "d\0"}
values = st.sampled_from([value for value in VALUES if value != "\ud800"])
attributes = st.fixed_dictionaries(
    {}, optional={"k": values, "l": values, "m.n": values, "m": values | st.fixed_dictionaries({"n": values})}
)
on_ids = st.one_of(
    st.tuples(st.just("id"), st.sampled_from(["eq", "ne", "gt", "gte", "lt", "lte"]), st.sampled_from((*IDS, 1))),
    st.tuples(st.just("id"), st.sampled_from(["in", "nin"]), st.lists(st.sampled_from((*IDS, 1)), max_size=3)),
)
rules = st.lists(st.lists(st.one_of(comparisons, comparisons, on_ids), max_size=3), max_size=3)
trees = st.one_of(
    st.builds(canonical_tree, rules, rules, st.sampled_from([0, 20_000])), st.sampled_from([TRUE, FALSE, FALSE])
)
ids = st.lists(st.sampled_from(IDS), unique=True)
role_sets = st.none() | st.lists(st.sampled_from(ROLES), min_size=1, unique=True).map(tuple)


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Iterator[Store]:
    found = Store.open(tmp_path_factory.mktemp("store"), "NORMAL")
    yield found
    found.close()


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def any_store(request, tmp_path_factory) -> Iterator[Store]:
    """A store on each engine."""
    with engine_named(request) as engine:
        found = engine.open(tmp_path_factory.mktemp("any"))
        yield found
        found.close()


def holds(tree, id, attributes):
    return tree_holds(tree, lambda key: id if key == "id" else read(attributes, key))


def walk(look, count):
    """Returns everything found, span after span, and the number of entities tried."""
    after, found, tried = "", [], 0
    while after is not None:
        seen = look(after)
        ids = [one.id for one in seen.found]
        assert ids == sorted(set(ids))
        assert all(after < id and (seen.last is None or id <= seen.last) for id in ids)
        assert seen.last is None or (after < seen.last and seen.tried)
        assert seen.tried <= 2 * count
        found += seen.found
        tried += seen.tried
        after = seen.last
    return found, tried


def check(found, registered, qualify):
    """All qualifying entities are found, with their registered data."""
    assert all(one.attributes == registered[one.id] for one in found)
    assert {one.id for one in found} >= qualify


@st.composite
def resource_models(draw):
    listed = {id: draw(attributes) for id in draw(ids)}
    granted = {by: draw(ids) for by in (GRANTEE["id"], "other")}
    return listed, granted, {group: draw(ids) for group in ("g\0", "h", "i")}


@settings(max_examples=90, deadline=None)
@given(model=resource_models(), where=st.lists(trees, min_size=1, max_size=4), count=st.integers(1, 6))
def test_every_resource_that_qualifies_is_found(any_store, model, where, count):
    """The grantee is in the group `h`, which is in the group `g\0` (P7)."""
    listed, granted, to_groups = model
    grants = [({"subject": {"type": "user", "id": by}}, id) for by, ids in granted.items() for id in ids]
    grants += [({"group": group}, id) for group, ids in to_groups.items() for id in ids]
    resources = [{"type": "doc", "id": id, "attributes": has} for id, has in listed.items()]
    put(
        any_store,
        {
            "resource_types": TYPES,
            "resources": resources + [{"type": "other", "id": id, "attributes": {"k": "a"}} for id in IDS],
            "groups": [
                {"id": "g\0", "members": [{"group": "h"}]},
                {"id": "h", "members": [GRANTEE, {"group": "g\0"}]},
                {"id": "i", "members": [{"type": "user", "id": "other"}]},
            ],
            "grants": [by | {"resource": {"type": "doc", "id": id}, "actions": ["read"]} for by, id in grants],
        },
    )
    registered = {id: {} for _, id in grants} | listed
    for tree, granted_to in product(where, (None, (GRANTEE["type"], GRANTEE["id"]))):
        own = {*granted[GRANTEE["id"]], *to_groups["g\0"], *to_groups["h"]} if granted_to else set()
        found, tried = walk(partial(_resources, any_store, where=tree, granted_to=granted_to, count=count), count)
        check(found, registered, {id for id, has in registered.items() if holds(tree, id, has) or id in own})
        assert tried == len(own if tree == FALSE else registered)


def _resources(store, after, count, where, granted_to):
    return store.resource_candidates(ENV, "doc", after, count, where, granted_to)


@st.composite
def subject_models(draw):
    listed = {id: draw(attributes) for id in draw(ids)}
    assigned = draw(st.lists(st.tuples(st.sampled_from(ROLES), st.sampled_from(IDS), st.booleans()), max_size=4))
    to_groups = draw(st.lists(st.tuples(st.sampled_from(ROLES), st.sampled_from(GROUPS)), max_size=3))
    members = {group: draw(st.lists(st.sampled_from(IDS), max_size=3, unique=True)) for group in GROUPS}
    inner = {group: draw(st.lists(st.sampled_from(GROUPS), max_size=2, unique=True)) for group in GROUPS}
    on = st.sampled_from([GRANTED["id"], "x"])
    granted = draw(st.lists(st.tuples(st.sampled_from(IDS), on), max_size=3, unique=True))
    group_granted = draw(st.lists(st.tuples(st.sampled_from(GROUPS), on), max_size=2, unique=True))
    return listed, assigned, to_groups, members, inner, granted, group_granted


def holders(roles, assigned, to_groups, members, inner):
    """P2, P3: by assignment, and by membership in a group or in a group inside it."""
    groups = {group for role, group in to_groups if role in roles}
    return {id for role, id, _ in assigned if role in roles} | inside(groups, members, inner)


def inside(groups, members, inner):
    """P3: the members of groups, at any depth."""
    for _ in GROUPS:
        groups = groups | {member for group in groups for member in inner[group]}
    return {id for group in groups for id in members[group]}


@settings(max_examples=90, deadline=None)
@given(
    model=subject_models(),
    rule_sets=st.lists(st.lists(st.builds(SubjectRule, role_sets, trees), max_size=3), min_size=1, max_size=3),
    count=st.integers(1, 6),
)
def test_every_subject_that_qualifies_is_found(any_store, model, rule_sets, count):
    listed, assigned, to_groups, members, inner, granted, group_granted = model
    expired = {"expires_at": "2001-01-01T00:00:00Z"}

    def user(id):
        return {"type": "user", "id": id}

    put(
        any_store,
        {
            "resource_types": TYPES,
            "roles": EDITOR,
            "groups": [
                {
                    "id": group,
                    "members": [*map(user, members[group]), *({"group": one} for one in inner[group])],
                }
                for group in GROUPS
            ],
            "subjects": [user(id) | {"attributes": has} for id, has in listed.items()]
            + [{"type": "robot", "id": id} for id in IDS],
            "assignments": [
                {"role": role, "subject": user(id)} | (expired if over else {})
                for role, id, over in dict.fromkeys(assigned)
            ]
            + [{"role": role, "group": group} for role, group in dict.fromkeys(to_groups)],
            "grants": [
                by | {"resource": {"type": "doc", "id": on}, "actions": ["read"]}
                for by, on in [({"subject": user(id)}, on) for id, on in granted]
                + [({"group": group}, on) for group, on in dict.fromkeys(group_granted)]
            ],
        },
    )
    by_mention = (
        {id for _, id, _ in assigned} | {id for id, _ in granted} | {id for ids in members.values() for id in ids}
    )
    registered = {id: {} for id in by_mention} | listed
    for ruled, granted_on in product(rule_sets, (None, (GRANTED["type"], GRANTED["id"]))):
        direct = {id for id, on in granted if granted_on and on == GRANTED["id"]}
        granted_groups = {group for group, on in group_granted if granted_on and on == GRANTED["id"]}
        direct |= inside(granted_groups, members, inner)
        let_in = [
            (rule.where, registered if rule.roles is None else holders(rule.roles, *model[1:5])) for rule in ruled
        ]
        found, tried = walk(partial(_subjects, any_store, rules=ruled, granted_on=granted_on, count=count), count)
        qualify = {id for where, some in let_in for id in some if holds(where, id, registered[id])}
        check(found, registered, direct | qualify)
        asked = direct.union(*(some for where, some in let_in if where != FALSE))
        assert tried == len(asked)


def _subjects(store, after, count, rules, granted_on):
    return store.subject_candidates(ENV, "user", after, count, rules, granted_on)


PLAIN = {
    "strings": {"k": "a", "m": {"n": "x"}},
    "longer": {"k": "ab", "m.n": "x"},
    "low": {"k": 1},
    "high": {"k": 10},
    "real": {"k": 2.5},
    "flag": {"k": True},
    "list": {"k": ["a"]},
    "null": {"k": None},
    "none": {},
}


@pytest.mark.parametrize(
    ("tree", "found"),
    [
        (TreeComparison.normal("k", "eq", "a"), "strings"),
        (TreeComparison.normal("k", "eq", 1), "low flag"),
        (TreeComparison.normal("k", "eq", True), "flag"),
        (TreeComparison.normal("k", "in", ["a", "ab", "b"]), "strings longer"),
        (TreeComparison.normal("k", "in", [1, 2.5, "b"]), "low real flag"),
        (TreeComparison.normal("m.n", "eq", "x"), "strings longer"),
        (TreeComparison.normal("m.n", "in", ["x", "y", "z"]), "strings longer"),
        (TreeComparison.normal("k", "gt", 2), "high real"),
        (TreeComparison.normal("k", "lte", 2.5), "low real flag"),
        (TreeComparison.normal("k", "gte", "ab"), "longer"),
        (TreeComparison.normal("k", "lt", "ab"), "strings longer list"),
        (TreeComparison.normal("k", "regex", "^ab"), "longer"),
        (TreeComparison.normal("k", "ne", "a"), "longer low high real flag list"),
        (TreeComparison.normal("k", "nin", ["a", "ab", 1, True]), "high real list"),
        (complement(TreeComparison.normal("k", "eq", "a")), "longer low high real flag list null none"),
        (complement(TreeComparison.normal("k", "ne", "a")), "strings null none"),
        (complement(TreeComparison.normal("k", "gte", 2)), "strings longer low flag list null none"),
        (complement(TreeComparison.normal("k", "lt", "ab")), "longer low high real flag list null none"),
        (complement(TreeComparison.normal("m.n", "eq", "x")), "low high real flag list null none"),
        (TreeComparison.normal("id", "in", ["low", "high"]), "low high"),
        (complement(TreeComparison.normal("id", "gte", "i")), "flag high"),
        (normal_and([TreeComparison.normal("k", "gt", 0), TreeComparison.normal("k", "lt", 9)]), "low real flag"),
        (normal_or([TreeComparison.normal("k", "eq", "a"), TreeComparison.normal("k", "eq", [1])]), " ".join(PLAIN)),
        (normal_and([TreeComparison.normal("k", "eq", "a"), TreeComparison.normal("k", "eq", [1])]), "strings"),
    ],
)
def test_what_certainly_does_not_qualify_is_left_out(store, tree, found):
    put(
        store,
        {
            "resource_types": TYPES,
            "resources": [{"type": "doc", "id": id, "attributes": has} for id, has in PLAIN.items()],
        },
    )
    seen = store.resource_candidates(ENV, "doc", "", 100, tree, None)
    assert (sorted(found.split()), None, len(PLAIN)) == ([one.id for one in seen.found], seen.last, seen.tried)


def test_conditions_beyond_the_limits_leave_nobody_out(any_store):
    """However large a condition is, its SQL is small."""
    put(any_store, {"resource_types": TYPES, "resources": [{"type": "doc", "id": "a", "attributes": {"k": "a"}}]})
    many = [TreeComparison.normal(f"k{n}", "eq", n) for n in range(5_000)]
    deep = TreeComparison.normal("k", "eq", "a")
    for n, one in enumerate(many[:300]):
        deep = And((deep, complement(one))) if n % 2 else Or((deep, one))
    constants = TreeComparison.normal("k", "in", [f"{n}" for n in range(MOST_CONSTANTS + 1)])
    for tree in (normal_or([TreeComparison.normal("k", "eq", "a"), *many]), deep, constants):
        assert [one.id for one in any_store.resource_candidates(ENV, "doc", "", 10, tree, None).found] == ["a"]
    kept = normal_and([TreeComparison.normal("k", "eq", "b"), *many])
    assert len(kept.children) > MOST_COMPARISONS
    assert any_store.resource_candidates(ENV, "doc", "", 10, kept, None).found == []


def test_other_identifiers_come_along_and_environments_stay_apart(any_store):
    resource = {"type": "doc", "id": "a", "external_id": "A-1", "name": "Plan"}
    put(any_store, {"resource_types": TYPES, "resources": [resource]})
    any_store.create_environment(ACTOR, "second")
    put(any_store, {"resource_types": TYPES, "resources": [resource | {"name": "Other"}]}, "second")
    (found,) = any_store.resource_candidates(ENV, "doc", "", 10, TRUE, None).found
    assert found == ("a", "A-1", "Plan", {})
    (found,) = any_store.resource_candidates("second", "doc", "", 10, TRUE, None).found
    assert found.name == "Other"
    with pytest.raises(NotFound):
        any_store.resource_candidates("none", "doc", "", 10, TRUE, None)


def test_what_is_no_text_is_the_key_of_nothing(any_store):
    put(any_store, {"resource_types": TYPES, "resources": [{"type": "doc", "id": "a"}], "roles": EDITOR})
    bad = "\ud800"
    assert any_store.resource_candidates(ENV, bad, "", 10, TRUE, None) == ([], None, 0)
    assert len(any_store.resource_candidates(ENV, "doc", "", 10, TRUE, (bad, "a")).found) == 1
    assert any_store.subject_candidates(ENV, "user", "", 10, [SubjectRule((bad,), TRUE)], ("doc", bad)) == ([], None, 0)


def test_many_roles_and_conditions_are_looked_up_in_few_queries(store, monkeypatch):
    """Above the limits, a search finds more candidates, never fewer."""
    monkeypatch.setattr(candidates, "MOST_CONDITIONS", 2)
    roles = [f"role {n}" for n in range(5)]
    put(
        store,
        {
            "resource_types": TYPES,
            "roles": [{"id": role} for role in roles],
            "subjects": [{"type": "user", "id": f"{n}", "attributes": {"k": n}} for n in range(8)],
            "assignments": [{"role": role, "subject": {"type": "user", "id": f"{n}"}} for n, role in enumerate(roles)],
        },
    )
    ruled = [
        SubjectRule((role,), TreeComparison.normal("k", "eq", n + 1.5 if n else 0)) for n, role in enumerate(roles)
    ]
    seen = store.subject_candidates(ENV, "user", "", 10, ruled, None)
    assert ([one.id for one in seen.found], seen.last, seen.tried) == (["0"], None, 5)
    monkeypatch.setattr(candidates, "MOST_ROLES", 3)
    assert store.subject_candidates(ENV, "user", "", 10, ruled, None).tried == 8


def test_a_large_group_does_not_make_spans_of_one(store):
    """The shares of a span grow until it has entities, and spans never get much larger than requested."""
    sizes = {"large": 300} | {f"small {n}": 1 for n in range(60)}
    put(
        store,
        {
            "resource_types": TYPES,
            "roles": [{"id": "r"}],
            "groups": [
                {"id": group, "members": [{"type": "user", "id": f"{group} {n}"} for n in range(size)]}
                for group, size in sizes.items()
            ],
            "assignments": [{"role": "r", "group": group} for group in sizes],
        },
    )
    spans = []

    def look(after):
        spans.append(store.subject_candidates(ENV, "user", after, 100, [SubjectRule(("r",), TRUE)], None))
        return spans[-1]

    found, tried = walk(look, 100)
    assert len(found) == tried == sum(sizes.values())
    assert all(25 <= span.tried <= 200 for span in spans[:-1])


def test_one_entity_with_many_mentions_is_no_long_span(store, monkeypatch):
    """However often an entity is mentioned, a search reads a bounded number of rows, and goes on."""
    monkeypatch.setattr(search_rows, "MENTIONS", 1)
    granted = [("often", f"d{n}") for n in range(20)] + [("a", "d"), ("z", "d")]
    put(
        store,
        {
            "resource_types": TYPES,
            "subjects": [{"type": "user", "id": id} for id in ("often", "y")],
            "grants": [
                {"subject": {"type": "user", "id": by}, "resource": {"type": "doc", "id": on}, "actions": ["read"]}
                for by, on in granted
            ],
        },
    )
    found, tried = walk(partial(_subjects, store, count=3, rules=[SubjectRule(None, TRUE)], granted_on=None), 3)
    assert ([one.id for one in found], tried) == (["a", "often", "y", "z"], 4)


READ = {"resources", "subjects", "grants", "assignments", "group_subjects", "group_groups"}


def test_no_query_looks_beyond_its_span(store, monkeypatch):
    """Each table is searched by a covering index, down to the ids, or from a role, a resource or a group to groups.

    Nothing is sorted but the union of sources, whose ids of one span have no common order: SQLite 3.53 sorts and merges
    them, where older ones put them into a tree.
    """
    put(store, {"resource_types": TYPES, "roles": EDITOR, "groups": [{"id": "g"}]})
    said = TreeComparison.normal("k", "eq", "a")
    plans: list[list[str]] = []
    in_order: list[str] = []
    rows = search_rows.Search._rows

    def explained(self, query):
        plans.append([row[-1] for row in self._db.execute("EXPLAIN QUERY PLAN " + self._whole(query), self._values)])
        if " AS added" not in query:
            in_order.extend(plans[-1])
        return rows(self, query)

    monkeypatch.setattr(search_rows.Search, "_rows", explained)
    for where in (TRUE, FALSE, said):
        store.resource_candidates(ENV, "doc", "", 10, where, ("user", "a"))
        for roles in (None, ("r", "s")):
            ruled = [SubjectRule(roles, where), SubjectRule(("s",), said)]
            store.subject_candidates(ENV, "user", "", 10, ruled, ("doc", "a"))
    looks = [
        step
        for plan in plans
        for step in plan
        if re.match(
            r"(SCAN|SEARCH) (?!CONSTANT|known|roles|groups|granted|added|counted|ends|every|listed|unlisted|\d|\()",
            step,
        )
    ]
    assert {step.split()[1] for step in looks} == READ
    in_an_index = r"SEARCH \w+ USING (COVERING INDEX \w+|PRIMARY KEY)"
    to_ids = rf"{in_an_index} \(environment=\? AND .*id(=\?|>\?( AND \w+<\?)?)\)"
    by = r"role=\? AND subject_type|resource_type=\? AND resource_id=\? AND subject_type|group_id|member"
    to_groups = rf"{in_an_index} \(environment=\? AND ({by})=\?\)"
    assert [step for step in looks if not re.match(f"{to_ids}|{to_groups}", step)] == []
    assert in_order
    assert not [step for step in in_order if "ORDER BY" in step]
