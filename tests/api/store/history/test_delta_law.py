"""The law of deltas: a delta has the new state of everything that a full compilation changes, and no wrong state."""

import tempfile
from operator import attrgetter
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.store.store import Store
from writ.bundles.delta import (
    AliasChange,
    Delta,
    GrantsChange,
    GroupChange,
    PolicyChange,
    ResourceChange,
    RoleChange,
    RoutingChange,
    SubjectChange,
    TypeChange,
    clauses_of,
    decode_delta,
)
from writ.bundles.program import closure
from writ.bundles.program.facts import Facts
from writ.compiler.lowering.lower_routes import lower_routes
from writ.compiler.lowering.resolve_facts import resolve_facts
from writ.compiler.model.elements import Model
from writ.compiler.model.single_members import extensions_of
from writ.compiler.passes import compile_program

from tests.support.deltas import granted, united
from tests.support.stored import ENV, deltas, put, random_edits, stored, try_write
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

States = dict[Any, Any]

SEEDS = st.integers(0, 2**40)
"""Seeded choices are made ten times as fast as drawn ones. A failure reports its seed."""


def states(model: Model) -> States:
    """Returns everything of a model that a delta can contain, by its identity."""
    program, facts = compile_program(model), resolve_facts(model)
    found: States = {("type", type.id): (type.name, type.actions, type.closed) for type in program.types}
    found |= {("role", role): True for role in program.roles}
    for clause in program.clauses:
        found["policy", clause.policy] = (*found.get(("policy", clause.policy), ()), clause)
    above = closure.ancestors({id: group.parents for id, group in facts.groups.items()})
    for id, group in facts.groups.items():
        found["group", id] = (tuple(sorted(above[id])), united(group.holdings), granted(facts, id))
    found["routes",] = lower_routes(model)
    return found | fact_states(facts)


def fact_states(facts: Facts) -> States:
    found: States = {}
    for grant in sorted(facts.grants, key=attrgetter("id")):
        pair = ("grants", grant.holder, grant.resource)
        found[pair] = (*found.get(pair, ()), (grant.id, grant.actions, grant.expires, grant.starts))
    for key, subject in facts.subjects.items():
        found["subject", key] = (tuple(sorted(subject.groups)), united(subject.holdings), granted(facts, key))
        if subject.external_id is not None:
            found["alias", "subject", key.type, "external_id", subject.external_id] = key.id
    for key, resource in facts.registered().items():
        found["resource", key] = True
        for kind in ("external_id", "name"):
            if (alias := getattr(resource, kind)) is not None:
                found["alias", "resource", key.type, kind, alias] = key.id
    return found


def said(delta: Delta) -> States:
    """Returns the content of a delta in the form of `states`, with None for what it removes."""
    found: States = {}
    for change in delta.changes:
        match change:
            case TypeChange(id, state):
                found["type", id] = state
            case RoleChange(id, present):
                found["role", id] = present or None
            case PolicyChange(id):
                found["policy", id] = clauses_of(change) or None
            case GroupChange(id, ancestors, holdings, granted_on, present):
                found["group", id] = (ancestors, holdings, granted_on) if present else None
            case SubjectChange(key, groups, holdings, granted_on, present):
                found["subject", key] = (groups, holdings, granted_on) if present else None
            case GrantsChange(holder, resource, grants):
                shown = tuple((grant.id, grant.actions, grant.expires, grant.starts) for grant in grants)
                found["grants", holder, resource] = shown or None
            case ResourceChange(key, present):
                found["resource", key] = present or None
            case AliasChange(entity, type, kind, alias, id):
                found["alias", entity, type, kind, alias] = id
            case RoutingChange(routing):
                found["routes",] = routing.routes
    return found


def check_law(before: Model, after: Model, delta: Delta) -> None:
    was, now, told = states(before), states(after), said(delta)
    assert {thing: now.get(thing) for thing in told} == told
    assert {thing for thing in was.keys() | now.keys() if was.get(thing) != now.get(thing)} <= told.keys()


@settings(max_examples=25)
@given(SEEDS)
def test_random_edits(seed):
    """Equal to a full compilation after every write, with refused writes in between."""
    pick = Pick.seeded(seed)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder), "NORMAL")
        put(store, document(pick))
        for _ in range(4):
            env, before = store.read_model(ENV)
            edits = random_edits(pick, stored(store), document(pick))
            if not try_write(store, edits):
                assert store.read_model(ENV) == (env, before)
                continue
            _, after = store.read_model(ENV)
            for delta in deltas_between(store, env.revision, before, after):
                check_law(before, after, decode_delta(delta))
        store.close()


def deltas_between(store: Store, since: int, before: Model, after: Model) -> list[bytes]:
    """Returns the deltas, or none if declared attributes or opt-ins changed: no delta has them."""
    found = deltas(store, since)
    assert found is not None or declared(before) != declared(after)
    return found or []


def declared(model: Model) -> dict[str, Any]:
    opt_ins = {"extensions": extensions_of(model), "requests": model.requests}
    return {one.id: one.attributes for one in model.resource_types} | {"others": model.attributes} | opt_ins


def nested(pick: Pick) -> dict[str, Any]:
    """Returns groups in groups, deep and in cycles, with some members and some rights through them (P3)."""
    ids = [f"g{number}" for number in range(6)]
    users = [{"type": "user", "id": f"u{number}"} for number in range(2)]
    choices = [{"group": id} for id in ids]
    groups = [
        {"id": id, "members": pick.some(choices, 0, 2) + pick.some(users, 0, 1)} | pick.member(1, 4, "name", "other")
        for id in ids
    ]
    return {"roles": [{"id": "r"}], "groups": groups, "assignments": [{"id": "a", "role": "r", "group": pick.one(ids)}]}


@settings(max_examples=25)
@given(SEEDS)
def test_nested_groups(seed):
    """Several groups change at once, with groups inside others among them."""
    pick = Pick.seeded(seed)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder), "NORMAL")
        put(store, nested(pick))
        env, before = store.read_model(ENV)
        try_write(store, random_edits(pick, stored(store), nested(pick)))
        _, after = store.read_model(ENV)
        for delta in deltas(store, env.revision):
            check_law(before, after, decode_delta(delta))
        store.close()


@settings(max_examples=30)
@given(SEEDS)
def test_a_replaced_model(seed):
    """The same for a whole model that replaces another. The store then has the model that was put."""
    pick = Pick.seeded(seed)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder), "NORMAL")
        put(store, document(pick))
        env, before = store.read_model(ENV)
        wanted = document(pick)
        put(store, wanted)
        _, after = store.read_model(ENV)
        for delta in deltas_between(store, env.revision, before, after):
            check_law(before, after, decode_delta(delta))
        given_back = stored(store)
        for rows in given_back.get("assignments", ()):
            assert rows.pop("id")
        for rows in wanted.get("assignments", ()):
            rows.pop("id", None)
        assert given_back == {name: rows for name, rows in wanted.items() if name != "model"}
        assert list(given_back) == [name for name in wanted if name != "model"]
        store.close()
