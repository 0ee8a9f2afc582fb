"""The items of a batch share what they find out about a long array, and answer as each alone would (C3, X2, X6)."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.runtime import BadRequest, Engine
from writ.runtime.rules import array_elements
from writ.runtime.rules.array_elements import QUICK_ELEMENTS, KeptKeys, keys_of

from tests.support import oracle
from tests.support.bundling import engine_for

OPERATORS = ("eq", "ne", "in", "nin", "has", "has_any", "has_none")
FILL = [f"fill{number}" for number in range(QUICK_ELEMENTS)]

ELEMENTS = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.0, "1", "a", [], {}, [None], [1], [1.0], {"a": None}, {"a": 1}, {"a": [1]}]
)
VALUES = ELEMENTS | st.lists(ELEMENTS, max_size=3).map(lambda some: [*some, *FILL]) | st.lists(ELEMENTS, max_size=3)


def model() -> dict[str, Any]:
    """A policy of each effect for each operator. The action chooses the operator."""
    return {
        "extensions": ["references", "arrays"],
        "resource_types": [{"id": "document", "actions": [f"{op}-{effect}" for op in OPERATORS for effect in "AD"]}],
        "policies": [policy(op, effect) for op in OPERATORS for effect in ("ALLOW", "DENY")],
    }


def policy(op: str, effect: str) -> dict[str, Any]:
    """A policy on the action of its operator and effect."""
    compared = {"key": "mine", "op": op, "value_of": "context.others"}
    return {
        "id": f"{op}-{effect}",
        "effect": effect,
        "resource_types": [{"resource_type_id": "document", "actions": [f"{op}-{effect[0]}"]}],
        "conditions": {"resource_attrs": [compared]},
    }


def asked(action: str, mine: Any, others: Any) -> dict[str, Any]:
    """A request about one document."""
    return {
        "subject": {"type": "user", "id": "u"},
        "action": {"name": action},
        "resource": {"type": "document", "id": "d", "properties": {"mine": mine}},
        "context": {"others": others},
    }


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_for(model(), tmp_path_factory.mktemp("kept") / "bundle")


@settings(max_examples=60)
@given(st.lists(VALUES, min_size=1, max_size=4), st.lists(VALUES, min_size=1, max_size=2))
def test_a_batch_answers_as_each_item_alone(engine: Engine, mine: list[Any], others: list[Any]) -> None:
    actions = [f"{op}-{effect}" for op in OPERATORS for effect in "AD"]
    requests = [asked(action, one, other) for action in actions for one in mine for other in others]
    found = engine.decide_many(requests, 0.0)
    assert found == [engine.decide(one, 0.0) for one in requests]
    document = model()
    assert [one["decision"] for one in found] == [oracle.decide(document, one, 0.0)["decision"] for one in requests]


class Element(dict[str, Any]):
    """An element that counts how often it is read."""

    read: ClassVar[Counter[int]] = Counter()

    def __iter__(self) -> Iterator[str]:
        self.read[id(self)] += 1
        return super().__iter__()


@pytest.mark.parametrize(("op", "mine"), [("has_any", ["x"]), ("has_none", ["x"]), ("in", {"a": 1}), ("nin", "x")])
def test_each_element_of_a_shared_array_is_read_once(engine: Engine, op: str, mine: Any) -> None:
    Element.read.clear()
    others = [Element(n=number) for number in range(QUICK_ELEMENTS + 1)]
    engine.decide_many([asked(f"{op}-{effect}", mine, others) for effect in "AD" for _ in range(5)], 0.0)
    assert set(Element.read.values()) == {1}


def test_requests_that_are_made_one_by_one_may_change_their_arrays(engine: Engine) -> None:
    others: list[Any] = list(FILL)

    def made() -> Iterator[dict[str, Any]]:
        for added in ("a", "b"):
            others.append(added)
            yield asked("has_any-A", ["b"], others)

    assert [one["decision"] for one in engine.decide_many(made(), 0.0)] == [False, True]


def test_a_null_does_not_equal_itself_in_an_array_that_is_compared_with_itself(engine: Engine) -> None:
    nulls = [None] * (QUICK_ELEMENTS + 1)
    assert [one["decision"] for one in engine.decide_many([asked("has_any-A", nulls, nulls)] * 2, 0.0)] == [False] * 2


def test_what_json_has_not_is_refused_in_each_item(engine: Engine) -> None:
    requests = [asked("in-A", [1], [*FILL, 1, object()]), asked("has_any-A", [1], [*FILL, object()])]
    for request in requests:
        with pytest.raises(BadRequest) as alone:
            engine.decide(request, 0.0)
        for found in engine.decide_many([request, request], 0.0):
            assert found["context"]["error"] == {"status": 400, "message": str(alone.value)}


def test_what_was_not_used_for_longest_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_elements, "MOST_KEPT", 3 * (len(FILL) + 1))
    kept, arrays = KeptKeys(), [[*FILL, "a"] for _ in range(4)]
    with kept.in_use():
        found = [keys_of(array) for array in arrays]
        assert keys_of(arrays[1]) is found[1]
        assert keys_of(arrays[0]) is not found[0]
        assert keys_of(arrays[1]) is found[1]
    assert keys_of(arrays[1]) is not found[1]
