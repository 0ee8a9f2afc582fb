"""The gate of promotions: tests run on exactly the state that is promoted, or nothing is."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from writ.api.store.actor import ADMIN_KEY, Actor
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import Conflict
from writ.api.store.policy_tests import NewSet
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.promotions.promotions import MOST_GATES
from writ.api.store.promotions.tests_gate import Failing
from writ.api.store.store import Store
from writ.compiler.model.elements import Model

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, put

ADMIN = Actor(ADMIN_KEY)
WANTED = Wanted("staging")


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    made = engine.open(tmp_path)
    made.create_environment(ADMIN, "staging")
    made.change_environment(ADMIN, "default", EnvironmentChange(tests_must_pass=True))
    put(made, {"roles": [{"id": "new"}]}, "staging")
    put(made, {"groups": [{"id": "g0"}]})
    made.policy_tests.create("default", ACTOR, NewSet("t", {"id": "t", "tests": []}, 1))
    yield made
    made.close()


def test_the_gate_sees_the_promoted_policies_with_the_targets_facts(store: Store) -> None:
    seen: list[tuple[Model, Sequence[bytes]]] = []

    def gate(model: Model, tests: Sequence[bytes]) -> Failing:
        seen.append((model, tests))
        return Failing(())

    assert store.promotions.promote("default", ACTOR, WANTED, gate=gate).status == "done"
    ((model, tests),) = seen
    assert ([one.id for one in model.roles], [one.id for one in model.groups], len(tests)) == (["new"], ["g0"], 1)


def test_without_a_gate_nothing_is_promoted(store: Store) -> None:
    with pytest.raises(Conflict, match="was changed while its stored tests ran"):
        store.promotions.promote("default", ACTOR, WANTED)


@pytest.mark.parametrize("what", ["facts", "tests"])
def test_a_change_meanwhile_runs_the_tests_again_and_then_refuses(store: Store, what: str) -> None:
    runs = 0

    def gate(_model: Model, _tests: Sequence[bytes]) -> Failing:
        nonlocal runs
        runs += 1
        if what == "facts":
            put(store, {"groups": [{"id": f"g{runs}"}]})
        else:
            body = {"id": f"t{runs}", "tests": []}
            store.policy_tests.create("default", ACTOR, NewSet(f"t{runs}", body, 1))
        return Failing(())

    with pytest.raises(Conflict, match="was changed while its stored tests ran; ask again"):
        store.promotions.promote("default", ACTOR, WANTED, gate=gate)
    assert runs == MOST_GATES


def test_many_failing_tests_are_counted(store: Store) -> None:
    failing = Failing(tuple(f"t: {one}" for one in range(25)), "1 now denied, 24 with another reason alone")
    told = r"brings \(1 now denied, 24 with another reason alone\): `t: 0`, .* `t: 19` and 5 more$"
    with pytest.raises(Conflict, match=told):
        store.promotions.promote("default", ACTOR, WANTED, gate=lambda *_: failing)
