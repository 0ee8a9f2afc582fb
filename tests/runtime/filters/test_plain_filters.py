"""The shared JSON of a cached filter is what `Engine.filter` answers, whoever asked before (F1, F2, F7)."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from writ.bundles.event_loop import TakesLong
from writ.runtime import Engine
from writ.runtime.requests.plain_bodies import PlainBodies

from tests.runtime.test_ways_agree import outcome
from tests.support.bundling import engine_for
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request
from tests.support.strategies_values import SUBJECT_IDS, SUBJECT_TYPES

PLAIN = PlainBodies()
SECONDS = (0, 3_600, 40 * 86_400)


def searches_of(request: dict[str, Any], pick: Pick) -> list[dict[str, Any]]:
    """Searches like a request, of several subjects in turn, with gates that are open and gates that are decided."""
    subjects = [
        *({**request["subject"], "type": pick.one(SUBJECT_TYPES), "id": pick.one(SUBJECT_IDS)} for _ in range(3)),
        request["subject"],
    ]
    resource = {"type": request["resource"]["type"]}
    return [
        {**request, "subject": subject, "resource": resource, "options": {"return": "filter", **gates}}
        for subject in subjects
        for gates in ({}, {"gates": "decide"}, {"gates": "open"})
    ]


def check(engine: Engine, search: dict[str, Any], now: float) -> str:
    """Compare the answers to a search, and say which there were."""
    try:
        asked = PLAIN.search(msgspec.json.encode(search))
    except UnicodeEncodeError:
        return "no JSON"
    if asked is None:
        return "not plain"
    right = outcome(lambda: engine.filter(search, now))
    found = outcome(lambda: engine.filter_json(asked, now))
    if found is None:
        return "derived"
    if not isinstance(found, bytes):
        assert found == right
        return "refused"
    assert msgspec.json.decode(found) == right
    assert engine.filter_json(asked, now) is found, "it is encoded once"
    return "shared"


def test_every_subject_gets_the_answer_of_its_own_from_one_warm_engine(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(120):
        document, _, now = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        asked = [
            search
            for number in range(4)
            for search in searches_of(a_request(Pick.seeded(10 * seed + number), document), Pick.seeded(number))
        ]
        for later in SECONDS:
            found.update(check(engine, search, now + later) for _ in range(2) for search in asked)
    assert found["shared"] > 3_000, found
    assert found["derived"] > 50, found


def test_no_filter_is_shared_where_requests_are_strict(tmp_path: Path) -> None:
    """E8: each of them is checked."""
    document, request, now = seeded_case(3)
    engine = engine_for({**document, "requests": "strict"}, tmp_path / "model.bundle")
    for search in searches_of(request, Pick.seeded(0)):
        asked = PLAIN.search(msgspec.json.encode(search))
        assert asked is None or engine.filter_json(asked, now) is None


def test_a_filter_of_a_new_subject_may_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is left to a thread."""
    document, _, now = seeded_case(3)
    engine = engine_for(document, tmp_path / "model.bundle")

    def long(*_: object) -> None:
        raise TakesLong

    monkeypatch.setattr(type(engine._snapshot), "holder", long)
    search = {"subject": {"type": "user", "id": "new"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    asked = PLAIN.search(msgspec.json.encode({**search, "options": {"return": "filter"}}))
    with pytest.raises(TakesLong):
        engine.filter_json(asked, now)
