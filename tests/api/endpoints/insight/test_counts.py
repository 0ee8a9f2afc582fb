"""`GET …/counts`: the number of elements of each list, counted once and then followed by revision."""

import json
from pathlib import Path

import pytest
from writ.api.store.actor import COMMAND_LINE
from writ.api.store.elements.edits import Create, Delete
from writ.api.store.insight import element_counts as counts
from writ.api.store.insight.insight import Insight
from writ.api.store.store import Store
from writ.compiler.model.elements import ElementKind
from writ.compiler.source import Source

from tests.support.managed import MEMBERS, ROOT, Managed
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

ONE_OF_EACH = {kind.replace("-", "_"): 1 for kind in MEMBERS} | {"lints": 0}


def fresh_counts(store: Store, env: str = "default") -> dict[str, int]:
    """The counts of one who counts for the first time."""
    return dict(Insight(store._connections).counts(env).counts)


def test_an_empty_environment_has_nothing(service: Managed) -> None:
    assert service.simulate_get(f"{ROOT}/counts").json == {"revision": 0, "counts": dict.fromkeys(ONE_OF_EACH, 0)}


def test_each_list_is_counted(full: Managed) -> None:
    found = full.simulate_get(f"{ROOT}/counts").json
    assert found == {"revision": len(MEMBERS), "counts": ONE_OF_EACH}
    assert full.simulate_delete(f"{ROOT}/grants/g1").status_code == 204
    found = full.simulate_get(f"{ROOT}/counts").json
    assert found == {"revision": len(MEMBERS) + 1, "counts": ONE_OF_EACH | {"grants": 0}}


def test_what_is_followed_is_what_is_counted(service: Managed) -> None:
    """A law over random models: earlier counts with the changes since are the counts."""
    for seed in range(40):
        source = Source("model.json", json.dumps(document(Pick.seeded(seed))).encode())
        service.store.put_model("default", COMMAND_LINE, (source,))
        if seed % 3:
            shown = service.simulate_get(f"{ROOT}/counts").json
            assert shown["counts"] == fresh_counts(service.store)


def test_counts_follow_at_most_some_revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(tmp_path)
    assert store.insight.counts("default").counts["roles"] == 0
    monkeypatch.setattr(counts, "MOST_REVISIONS", 20)
    for number in range(30):
        edits = (Create(ElementKind.ROLES, {"id": f"r{number}"}),)
        store.write("default", COMMAND_LINE, edits)
    assert store.insight.counts("default").counts["roles"] == 30
    store.write("default", COMMAND_LINE, (Delete(ElementKind.ROLES, ("r0",), False, None),))
    assert store.insight.counts("default").counts == fresh_counts(store)
    assert store.insight.counts("default").revision == store.revision_of("default")
    store.close()


def test_a_deleted_environment_of_the_same_name_counts_anew(service: Managed) -> None:
    stage = "/v1/environments/stage"
    for _ in range(2):
        assert service.simulate_post("/v1/environments", json={"id": "stage"}).status_code == 201
        assert service.simulate_get(f"{stage}/counts").json["counts"]["roles"] == 0
        assert service.simulate_post(f"{stage}/roles", json={"id": "r"}).status_code == 201
        assert service.simulate_get(f"{stage}/counts").json["counts"]["roles"] == 1
        assert service.simulate_delete(stage).status_code == 204
    assert service.simulate_get(f"{stage}/counts").status_code == 404


def test_a_parameter_is_refused(service: Managed) -> None:
    assert service.simulate_get(f"{ROOT}/counts?limit=1").status_code == 400
