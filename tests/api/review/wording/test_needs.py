"""What an ALLOW needs is true: a request that is changed to fulfil it makes the ALLOW hold (C1 to C5, D4, D10)."""

import json
import re
from typing import Any

import pytest
from writ.api.review.wording.needs import UNTRIED, needs, overridden_by
from writ.api.review.wording.prose import asking_why
from writ.runtime import Engine

from tests.support import oracle, oracle_entities
from tests.support.bundling import engine_for
from tests.support.strategies import case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

NOW = 1767607200.0
"""2026-01-05T10:00:00Z, a Monday."""

SCOPE = {"resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}


def policy(id: str, **conditions: Any) -> dict[str, Any]:
    return {"id": id, "effect": "ALLOW", "conditions": conditions} | SCOPE


def when(key: str, op: str, value: Any) -> list[dict[str, Any]]:
    return [{"key": key, "op": op, "value": value}]


MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "editor"}, {"id": "owner"}],
    "policies": [
        policy("mfa", context_attrs=when("mfa", "eq", True)),
        policy("hours", time_window={"days": ["sat"], "start": "09:00", "timezone": "Europe/Oslo"}),
        policy("office", ip_allowlist=["10.0.0.0/8", "::1"]),
        policy("office-alone", ip_allowlist=["10.0.0.0/8"]),
        policy("level", subject_attrs=when("level", "gte", 3), resource_attrs=when("status", "nin", ["a", "b"])),
        policy("rate", resource_attrs=when("x", "eq", 1), rate_limit={"limit": 1, "window_seconds": 60}),
        policy("roles") | {"roles": ["owner", "editor"]},
        policy("roles-and-more", context_attrs=when("mfa", "eq", True)) | {"roles": ["owner"]},
        {"id": "no", "effect": "DENY", "conditions": {"resource_attrs": when("closed", "eq", True)}} | SCOPE,
    ],
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_for(MODEL, tmp_path_factory.mktemp("needs") / "m.bundle")


def asked(engine: Engine, **resource: Any) -> dict[str, Any]:
    question = {
        "subject": {"type": "user", "id": "bob"},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d", "properties": resource},
    }
    return engine.decide(asking_why(question), NOW)


def test_each_condition_has_its_words(engine: Engine) -> None:
    found = dict(needs(asked(engine), engine.conditional("document", "read")))
    assert found == {
        "hours": ("a time on Saturday from 09:00 to 24:00 (Europe/Oslo)",),
        "level": (
            "`subject.level` must be at least 3",
            '`resource.status` must have a value that is none of "a" or "b"',
        ),
        "mfa": ("`context.mfa` must be true",),
        "office": ("an IP address within one of 10.0.0.0/8 or ::1",),
        "office-alone": ("an IP address within 10.0.0.0/8",),
        "rate": (
            "`resource.x` must be 1",
            "a time at which the rate limit of 1 evaluation in 60 seconds has room",
        ),
        "roles": ("the role `editor` or `owner`",),
        "roles-and-more": ("the role `owner`", "and then its conditions, which are not tried without the role"),
    }


def test_a_deny_that_holds_is_named(engine: Engine) -> None:
    assert overridden_by(asked(engine)) == ()
    assert overridden_by(asked(engine, closed=True)) == ("no",)


def test_what_is_allowed_needs_nothing(engine: Engine) -> None:
    question = {
        "subject": {"type": "user", "id": "bob"},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d"},
        "context": {"mfa": True},
    }
    assert list(needs(engine.decide(asking_why(question), NOW), ())) == []


ATTRIBUTE = re.compile(r"`(subject|resource|action|context)\.([^`]+)` must (.+)", re.DOTALL)
"""A need that a request may fulfil, if it says how."""

WAYS = (
    (re.compile(r"be one of (.+)", re.DOTALL), "in"),
    (re.compile(r"have a value other than (.+)", re.DOTALL), "ne"),
    (re.compile(r"have a value that is none of (.+)", re.DOTALL), "nin"),
    (re.compile(r"be greater than (.+)"), "gt"),
    (re.compile(r"be at least (.+)"), "gte"),
    (re.compile(r"be less than (.+)"), "lt"),
    (re.compile(r"be at most (.+)"), "lte"),
    (re.compile(r"be a text that sorts after (.+)", re.DOTALL), "after"),
    (re.compile(r"be the text (.+) or sort (?:after|before) it", re.DOTALL), "text"),
    (re.compile(r"be (.+)", re.DOTALL), "eq"),
)


def fulfilling(words: str) -> Any:
    """A value that does what the words say, read from the words alone. Raises ValueError for what they do not tell."""
    way, constant = next((name, found[1]) for pattern, name in WAYS if (found := pattern.fullmatch(words)))
    match way:
        case "in":
            return values_of(constant)[0]
        case "nin" | "ne":
            return next(one for one in ("none of these", 987654.5) if json.dumps(one) not in constant)
        case "gt" | "after":
            value = json.loads(constant)
            return f"{value}a" if isinstance(value, str) else value + max(1, abs(value) / 2)
        case "lt":
            value = json.loads(constant)
            return value - max(1, abs(value) / 2)
        case _:
            return json.loads(constant)


def values_of(constants: str) -> list[Any]:
    """The values of a list in words: commas and an `or` between them."""
    decoder, found, place = json.JSONDecoder(), [], 0
    while place < len(constants):
        value, place = decoder.raw_decode(constants, place)
        found.append(value)
        place += next((len(gap) for gap in (", ", " or ") if constants.startswith(gap, place)), len(constants))
    return found


NO_LIST = ", which is no list"
"""No value of the attribute fulfils a comparison with the elements of what has none (X2)."""

OWN = {("subject", "id"), ("subject", "type"), ("resource", "id"), ("resource", "type")}


def changed(asking: dict[str, Any], candidate: dict[str, Any], missing: tuple[str, ...]) -> dict[str, Any]:
    """The request, changed to fulfil what is missing. Raises ValueError if a request can't, or nobody can tell how."""
    better = dict(asking)
    for words in missing:
        found = ATTRIBUTE.fullmatch(words)
        if found is None or (found[1], found[2]) in OWN or is_shared(candidate, found) or NO_LIST in words:
            raise ValueError(words)
        owner, key, value = found[1], found[2], fulfilling(found[3])
        if owner == "context":
            better["context"] = {**(better.get("context") or {}), key: value}
        else:
            entity = better[owner]
            better[owner] = {**entity, "properties": {**(entity.get("properties") or {}), key: value}}
    return better


def is_shared(candidate: dict[str, Any], one: re.Match[str]) -> bool:
    """Whether several conditions read the attribute, or one on its path: a single value would have to fulfil all."""
    first = one[2].split(".")[0]
    readers = [
        condition
        for condition in candidate["conditions"]
        if condition["section"]
        in (f"{one[1]}_attrs", *(("time_window", "ip_allowlist") if one[1] == "context" else ()))
        and (condition["key"].split(".")[0] == first or {condition["key"], first} <= {"ip", "ip_address"})
    ]
    return len(readers) > 1


def test_a_request_that_fulfils_the_needs_makes_the_policy_hold(tmp_path: Any) -> None:
    """A law over random models and requests, on the engine and on the oracle."""
    tried = {True: 0, False: 0}
    for seed in range(2_000):
        pick = Pick.seeded(seed // 10)
        if seed % 10 == 0:
            model, _, now = case(pick)
            engine = engine_for(model, tmp_path / f"{seed}.bundle")
        asking = request(Pick.seeded(seed), model)
        asking = {name: part for name, part in asking.items() if name != "options"}
        try:
            answer = engine.decide(asking_why(asking), now)
        except ValueError:
            continue
        shown = {one["id"]: one for one in answer["context"]["explanation"]["candidates"] if one["kind"] == "policy"}
        for id, missing in needs(answer, conditional_of(engine, asking)):
            assert missing, f"{id} did not hold, so it lacks something"
            try:
                better = changed(asking, shown.get(id, {"conditions": []}), missing)
            except (ValueError, StopIteration, TypeError, OverflowError):
                tried[False] += 1
                continue
            assert_holds(engine, model, better, now, id)
            tried[True] += 1
    assert tried[True] > 40, tried


def conditional_of(engine: Engine, asking: dict[str, Any]) -> frozenset[str]:
    return engine.conditional(asking["resource"]["type"], asking["action"]["name"])


def test_what_lacks_the_role_alone_holds_with_the_role(tmp_path: Any) -> None:
    """A law over random models: a policy without the words about conditions has none, one with them has some."""
    tried = {True: 0, False: 0}
    for seed in range(600):
        model, asking, now = case(Pick.seeded(seed))
        engine = engine_for(model, tmp_path / f"{seed}.bundle")
        try:
            answer = engine.decide(asking_why(asking), now)
        except ValueError:
            continue
        if answer["decision"]:
            continue
        lacking = {one["id"] for one in answer["context"]["explanation"]["lacking"]}
        policies = {one["id"]: one for one in model.get("policies", ())}
        for id, missing in needs(answer, conditional_of(engine, asking)):
            if id in lacking:
                has_conditions = any((policies[id].get("conditions") or {}).values())
                assert (UNTRIED in missing) is has_conditions, policies[id]
                tried[has_conditions] += 1
    assert min(tried.values()) > 3, tried


def assert_holds(engine: Engine, model: dict[str, Any], asking: dict[str, Any], now: float, id: str) -> None:
    proof = engine.decide(asking_why(asking), now)["context"]["explanation"]["candidates"]
    (candidate,) = [one for one in proof if one["id"] == id and one["kind"] == "policy"]
    assert candidate["holds"], (id, asking, candidate)
    asked = oracle_entities.question(model, asking, now)
    found = [one for one in oracle.candidates(model, asked, asking["action"]["name"]) if one.id == id]
    assert found
    assert all(oracle.holds(one, asked) for one in found)


def test_a_reference_is_named_with_its_value(tmp_path) -> None:
    """The needs name the other value of the request, and what it was (X1, D10)."""
    references = [("owner", "eq", "subject.id"), ("tenant", "eq", "subject.tenant"), ("team", "in", "subject.groups")]
    conditions = [{"key": key, "op": op, "value_of": value_of} for key, op, value_of in references]
    model = MODEL | {"extensions": ["references"], "policies": [policy("shared", resource_attrs=conditions)]}
    answer = asked(engine_for(model, tmp_path / "m.bundle"), owner="eve")
    assert dict(needs(answer, [])) == {
        "shared": (
            '`resource.owner` must be `subject.id` ("bob")',
            "`resource.team` must be one of `subject.groups` (no values)",
            "`resource.tenant` must be `subject.tenant` (missing)",
        )
    }
