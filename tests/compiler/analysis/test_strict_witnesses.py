"""Witnesses in strict models: both models accept the request, wherever there is one that they do (E8)."""

from collections import Counter
from typing import Any

import pytest
from writ.compiler.analysis.limits import NO_WITNESS

from tests.support import oracle
from tests.support.analysing import analysed, is_valid, without_rates
from tests.support.region_members import lies_in
from tests.support.strategies import near_edge
from tests.support.strategies_pick import Pick
from tests.support.strict_models import accepted_requests, faults_of, strict_pair

Document = dict[str, Any]

MODELS = 150
SHARE_MISSED = 0.05
"""Some models declare what fits badly: the time as an array, or an object's values of which rules read two parts."""


def test_both_models_accept_witnesses():
    counts: Counter[str] = Counter()
    for seed in range(MODELS):
        check_strict(seed, counts, as_bundles=bool(seed % 2))
    assert counts["accepted"] > MODELS // 4
    assert counts["changed"] > MODELS // 15
    assert counts["missed"] <= SHARE_MISSED * counts["changed"]


POLICY: Document = {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}
TYPE: Document = {"id": "d", "actions": ["read"]}
STRICT: Document = {"requests": "strict", "resource_types": [TYPE]}
MFA: Document = {"kind": "boolean", "required": True}


@pytest.mark.parametrize(
    ("declared", "conditions", "expected"),
    [
        ({"context": {"mfa": MFA}}, {}, {"context": {"mfa": True}}),
        ({"context": {"mfa": MFA}}, {"context_attrs": [{"key": "mfa", "op": "ne", "value": True}]}, {"mfa": False}),
        (
            {"action": {"level": {"kind": "string", "one_of": ["high", "low"]}}},
            {"action_attrs": [{"key": "level", "op": "ne", "value": "high"}]},
            {"level": "low"},
        ),
        (
            {"subject": {"user": {"team": {"kind": "object", "required": True}}}},
            {"subject_attrs": [{"key": "team.site", "op": "eq", "value": "north"}]},
            {"team": {"site": "north"}},
        ),
        (
            {"subject": {"user": {"tags": {"kind": "array", "one_of": ["x", "y"], "required": True}}}},
            {"subject_attrs": [{"key": "tags", "op": "has", "value": "y"}]},
            {"tags": ["y"]},
        ),
    ],
)
def test_a_witness_has_what_strict_requests_must_have(declared, conditions, expected):
    extensions = {"extensions": ["arrays"]} if "has" in repr(conditions) else {}
    before = STRICT | {"attributes": declared} | extensions
    (gain,) = analysed(before, before | {"policies": [POLICY | {"conditions": conditions}]}).gains
    asked = gain.witness.request
    bags = [asked, asked["context"], *(asked[name].get("properties", {}) for name in ("subject", "action"))]
    assert any(expected.items() <= {**bag, "context": without_time(bag.get("context", {}))}.items() for bag in bags)
    assert faults_of(before, asked) == []


def without_time(context: Document) -> Document:
    """A context without its instant."""
    return {name: value for name, value in context.items() if name != "time"}


def test_an_action_that_the_old_model_refuses_is_gained():
    after = STRICT | {"resource_types": [TYPE | {"actions": ["read", "print"]}]}
    policy = POLICY | {"resource_types": [{"resource_type_id": "d", "actions": ["print"]}]}
    found = analysed(STRICT, after | {"policies": [policy]})
    (gain,) = found.gains
    assert gain.pair == ("d", "print")
    assert faults_of(STRICT, gain.witness.request) == [("undeclared-action", "$.action.name")]
    assert faults_of(after, gain.witness.request) == []
    assert NO_WITNESS not in {one.reason for one in found.unknown}


def check_strict(seed: int, counts: Counter[str], as_bundles: bool) -> None:
    """Analyse two strict models, and look for better witnesses than those that it gives."""
    before, after = strict_pair(seed)
    if not (is_valid(before) and is_valid(after)):
        return
    found, documents = analysed(before, after, as_bundles=as_bundles), (without_rates(before), without_rates(after))
    refused = []
    for region, expected in (*((one, True) for one in found.gains), *((one, False) for one in found.loses)):
        asked, now = region.witness.request, region.witness.now
        faults = [faults_of(document, asked) for document in documents]
        answers = [
            not fault and oracle.decide(one, asked, now)["decision"]
            for one, fault in zip(documents, faults, strict=True)
        ]
        assert answers == [not expected, expected], (seed, asked, faults)
        assert lies_in(found, region, documents, asked, now), (seed, asked)
        counts["refused" if any(faults) else "accepted"] += 1
        if any(faults):
            refused.append(region)
    for asked in accepted_requests(Pick.seeded(seed), documents):
        now = near_edge(Pick.seeded(seed))
        was, now_is = (oracle.decide(one, asked, now)["decision"] for one in documents)
        if was != now_is:
            counts["changed"] += 1
            assert not any(lies_in(found, region, documents, asked, now) for region in refused), (seed, asked)
            told = [
                one for one in (found.gains if now_is else found.loses) if lies_in(found, one, documents, asked, now)
            ]
            if not told:
                pair = asked["resource"]["type"], asked["action"]["name"]
                assert any(one.pair == pair and one.reason == NO_WITNESS for one in found.unknown), (seed, asked)
                counts["missed"] += 1
