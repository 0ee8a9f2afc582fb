"""A subject whose own id is also the id of a resource, in a model that refers to ids of subjects."""

from typing import Any

from writ.api.review.wording.region_words import region_sentences

from tests.support.analysing import analysed

OWNERS = {
    "id": "owners",
    "effect": "ALLOW",
    "resource_types": [{"resource_type_id": "doc", "actions": ["read"]}],
    "conditions": {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
}
MODEL: dict[str, Any] = {
    "extensions": ["references"],
    "resource_types": [{"id": "doc", "actions": ["read"]}],
    "subjects": [{"type": "user", "id": "ann"}, {"type": "user", "id": "bob"}],
    "policies": [OWNERS],
}


def test_a_grant_on_a_resource_that_has_the_id_of_a_holder_is_on_that_resource_alone():
    grants = [
        {"id": id, "subject": {"type": "user", "id": id}, "resource": {"type": "doc", "id": "ann"}, "actions": ["read"]}
        for id in ("ann", "bob")
    ]
    found = analysed(MODEL, MODEL | {"grants": grants})
    whens = {(person.shown.id, *region_sentences(region.when)) for region in found.gains for person in region.subjects}
    own = "the `owner` of the resource is missing, or has a value other than the `id` of the subject"
    assert ("bob", 'the `id` of the resource is "ann"', own) in whens
    assert any(one[:2] == ("ann", 'the `id` of the resource is "ann"') for one in whens), whens
