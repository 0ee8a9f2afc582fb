"""The whole model: put, given back, tried out, and read as it was at every revision."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from writ.api.endpoints.management import whole_model
from writ.api.endpoints.management.elements import CHUNK_ROWS
from writ.api.engines.work.fair_turns import FairTurns
from writ.api.settings.settings import HttpLimits
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.managed import MEMBERS, ROOT, Managed

MODEL = f"{ROOT}/model"
DOCUMENT = {"model": 1} | {kind.replace("-", "_"): [body] for kind, body in MEMBERS.items()}
JSON = {"Content-Type": "application/json"}
Lists = dict[str, list[str]]


def lists_of(document: dict[str, Any]) -> Lists:
    """The elements of a document, whatever their order."""
    lists = {
        name: sorted(json.dumps(one, sort_keys=True) for one in elements)
        for name, elements in document.items()
        if name != "model"
    }
    return {name: elements for name, elements in lists.items() if elements}


def test_what_was_put_is_given_back(service: Managed) -> None:
    put = service.simulate_put(MODEL, json=DOCUMENT)
    assert put.status_code == 200
    assert put.json["changes"] == {
        name: {"added": 1, "changed": 0, "removed": 0} for name in DOCUMENT if name != "model"
    }
    got = service.simulate_get(MODEL)
    assert (got.json, got.headers["Content-Type"]) == (DOCUMENT, "application/json")
    assert list(got.json) == list(DOCUMENT)
    assert service.activated[-1].revision == put.json["revision"] == 1
    again = service.simulate_put(MODEL, body=got.content, headers=JSON).json
    assert again == {"revision": 1, "changes": {}, "elements": []}


def test_a_yaml_document_is_taken_too(service: Managed) -> None:
    headers = {"Content-Type": "application/yaml; charset=utf-8"}
    assert service.simulate_put(MODEL, body=yaml.safe_dump(DOCUMENT), headers=headers).status_code == 200
    assert lists_of(service.simulate_get(MODEL).json) == lists_of(DOCUMENT)


def test_a_dry_run_tells_and_leaves_everything(full: Managed) -> None:
    before = full.simulate_get(MODEL)
    smaller = DOCUMENT | {"grants": [], "roles": [MEMBERS["roles"] | {"name": "Chief"}]}
    told = full.simulate_put(f"{MODEL}?dry_run=true", json=smaller).json
    assert told["dry_run"] is True
    assert told["changes"] == {
        "roles": {"added": 0, "changed": 1, "removed": 0},
        "grants": {"added": 0, "changed": 0, "removed": 1},
    }
    assert {"kind": "grants", "id": "g1", "change": "removed"} in told["elements"]
    after = full.simulate_get(MODEL)
    assert (after.content, after.headers["ETag"]) == (before.content, before.headers["ETag"])


def test_facts_stay_on_request(full: Managed) -> None:
    smaller = DOCUMENT | {"grants": []}
    told = full.simulate_put(f"{MODEL}?keep_facts=true&dry_run=true", json=smaller).json
    assert (told["changes"], told["kept"]["counts"]) == ({}, {"grants": 1})
    assert told["kept"]["elements"] == [
        {"kind": "grants", "id": "g1", "text": "grant read on document d1 to user alice as g1"}
    ]
    gone = full.simulate_put(f"{MODEL}?keep_facts=true", json={"model": 1})
    assert (gone.status_code, {one["code"] for one in gone.json["details"]}) == (409, {"in-use"})
    only = full.simulate_put(f"{MODEL}?policies_only=true", json=smaller | {"subjects": []})
    assert (only.status_code, only.json["changes"], "kept" in only.json) == (200, {}, False)
    assert full.simulate_put(f"{MODEL}?keep_facts=1", json=smaller).status_code == 400


def test_warnings_are_told_and_hinder_nothing(service: Managed) -> None:
    allow, denial = MEMBERS["policies"], {"id": "never", "effect": "DENY", "roles": ["editor"]}
    risky = DOCUMENT | {"policies": [allow, denial | {"resource_types": allow["resource_types"]}]}
    checked = load([Source("model.json", json.dumps(risky).encode())], zone_names()).diagnostics
    expected = [(one.code, one.path, f"{one.message}; {one.help}") for one in checked]
    assert {one.severity for one in checked} == {"warning"}
    for query in ("?dry_run=true", "", ""):
        answer = service.simulate_put(MODEL + query, json=risky)
        told = [(one["code"], one["path"], one["message"]) for one in answer.json["warnings"]]
        assert (answer.status_code, told, "dry_run" in answer.json) == (200, expected, bool(query))
    assert service.simulate_get(MODEL).json == risky


def test_a_wrong_document_changes_nothing(full: Managed) -> None:
    before = full.simulate_get(MODEL).content
    answer = full.simulate_put(MODEL, json=DOCUMENT | {"roles": []})
    assert answer.status_code == 400
    assert [(detail["code"], detail["path"]) for detail in answer.json["details"]] == [
        ("unknown-role", "$.assignments[0].role"),
        ("unknown-role", "$.policies[0].roles[0]"),
    ]
    assert full.simulate_put(MODEL, body=b"{", headers=JSON).status_code == 400
    assert full.simulate_put(MODEL, body=b"", headers=JSON).status_code == 400
    assert full.simulate_put(MODEL, body=b"\xff", headers=JSON).status_code == 400
    assert full.simulate_get(MODEL).content == before


def test_tags_guard_the_model(full: Managed) -> None:
    tag = full.simulate_get(MODEL).headers["ETag"]
    assert full.simulate_get(MODEL, headers={"If-None-Match": tag}).status_code == 304
    assert full.simulate_get(MODEL, headers={"If-None-Match": "x"}).status_code == 400
    assert full.simulate_put(MODEL, json={"model": 1}, headers={"If-Match": '"old"'}).status_code == 412
    assert full.simulate_put(MODEL, json={"model": 1}, headers={"If-Match": tag}).status_code == 200
    assert full.simulate_get(MODEL, headers={"If-None-Match": tag}).status_code == 200


def test_the_head_of_a_model_is_that_of_its_get(full: Managed) -> None:
    got, head = full.simulate_get(MODEL), full.simulate_head(MODEL)
    assert (head.status_code, head.headers["ETag"], head.content) == (200, got.headers["ETag"], b"")
    assert "Content-Length" not in head.headers


def test_a_document_over_the_limit_is_413(tmp_path: Path) -> None:
    service = Managed(tmp_path / "data", HttpLimits(model_bytes=500))
    answer = service.simulate_put(MODEL, json=DOCUMENT)
    assert (answer.status_code, answer.json["error"].endswith("the limit is 500")) == (413, True)
    assert service.simulate_put(MODEL, json={"model": 1}).status_code == 200
    assert service.simulate_put(MODEL, body=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
    service.store.close()


def test_every_revision_can_be_read_as_it_was(service: Managed) -> None:
    chance = random.Random(7)
    then: list[Lists] = [{}]
    service.simulate_put(MODEL, json=DOCUMENT)
    then.append(lists_of(DOCUMENT))
    for number in range(60):
        change_something(service, chance, number)
        if service.store.revision_of("default") == len(then):
            then.append(lists_of(service.simulate_get(MODEL).json))
    assert len(then) > 30
    for revision, lists in enumerate(then):
        past = service.simulate_get(f"{MODEL}?revision={revision}")
        assert lists_of(past.json) == lists, revision
        assert past.headers["ETag"].endswith(f'.{revision}"')
    assert service.simulate_get(f"{MODEL}?revision={len(then)}").status_code == 404
    assert service.simulate_get(f"{MODEL}?revision=-1").status_code == 404


def change_something(service: Managed, chance: random.Random, number: int) -> None:
    match chance.randrange(5):
        case 0:
            service.simulate_post(f"{ROOT}/roles", json={"id": f"r{chance.randrange(5)}", "name": str(number)})
        case 1:
            service.simulate_patch(f"{ROOT}/roles/r{chance.randrange(5)}", json={"name": str(number)})
        case 2:
            service.simulate_delete(f"{ROOT}/roles/r{chance.randrange(5)}?cascade=true")
        case 3:
            kept = {name: one for name, one in DOCUMENT.items() if name == "model" or chance.randrange(3)}
            service.simulate_put(MODEL, json=kept)
        case _:
            items = [{"type": "user", "id": f"u{chance.randrange(400)}"} for _ in range(2)]
            service.simulate_post(f"{ROOT}/subjects:batch", json={"items": items})


def test_a_long_list_comes_in_several_pieces_now_and_then(service: Managed) -> None:
    roles = [{"id": f"r{number:04}"} for number in range(3 * CHUNK_ROWS + 1)]
    service.simulate_put(MODEL, json={"model": 1, "roles": roles})
    service.simulate_put(MODEL, json={"model": 1, "groups": [], "roles": roles[::2]})
    assert service.simulate_get(MODEL).json == {"model": 1, "groups": [], "roles": roles[::2]}
    assert lists_of(service.simulate_get(f"{MODEL}?revision=1").json) == lists_of({"roles": roles})


def test_few_models_are_sent_at_a_time(full: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they end: read, asked about, not there, or wrongly asked for."""
    monkeypatch.setattr(whole_model, "MOST_EXPORTS", 1)
    for _ in range(3):
        assert full.simulate_get(f"{ROOT}/model").status_code == 200
        assert full.simulate_head(f"{ROOT}/model").status_code == 200
        assert full.simulate_get("/v1/environments/none/model").status_code == 404
        assert full.simulate_get(f"{ROOT}/model", params={"revision": "x"}).status_code == 404
    monkeypatch.setattr(FairTurns, "take_at_once", lambda *_: False)
    refused = full.simulate_get(f"{ROOT}/model")
    assert refused.status_code == 503
    assert "Retry-After" in refused.headers
