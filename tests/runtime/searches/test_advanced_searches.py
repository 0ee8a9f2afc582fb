"""An engine that was led from one model to another filters and searches as one that was opened on the other."""

import json
from typing import Any

import pytest
from writ.runtime import Engine
from writ.runtime.requests.searches import read_action_search, read_resource_search, read_subject_search

from tests.runtime.filters.test_filters import check as check_filter
from tests.runtime.filters.test_filters import granting, rows, search_of
from tests.runtime.searches.test_searches import check_actions, check_resources, check_subjects
from tests.runtime.state.test_overlay import lead
from tests.support.bundling import engine_for
from tests.support.oracle_entities import registered_resources, registered_subjects
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick

Row = dict[str, Any]


def told(engine: Engine, document: Row, request: Row, now: float) -> str:
    """Everything that an engine has to say about who may do what, as bytes would have it (D9)."""
    resources = engine.judge_resources(read_resource_search(request), now)
    subjects = engine.judge_subjects(read_subject_search(request), now)
    sent = request["resource"].get("properties") or {}
    found = [
        engine.filter(search_of(request), now),
        engine.filter(search_of(request, options={"include_direct": True}), now),
        engine.find_actions(read_action_search(request), now),
        resources and (resources.type_id, repr(resources.where), resources.granted_to),
        subjects and (repr(sorted(map(repr, subjects.rules))), subjects.granted_on),
    ]
    for _, id in sorted(set(registered_resources(document))):
        found.append(resources and (resources.path(id, sent), resources.actions(id, sent)))
    for type, id in sorted(set(registered_subjects(document))):
        found.append(subjects and type == request["subject"]["type"] and subjects.path(id, sent))
    return json.dumps(found)


def test_what_is_cached_of_other_models_shows_in_no_answer(tmp_path):
    """There and back, every case asked of every model, beside a fresh engine and the oracle."""
    for seed in range(0, 60, 3):
        cases = [seeded_case(seed + n) for n in range(3)]
        documents = [document for document, _, _ in cases]
        engine = engine_for(documents[0], tmp_path / f"{seed}.bundle")
        fresh = [engine_for(document, tmp_path / f"{seed}-{n}.bundle") for n, document in enumerate(documents)]
        before = 0
        for place in (0, 1, 2, 1, 0, 2):
            if place != before:
                lead(engine, documents[before], documents[place])
            before, document = place, documents[place]
            for _, request, now in cases:
                assert told(engine, document, request, now) == told(fresh[place], document, request, now)
                check_filter(engine, document, request, now, rows(Pick.seeded(seed), request))
                for check in (check_resources, check_subjects, check_actions):
                    check(engine, document, request, now)


def changed(document: Row, drop: int, **more: Any) -> Row:
    """A model of which the first grants are gone and the others changed."""
    return document | {"grants": [grant | more for grant in document["grants"][drop:]]}


@pytest.mark.parametrize("count", [3, 17, 40])
def test_grants_that_come_and_go_are_told_and_listed(count, tmp_path):
    """F3, P4, on both sides of the number of grants that are listed with a subject, in any order of instants."""
    full, search = granting(count), {"subject": {"type": "u", "id": "a"}, "action": {"name": "read"}}
    search |= {"resource": {"type": "d", "id": "r00001"}}
    models = [
        full,
        changed(full, 2),
        changed(full, 1, actions=["edit"]),
        granting(count + 16),
        changed(full, 0, expires_at="1970-01-01T00:01:40Z"),
        changed(full, 0, starts_at="1970-01-01T00:01:39Z", expires_at="1970-01-01T00:01:40Z"),
        {**full, "grants": [{**full["grants"][0], "starts_at": "1970-01-01T00:01:39Z"}]},
        full | {"grants": []},
        changed(full, count - 1),
        full,
    ]
    engine = engine_for(full, tmp_path / "led.bundle")
    for number, document in enumerate(models):
        if number:
            lead(engine, models[number - 1], document)
        fresh = engine_for(document, tmp_path / f"{number}.bundle")
        for now in (0.0, 99.0, 100.0, 50.0):
            for action in ("read", "edit", "ghost"):
                asked = search | {"action": {"name": action}}
                assert told(engine, document, asked, now) == told(fresh, document, asked, now)
