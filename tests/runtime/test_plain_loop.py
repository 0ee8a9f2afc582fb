"""Every way of deciding agrees with the plain loop over ranked rules, on random models and hostile requests."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from writ.runtime import BadRequest, Engine
from writ.runtime.decision import Decision
from writ.runtime.decisions.decide import specialised_for, subject_of
from writ.runtime.decisions.plain_batch import AT_A_TIME
from writ.runtime.limits import CacheLimits
from writ.runtime.requests.evaluation_request import EvaluationRequest, read_carefully
from writ.runtime.requests.members import MAX_ID_CHARACTERS
from writ.runtime.requests.plain_bodies import PlainBodies
from writ.runtime.rules import attribute_index, plan
from writ.runtime.rules.reasons import Answer
from writ.runtime.rules.rule import first_that_holds
from writ.runtime.snapshot import Snapshot

from tests.support.bundling import engine_for
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request
from tests.support.strategies_values import SUBJECT_IDS, SUBJECT_TYPES

PARTS = ["subject", "action", "resource"]
MEMBERS = ["id", "type", "name", "external_id", "properties", "attributes"]
HOSTILE = [None, "", "x", "x" * (MAX_ID_CHARACTERS + 1), 0, True, [], {}, {"a": 1, "b": "x"}]

PLAIN = PlainBodies()

Outcome = tuple[bool, str | None] | tuple[str, str]


def decided_plainly(engine: Engine, read: EvaluationRequest, now: float) -> Outcome:
    """The decision and the reported policy or grant, by `first_that_holds` alone: no index, no short way, no cache."""
    stype, subject_by, sname, s, action, a, rtype, resource_by, rname, r, c, _ = read
    state = engine._snapshot.state
    snapshot = Snapshot(state, CacheLimits())
    sid, holder = subject_of(snapshot, stype, subject_by, sname, now)
    rules = specialised_for(snapshot, holder, rtype, action)
    if rules is None:
        return False, None
    rid = rname if resource_by == "id" else state.resource_id(rules.type, resource_by, rname)
    if rules.closed and not (rid is not None and state.is_registered(rules.type, rid)):
        return False, None
    asked = (stype, sid, s, rid, r, a, c, holder, now)
    denial, permission = first_that_holds(rules.denies, *asked), first_that_holds(rules.allows, *asked)
    grants = snapshot.grants(holder, rules.type, rid, now)
    covering = [grant.id for grant in grants if action in state.action_sets[grant.actions]]
    if denial is not None:
        return False, denial.clause.policy
    if covering:
        return True, covering[0]
    return permission is not None, permission and permission.clause.policy


def decided(engine: Engine, request: Any, now: float) -> Outcome:
    """The decision and the reported policy or grant, or the fault."""
    try:
        response = engine.decide(request, now)
    except BadRequest as ex:
        return ex.path, ex.message
    context = response["context"]
    return response["decision"], context.get("policy_id", context.get("denied_by"))


def plain_model(document: dict[str, Any]) -> dict[str, Any]:
    """The model with all subjects listed, and without windows, closed types and grants: what the short way takes."""
    policies = [
        policy | {"conditions": {name: condition for name, condition in conditions.items() if name != "time_window"}}
        for policy in document.get("policies", [])
        for conditions in [policy.get("conditions") or {}]
    ]
    types = [type | {"closed": False} for type in document.get("resource_types", [])]
    listed = document.get("subjects", [])
    keys = {(subject["type"], subject["id"]) for subject in listed}
    others = [{"type": type, "id": id} for type in SUBJECT_TYPES for id in SUBJECT_IDS if (type, id) not in keys]
    return document | {"policies": policies, "resource_types": types, "subjects": [*listed, *others], "grants": []}


def hostile(request: dict[str, Any], random: Random) -> dict[str, Any]:
    """The request with a member or two replaced, added or left out."""
    changed = {name: dict(part) if name in PARTS else part for name, part in request.items()}
    for _ in range(random.randint(1, 2)):
        owner = changed[random.choice(PARTS)] if random.random() < 0.8 else changed
        if isinstance(owner, dict):
            member = random.choice([*PARTS, "context", "options", "other"] if owner is changed else MEMBERS)
            owner[member] = random.choice(HOSTILE)
            if random.random() < 0.3:
                del owner[member]
    return changed


def by_ids(read: EvaluationRequest) -> dict[str, Any] | None:
    """The same question in its plainest form, which the short way takes, or None if another identifier is used."""
    stype, subject_by, sname, s, action, a, rtype, resource_by, rname, r, c, _ = read
    if not subject_by == resource_by == "id":
        return None
    return {
        "subject": {"type": stype, "id": sname, "properties": s},
        "action": {"name": action, "properties": a},
        "resource": {"type": rtype, "id": rname, "properties": r},
        "context": c,
    }


def plainest_form(request: Any) -> dict[str, Any] | None:
    """The plainest form of a request, or None if it has none or is malformed."""
    try:
        return by_ids(read_carefully(request))
    except BadRequest:
        return None


def arguments(plainest: dict[str, Any], now: float) -> tuple[Any, ...]:
    """The question as the arguments of `allowed` and `ask`."""
    subject, action, resource = plainest["subject"], plainest["action"], plainest["resource"]
    return (
        *(subject["type"], subject["id"], action["name"], resource["type"], resource["id"]),
        *(subject["properties"], resource["properties"], action["properties"], plainest["context"], now),
    )


@pytest.mark.parametrize(
    ("indexed_from", "written_after"),
    [(attribute_index.INDEXED_FROM, plan.WRITTEN_AFTER), (attribute_index.INDEXED_FROM, 1), (1, 1)],
)
def test_every_way_is_the_plain_loop(
    indexed_from: int, written_after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D1 to D8: plans, in order and written, the careful way and the index, cold and warm."""
    monkeypatch.setattr(attribute_index, "INDEXED_FROM", indexed_from)
    monkeypatch.setattr(plan, "WRITTEN_AFTER", written_after)
    short = careful = 0
    ends: Counter[str] = Counter()
    for seed in range(150):
        document, _, now = seeded_case(seed)
        document = plain_model(document) if seed % 2 else document
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        for number in range(10):
            request, random = a_request(Pick.seeded(10 * seed + number), document), Random(number)
            for variant in (request, hostile(request, random), hostile(request, random)):
                plainest = check(engine, variant, now)
                if plainest is not None and takes_the_short_way(engine, plainest, now):
                    short += 1
                    ends[end_of_plan(engine, plainest, now)] += 1
                else:
                    careful += 1
    assert short > 250
    assert careful > 250
    if indexed_from > 1:
        assert min(ends[end] for end in ENDS) > 5, ends


def check(engine: Engine, request: Any, now: float) -> dict[str, Any] | None:
    """Ask on every way, twice since the second time everything is cached. Returns the request's plainest form."""
    try:
        read = read_carefully(request)
    except BadRequest as ex:
        refused: Outcome = ex.path, ex.message
        assert [decided(engine, request, now) for _ in range(2)] == [refused, refused]
        return None
    expected, plainest = decided_plainly(engine, read, now), by_ids(read)
    assert [decided(engine, request, now) for _ in range(2)] == [expected, expected]
    if plainest is not None:
        assert [decided(engine, plainest, now) for _ in range(2)] == [expected, expected]
        assert engine.decide(plainest, now) == engine._decide_carefully(plainest, now)
        answers = plain_answers(engine, plainest, now)
        assert answers in ([], [engine.decide(plainest, now)] * 7)
        assert engine.allowed(*arguments(plainest, now)) is expected[0]
        assert engine.ask(*arguments(plainest, now)) == Decision.of(engine.decide(plainest, now))
    return plainest


def plain_answers(engine: Engine, request: dict[str, Any], now: float) -> list[Any]:
    """The answers to plain bodies: alone, as an item, as an item with defaults, and as one that has them all.

    Other subjects are asked in turn through the same warm engine, so that no shared answer is theirs. There is none to
    a request that has a lone surrogate, or a value that is no plain one.
    """
    others = [{**request, "subject": {**request["subject"], "id": id}} for id in ("nobody", "a")]
    items = [item for other in others for item in (other, request, {"resource": request["resource"]}, {})]
    try:
        single, batch = (
            read(msgspec.json.encode(body))
            for read, body in ((PLAIN.evaluation, request), (PLAIN.batch, {**request, "evaluations": items}))
        )
    except UnicodeEncodeError:
        return []
    if single is None:
        return []
    answers = [engine.answer(single, now), *answers_of(engine, batch, now)]
    found = [msgspec.json.decode(one.encoded) for one in answers]
    assert [found[1], found[5]] == [engine.decide(other, now) for other in others]
    return [found[0], *found[2:5], *found[6:]]


def answers_of(engine: Engine, batch: Any, now: float) -> list[Answer]:
    found: list[Answer] = []
    pauses = [len(found) for _ in engine.add_answers(batch, now, found)]
    assert pauses == [*range(AT_A_TIME, len(found), AT_A_TIME)]
    return found


def test_each_item_of_a_batch_gets_the_answer_to_it_alone(tmp_path: Path) -> None:
    """D1 to D8: items of several subjects, types and actions in turn, also with grants and roles that end (P4)."""
    items, granted = 0, Counter[bool]()
    for seed in range(150):
        document, _, now = seeded_case(seed)
        engine, alone = (engine_for(document, tmp_path / f"{seed}-{name}.bundle") for name in ("batch", "alone"))
        asked = [plainest_form(a_request(Pick.seeded(10 * seed + number), document)) for number in range(10)]
        plain = [one for one in asked if PLAIN.evaluation(json.dumps(one).encode()) is not None]
        people = [one["subject"] for one in plain]
        mixed = [one | {"subject": subject} for subject in people for one in plain]
        Random(seed).shuffle(mixed)
        for batch in (mixed, sorted(mixed, key=lambda one: str(one["subject"]))):
            if not batch:
                continue
            expected = [alone.decide(one, now) for one in batch]
            for _ in range(2):  # the second time, all plans are there
                read = PLAIN.batch(msgspec.json.encode({"evaluations": batch}))
                answers = answers_of(engine, read, now)
                assert [msgspec.json.decode(one.encoded) for one in answers] == expected
                assert [one.reason_code for one in answers] == [one["context"]["reason_code"] for one in expected]
            items += len(batch)
            granted.update(one["context"]["access_path"] == "direct" for one in expected)
    assert items > 1_000
    assert granted[True] > 5


ENDS = ("DENY_OVERRIDE", "EXPLICIT_DENY", "a rule with conditions", "a rule without conditions", "nothing")
"""The ways out of a plan."""


def end_of_plan(engine: Engine, request: Any, now: float) -> str:
    subject, context = request["subject"], engine.decide(request, now)["context"]
    holder = engine._snapshot.holders[subject["type"]][subject["id"]]
    *_, rules = engine._snapshot.plans[request["resource"]["type"]][request["action"]["name"]][holder.roles]
    last = rules.answers[rules.last - 2]
    if context["reason_code"] in ENDS:
        return str(context["reason_code"])
    if context["reason_code"] != "ALLOWED":
        return "nothing"
    return "a rule without conditions" if context == last.context else "a rule with conditions"


def takes_the_short_way(engine: Engine, request: Any, now: float) -> bool:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engine, "_decide_carefully", lambda *_: None)
        return engine.decide(request, now) is not None
