"""A comparison by people within limits: what does not fit is named as unknown, and never left out."""

import json
from threading import Event

from writ.api.review.people.bounded_comparison import (
    FAILED,
    MANY_ELEMENTS,
    MOST_REGIONS,
    TAKES_LONG,
    BoundedComparison,
)
from writ.api.store.models.model_pairs import ModelPair, StoredSize
from writ.bundles.zones import zone_names
from writ.compiler.analysis.limits import TOO_MANY_REGIONS
from writ.compiler.load import load
from writ.compiler.model.elements import Model
from writ.compiler.source import Source

TYPES = [{"id": "doc", "actions": ["read", "edit"]}]


def model(**lists: object) -> Model:
    found = load([Source("m.json", json.dumps({"model": 1, "resource_types": TYPES} | lists).encode())], zone_names())
    assert found.model is not None, found.diagnostics
    return found.model


def allow(id: str, *roles: str) -> dict[str, object]:
    types = [{"resource_type_id": "doc", "actions": ["read"]}]
    return {"id": id, "effect": "ALLOW", "roles": list(roles), "resource_types": types}


def holding(count: int) -> Model:
    """Returns a model in which as many roles, each with one holder, may read under a condition of their own."""
    ids = [f"r{number}" for number in range(count)]
    policies = []
    for number, id in enumerate(ids):
        wanted = {"key": "number", "op": "eq", "value": number}
        policies.append(allow(id, id) | {"conditions": {"resource_attrs": [wanted]}})
    return model(
        roles=[{"id": id} for id in ids],
        policies=policies,
        assignments=[{"role": id, "subject": {"type": "user", "id": f"u-{id}"}} for id in ids],
    )


def size(elements: int = 10) -> StoredSize:
    return StoredSize(model().resource_types, elements)


def everything(reason: str) -> list[tuple[str, str, str]]:
    return [("doc", "edit", reason), ("doc", "read", reason)]


def unknown_of(comparison: BoundedComparison, pair: ModelPair) -> list[tuple[str, str, str]]:
    found = comparison.run(lambda: pair)
    assert found is not None
    return [(one.resource_type, one.action, one.reason) for one in found.unknown]


def test_two_models_are_compared() -> None:
    found = BoundedComparison(size()).run(lambda: ModelPair(model(), holding(2)))
    assert found is not None
    assert [[one.id for one in region.subjects] for region in found.gains] == [["u-r0"], ["u-r1"]]
    assert (found.loses, found.unknown) == ((), ())


def test_a_model_with_too_many_elements_is_not_read() -> None:
    def read() -> ModelPair:
        raise AssertionError("it is read")

    found = BoundedComparison(size(11), most_elements=10).run(read)
    assert found is not None
    assert [(one.resource_type, one.action, one.reason) for one in found.unknown] == everything(MANY_ELEMENTS)


def test_a_change_to_too_many_elements_is_unknown() -> None:
    comparison = BoundedComparison(size(), most_elements=10)
    assert unknown_of(comparison, ModelPair(model(), holding(10))) == everything(MANY_ELEMENTS)


def test_a_comparison_that_takes_too_long_names_every_action_of_both_models() -> None:
    over = Event()

    def read() -> ModelPair:
        over.wait(60)
        raise AssertionError("it is awaited")

    found = BoundedComparison(size(), seconds=0.1).run(read)
    assert found is not None
    assert [(one.resource_type, one.action, one.reason) for one in found.unknown] == everything(TAKES_LONG)
    over.set()


def test_a_lack_of_memory_is_told() -> None:
    def read() -> ModelPair:
        raise MemoryError

    found = BoundedComparison(size()).run(read)
    assert found is not None
    assert [(one.resource_type, one.action, one.reason) for one in found.unknown] == everything(FAILED)


def test_regions_beyond_the_limit_are_unknown() -> None:
    found = BoundedComparison(size(), seconds=300).run(lambda: ModelPair(model(), holding(MOST_REGIONS + 1)))
    assert found is not None
    assert len(found.gains) == MOST_REGIONS
    assert [(one.action, one.reason) for one in found.unknown] == [("read", TOO_MANY_REGIONS)]


def test_without_models_there_is_no_answer() -> None:
    assert BoundedComparison(size()).run(lambda: None) is None
