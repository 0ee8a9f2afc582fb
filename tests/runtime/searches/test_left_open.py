"""The attributes that an answer leaves open are all on which it depends and that its request did not send (S6)."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import pytest
from writ.runtime import Engine
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

from tests.support.bundling import engine_for
from tests.support.oracle_conditions import read
from tests.support.search_lists import Lister, actions_found, filtered, listed, resources_found, subjects_found
from tests.support.strategies import seeded_case
from tests.support.strategies_instants import context_time
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import ADDRESSES, answer
from tests.support.strategies_values import attribute_value

Row = dict[str, Any]
ACTOR = {"type": "user", "id": "a"}
BAGS = ("attributes", "properties")


def open_in_filter(engine: Engine, request: Row, now: float) -> Iterable[str]:
    options = {"gates": "decide", "return": "filter"}
    return engine.filter({**request, "options": {**request["options"], **options}}, now)["context"].get("left_open", ())


Opener = Callable[[Engine, Row, float], Iterable[str]]
SEARCHES: dict[str, tuple[Lister, Opener, str]] = {
    "subject": (subjects_found, lambda e, r, now: e.left_open(read_subject_search(r), now), "subject"),
    "action": (actions_found, lambda e, r, now: e.find_actions(read_action_search(r), now).left_open, "action"),
    "resource": (resources_found, lambda e, r, now: e.left_open(read_resource_search(r), now), "resource"),
    "filter": (filtered, open_in_filter, "resource"),
}


def compared(document: Row) -> Iterator[tuple[str, str, Row]]:
    """Each attribute that a condition reads, as its entity and its key, with the condition."""
    for policy in document.get("policies", []):
        for section, conditions in policy.get("conditions", {}).items():
            if section.endswith("_attrs"):
                for one in conditions:
                    yield section.removesuffix("_attrs"), one["key"], one
                    owner, _, key = str(one.get("value_of", "")).partition(".")
                    if key and one["value_of"] != "subject.groups":
                        yield owner, key, one
    for key in document.get("attributes", {}).get("context") or {}:
        yield "context", key, {}
    yield "context", "ip", {}
    yield "context", "time", {}


def bag(request: Row, owner: str) -> Row:
    """The attributes that a request sends for an entity."""
    if owner == "context":
        return request.get("context") or {}
    entity = request["options"]["actor"] if owner == "actor" else request[owner]
    return {**((entity.get("attributes") or {}) if owner != "action" else {}), **(entity.get("properties") or {})}


def lacking(document: Row, request: Row, searched: str) -> Iterator[tuple[str, str, Row]]:
    """The attributes that a request did not send, and that another request could send."""
    owners = {"subject", "action", "resource", "context"} - {searched}
    for owner, key, condition in compared(document):
        for one in (owner, *(["actor"] if owner == "subject" and "actor" in request["options"] else [])):
            is_own = one in ("subject", "resource", "actor") and key in ("id", "type")
            if one in {*owners, "actor"} and not is_own and read(bag(request, one), key) is None:
                yield one, key, condition


def known_otherwise(request: Row, searched: str) -> set[tuple[str, str]]:
    """Values that gates take from elsewhere: the instant from the clock, and the address from `ip_address` (C8, C9)."""
    found, context = set(), request.get("context")
    if context is not None or searched == "filter":
        found.add(("context", "time"))
    if context and context.get("ip_address") is not None:
        found.add(("context", "ip"))
    return found


def value_for(pick: Pick, key: str, condition: Row) -> Any:
    """A value that often meets a condition, and that is no object: other keys may lead into one."""
    if key == "ip":
        return pick.one(ADDRESSES)
    if key == "time":
        return context_time(pick)
    found = answer(pick, condition) if "value" in condition and pick.chance(3, 4) else attribute_value(pick)
    return "x" if found is None or isinstance(found, dict) else found


def sending(request: Row, values: dict[tuple[str, str], Any]) -> Row:
    """The request, with values for attributes that it did not send."""
    longer = {**request, "options": dict(request["options"])}
    for (owner, key), value in values.items():
        sent = {**bag(longer, owner), key: value}
        if owner == "context":
            longer["context"] = sent
        elif owner == "actor":
            longer["options"]["actor"] = {**longer["options"]["actor"], "properties": sent}
        else:
            longer[owner] = {**longer[owner], "properties": sent}
    return longer


def shorter(pick: Pick, request: Row) -> Row:
    """The request without some of what it sends."""
    short = {}
    for name, part in request.items():
        if name in ("subject", "resource", "action"):
            part = {key: one for key, one in part.items() if key not in BAGS or pick.chance(1, 2)}
        elif name == "context" and part:
            part = {key: one for key, one in part.items() if pick.chance(1, 2)}
        short[name] = part
    return short


def check(engine: Engine, document: Row, request: Row, now: float, pick: Pick, kind: str) -> tuple[int, int]:
    """Checks S6's law, and returns 1 if nothing is left open, and 1 if the list depends on what is left open."""
    list_of, opener, searched = SEARCHES[kind]
    names = set(opener(engine, request, now))
    unsent = {(owner, key): condition for owner, key, condition in lacking(document, request, searched)}
    is_open = {one for one in unsent if ".".join(one) in names}
    left = sorted(set(unsent) - is_open - known_otherwise(request, kind))
    assert names <= {".".join(one) for one in unsent} | {n for n in names if kind == "action" and n[:7] == "action."}
    before, depends = listed(list_of, document, request, now), False
    for _ in range(4):
        some = {one: value_for(pick, one[1], unsent[one]) for one in sorted(is_open) if pick.chance(1, 2)}
        base = sending(request, some)
        if any(name.startswith("context.") for name in names) and base.get("context") is None:
            base["context"] = {}
        others = [one for one in left if pick.chance(2, 3)]
        longer = sending(base, {one: value_for(pick, one[1], unsent[one]) for one in others})
        right = before if base == request else listed(list_of, document, base, now)
        same = longer == base or listed(list_of, document, longer, now) == right
        assert same, (document, request, longer, sorted(names))
        depends |= right != before
        assert names or right == before
    return not names, depends


@pytest.mark.parametrize("kind", SEARCHES)
def test_the_list_depends_on_nothing_else(kind, tmp_path):
    """S6, A1: whatever else a request sends, the list stays, and often it depends on what is left open."""
    closed = depending = asked = 0
    for seed in range(90):
        document, request, now = seeded_case(seed)
        pick, engine = Pick.seeded(seed), engine_for(document, tmp_path / f"{seed}.bundle")
        sent = shorter(pick, request)
        contexts = (sent.get("context"), None, {})
        for context, actor in product(contexts, ({}, {"actor": ACTOR} if kind != "subject" else {})):
            asking = {**sent, "context": context, "options": dict(actor)}
            nothing_open, depends = check(engine, document, asking, now, pick, kind)
            asked, closed, depending = asked + 1, closed + nothing_open, depending + depends
    assert asked / 10 < closed < asked
    assert depending > 15


VALUES = ("x", "y")
UNSENT = {"subject": "d", "action": "r", "resource": "s", "context": "m"}


def small(pick: Pick) -> Row:
    """A model with up to four policies on two attributes of each entity, with references and without."""
    policies = [policy(pick, f"p{n}") for n in range(pick.number(1, 4))]
    return {
        "model": 1,
        "extensions": ["references"],
        "resource_types": [{"id": "doc", "actions": ["edit", "read"]}],
        "roles": [{"id": "role"}],
        "subjects": [{"type": "user", "id": "a"}, {"type": "user", "id": "b", "attributes": {"d": "x", "e": "x"}}],
        "resources": [{"type": "doc", "id": "1"}, {"type": "doc", "id": "2", "attributes": {"s": "x", "t": "y"}}],
        "assignments": [{"role": "role", "subject": {"type": "user", "id": pick.one("ab")}}],
        "grants": [grant(pick)] if pick.chance(1, 3) else [],
        "policies": policies,
    }


def grant(pick: Pick) -> Row:
    holder, resource = {"type": "user", "id": pick.one("ab")}, {"type": "doc", "id": pick.one("12")}
    return {"id": "g", "subject": holder, "resource": resource, "actions": ["read"]}


def policy(pick: Pick, id: str) -> Row:
    conditions: dict[str, list[Row]] = {}
    for _ in range(pick.number(0, 3)):
        owner = pick.one(sorted(UNSENT))
        compared = {"key": pick.one((UNSENT[owner], UNSENT[owner], "e")), "op": pick.one(("eq", "eq", "ne"))}
        others = [f"{one}.{UNSENT[one]}" for one in ("subject", "action", "context") if one != owner]
        compared |= {"value_of": pick.one(others)} if pick.chance(1, 3) else {"value": pick.one(VALUES)}
        conditions.setdefault(f"{owner}_attrs", []).append(compared)
    actions = pick.one((["read"], ["edit"], ["read", "edit"]))
    return {
        "id": id,
        "effect": "DENY" if pick.chance(1, 4) else "ALLOW",
        "priority": pick.number(0, 2),
        "resource_types": [{"resource_type_id": "doc", "actions": actions}],
        "conditions": conditions,
        **({"roles": ["role"]} if pick.chance(1, 3) else {}),
    }


def small_request(pick: Pick) -> Row:
    """A request that sends each second attribute, and half of the time no context."""
    sent = {owner: {key: pick.one(VALUES)} if pick.chance(1, 2) else {} for owner, key in UNSENT.items()}
    return {
        "subject": {"type": "user", "id": pick.one("abz"), "properties": sent["subject"] | {"e": pick.one(VALUES)}},
        "action": {"name": "read", "properties": sent["action"] | {"e": "x"}},
        "resource": {"type": "doc", "id": pick.one("12z"), "properties": sent["resource"] | {"e": "x"}},
        "context": pick.one((None, sent["context"], sent["context"] | {"e": "y"})),
        "options": {},
    }


@pytest.mark.parametrize("kind", SEARCHES)
def test_every_value_of_what_is_not_sent(kind, tmp_path):
    """S6, by brute force: two requests that agree on what is left open have the same list."""
    list_of, opener, searched = SEARCHES[kind]
    needed = idle = 0
    for seed in range(90):
        pick = Pick.seeded(seed)
        document = small(pick)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        for request in (small_request(pick) for _ in range(3)):
            names = {*opener(engine, request, 0.0)}
            unsent = [o for o in sorted({one[:2] for one in lacking(document, request, searched)}) if o[1] in "drsme"]
            if any(name.startswith("context.") for name in names) and request["context"] is None:
                request = {**request, "context": {}}
            lists: dict[Any, Any] = {}
            for values in product((None, *VALUES), repeat=len(unsent)):
                sent = {one: value for one, value in zip(unsent, values, strict=True) if value is not None}
                agreed = tuple(sorted(one for one in sent.items() if ".".join(one[0]) in names))
                found = list_of(document, sending(request, sent), 0.0)
                assert lists.setdefault(agreed, found) == found, (document, request, sent, names)
            depends = len({repr(found) for found in lists.values()}) > 1
            could_send = {".".join(one) for one in unsent}
            needed, idle = needed + depends, idle + (bool(names & could_send) and not depends)
    assert needed > 35
    assert idle < 2 * needed
