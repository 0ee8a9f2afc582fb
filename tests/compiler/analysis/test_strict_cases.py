"""A request that both strict models refuse is no case: not of a difference, and not of who can do an action (E8)."""

from typing import Any

import pytest
from writ.api.review.wording.region_words import region_sentences
from writ.bundles import zones
from writ.compiler.analysis.asking.question import Question
from writ.compiler.analysis.asking.who_can import who_can

from tests.support.analysing import analysed, prepared

Document = dict[str, Any]

PRESENT = {"key": "country", "op": "nin", "value": []}
NORWAY = {"key": "country", "op": "eq", "value": "NO"}


@pytest.mark.parametrize("effect", ["ALLOW", "DENY"])
def test_a_needless_test_of_presence_makes_no_difference(effect):
    found = analysed(model([PRESENT, NORWAY], effect), model([NORWAY], effect))
    assert found.gains == found.loses == found.unknown == []
    found = analysed(model([PRESENT], effect), model([], effect))
    assert found.gains == found.loses == found.unknown == []


def test_an_optional_attribute_makes_a_difference():
    required = False
    found = analysed(model([PRESENT], "ALLOW", required), model([], "ALLOW", required))
    assert [region_sentences(one.when) for one in found.gains] == [["the `country` of the resource is missing"]]


def test_a_region_does_not_speak_of_what_is_refused():
    found = analysed(model([NORWAY], "DENY"), model([NORWAY | {"op": "ne"}], "DENY"))
    (gain,), (loss,) = found.gains, found.loses
    assert region_sentences(gain.when) == ['the `country` of the resource is "NO"']
    assert region_sentences(loss.when) == ['the `country` of the resource has a value other than "NO"']


def test_a_number_is_compared_as_a_number():
    small = {"key": "amount", "op": "gt", "value": 5}
    found = analysed(model([small], "DENY"), model([], "DENY"))
    assert [region_sentences(one.when) for one in found.loses] == [["the `amount` of the resource is at most 5"]]


def test_numbers_of_a_subject_are_compared_as_numbers():
    over = {"key": "amount", "op": "gt", "value_of": "subject.limit"}
    within = "the `amount` of the resource is not greater than the `limit` of the subject"
    found = analysed(model([over], "DENY"), model([], "DENY"))
    assert [region_sentences(one.when) for one in found.loses] == [[within]]


def test_who_can_does_not_speak_of_what_is_refused():
    side, judge = prepared(model([NORWAY], "DENY"), False)
    found = who_can(side, judge, Question("order", "ship", 0.0), zones.installed_zone)
    sentences = [region_sentences(one.when) for one in found.gains]
    assert sentences == [['the `country` of the resource has a value other than "NO"']]


def model(conditions: list[Document], effect: str, required: bool = True) -> Document:
    """A strict model whose attributes are required, with one policy under conditions beside one for all."""
    scopes = [{"resource_type_id": "order", "actions": ["ship"]}]
    number, text = ({"kind": kind, "required": required} for kind in ("number", "string"))
    policies = [{"id": "p", "effect": effect, "resource_types": scopes, "conditions": {"resource_attrs": conditions}}]
    if effect == "DENY":
        policies.append({"id": "all", "effect": "ALLOW", "resource_types": scopes})
    uses = {"extensions": ["references"]} if any("value_of" in one for one in conditions) else {}
    return uses | {
        "requests": "strict",
        "resource_types": [{"id": "order", "actions": ["ship"], "attributes": {"country": text, "amount": number}}],
        "attributes": {"subject": {"user": {"limit": number}}},
        "subjects": [{"type": "user", "id": "ann"}],
        "policies": policies,
    }
