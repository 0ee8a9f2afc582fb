"""The answer to who can, against the oracle: it allows a request exactly if one of the regions has it.

Each request is asked twice: as if no rate limit were reached, and as if each one were (C10).
"""

from collections import Counter
from random import Random
from typing import Any

import pytest
from writ.bundles import zones
from writ.compiler.analysis.asking.question import Question
from writ.compiler.analysis.asking.who_can import who_can
from writ.compiler.analysis.limits import NO_WITNESS, TOO_MANY_STEPS
from writ.compiler.analysis.regions import People

from tests.support import oracle
from tests.support.analysing import prepared, without_rates
from tests.support.oracle_entities import question as asked_of
from tests.support.oracle_entities import subject_key
from tests.support.region_members import lies_in
from tests.support.strategies import document, near_edge
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

Document = dict[str, Any]

MODELS, QUESTIONS, REQUESTS = 25, 3, 6
SHARE_WITHOUT_WITNESS = 0.05
BAGS = ("subject", "action", "resource")


@pytest.mark.parametrize("as_bundle", [False, True])
def test_requests_are_allowed_exactly_in_regions(as_bundle):
    counts: Counter[str] = Counter()
    for seed in range(MODELS):
        check_seed(seed, counts, as_bundle)
    assert counts["limited"] > 2  # allowed, but not once the rate limits are reached
    assert counts["allowed"] > MODELS  # or the models are too dull to prove anything
    assert counts["no witness"] <= max(3, SHARE_WITHOUT_WITNESS * counts["regions"])


def check_seed(seed: int, counts: Counter[str], as_bundle: bool) -> None:
    """Ask one model who can do what requests ask for, with some of their values known."""
    free = without_rates(document(Pick.seeded(seed)))
    model = with_rates(free, Random(seed))
    side, judge = prepared(model, as_bundle)
    registered = {} if as_bundle else attributes_of(model)
    for number in range(QUESTIONS):
        pick, random = Pick.seeded(seed * 100 + number), Random(seed * 100 + number)
        example, now = request(pick, model), near_edge(pick)
        question = partly(example, now, random)
        found = who_can(side, judge, question, zones.installed_zone)
        counts["regions"] += len(found.gains)
        counts["no witness"] += sum(one.reason == NO_WITNESS for one in found.unknown)
        for region in found.gains:
            asked = region.witness.request
            assert region.witness.now == now
            assert oracle.decide(free, asked, now)["decision"], (seed, number, asked)
            assert question.subject_type in (None, asked["subject"]["type"])
            assert lies_in(found, region, (free, free), asked, now), (seed, number, asked)
        for other in range(REQUESTS):
            asked = request(Pick.seeded(seed * 1000 + number * 100 + other), model) if other else example
            sent = sending(question, asked, model, registered)
            counts["allowed"] += (allowed := check_request(found, free, question, sent))
            counts["limited"] += allowed > check_request(found, model, question, sent)


def with_rates(model: Document, random: Random) -> Document:
    """The model with rate limits on about half of the policies that allow."""
    policies = [dict(one) for one in model.get("policies", [])]
    for one in policies:
        if one["effect"] == "ALLOW" and random.random() < 0.5:
            one["conditions"] = one.get("conditions", {}) | {"rate_limit": {"limit": 1, "window_seconds": 60}}
    return model | {"policies": policies}


def partly(example: Document, now: float, random: Random) -> Question:
    """A question that knows a part of an example."""
    resource = {key: value for key, value in example["resource"].items() if key in ("id", "external_id", "name")}
    resource = {key: value for key, value in resource.items() if isinstance(value, str) and value}
    known = [dict(bag_of(example[name])) for name in BAGS[1:]] + [dict(example.get("context") or {})]
    for bag in known:
        for key in [*bag]:
            if random.random() < 0.4:
                del bag[key]
    action, attributes, context = known
    named = next(iter(resource.items())) if random.random() < 0.6 else None
    subject_type = example["subject"]["type"] if random.random() < 0.5 else None
    pair = example["resource"]["type"], example["action"]["name"]
    return Question(*pair, now, subject_type, named, attributes, action, context)


def bag_of(entity: Document) -> Document:
    return (entity.get("attributes") or {}) | (entity.get("properties") or {})


def attributes_of(model: Document) -> dict[tuple[str, str], Document]:
    return {(one["type"], one["id"]): one.get("attributes") or {} for one in model.get("subjects", [])}


def sending(question: Question, asked: Document, model: Document, registered: dict[Any, Document]) -> Document:
    """A request that sends what a question knows, and the registered attributes of its subject."""
    subject = dict(asked["subject"]) | {"type": question.subject_type or asked["subject"]["type"]}
    resource = dict(asked["resource"]) | {"type": question.resource_type}
    if question.resource is not None:
        kind, name = question.resource
        resource = {key: one for key, one in resource.items() if key not in ("id", "external_id", "name")}
        resource[kind] = name
    found: Document = {
        "subject": subject,
        "action": dict(asked["action"]) | {"name": question.action},
        "resource": resource,
    }
    bags = [registered.get(subject_key(asked_of(model, found | {"context": {}}, 0)), {})]
    bags += [question.action_attributes, question.resource_attributes]
    for name, bag in zip(BAGS, bags, strict=True):
        found[name]["properties"] = without(bag_of(found[name]), bag) | bag
        found[name].pop("attributes", None)
    found["context"] = without(asked.get("context") or {}, question.context) | question.context
    return found


def without(bag: Document, known: Document) -> Document:
    """A bag without the values of paths into what is known: it is known as a whole, and so is the address (C9)."""
    left = {key: value for key, value in bag.items() if key.split(".")[0] not in known}
    return {key: value for key, value in left.items() if key != "ip" or known.get("ip_address") is None}


def check_request(found: People, model: Document, question: Question, asked: Document) -> bool:
    """Compare one request with the regions. Gives back whether it is allowed."""
    allowed = oracle.decide(model, asked, question.now)["decision"]
    if not found.unknown:
        inside = any(lies_in(found, region, (model, model), asked, question.now) for region in found.gains)
        assert inside == allowed, (question, asked)
    assert all(one.reason in (NO_WITNESS, TOO_MANY_STEPS) for one in found.unknown if one.reason)
    return bool(allowed)
