"""The shared JSON of a cached filter is what `Engine.filter` answers, whoever asked before (F1, F2, F7)."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from writ.bundles.event_loop import TakesLong
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.runtime.requests.plain_bodies import PlainBodies
from writ.runtime.requests.searches import read_resource_search
from writ.runtime.searches import cached_filters, filter_validity
from writ.runtime.searches.filter_validity import TRIED_INSTANTS

from tests.runtime.test_ways_agree import outcome
from tests.support.bundling import bundle_file, engine_for
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request as a_request
from tests.support.strategies_values import SUBJECT_IDS, SUBJECT_TYPES

PLAIN = PlainBodies()
NOW = 1_767_607_200  # 2026-01-05T10:00:00Z
ALICE = {"type": "user", "id": "alice"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "d", "actions": ["read"]}],
    "roles": [{"id": "r"}],
    "subjects": [ALICE],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["r"],
            "resource_types": [{"resource_type_id": "d", "actions": ["read"]}],
        }
    ],
}
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
        body = msgspec.json.encode(search)
    except UnicodeEncodeError:
        return "no JSON"
    if PLAIN.search(body) is None:
        assert engine.filter_json(body, PLAIN.search, now) is None
        return "not plain"
    right = outcome(lambda: engine.filter(search, now))
    found = outcome(lambda: engine.filter_json(body, PLAIN.search, now))
    if found is None:
        return "derived"
    if not isinstance(found, bytes):
        assert found == right
        return "refused"
    assert msgspec.json.decode(found) == right
    assert engine.filter_json(body, PLAIN.search, now) is found, "it is encoded once"
    return "shared"


def test_every_subject_gets_the_answer_of_its_own_from_one_warm_engine(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(75):
        document, _, now = seeded_case(seed)
        engine = engine_for(document, tmp_path / f"{seed}.bundle")
        asked = [
            search
            for number in range(4)
            for search in searches_of(a_request(Pick.seeded(10 * seed + number), document), Pick.seeded(number))
        ]
        for later in SECONDS:
            found.update(check(engine, search, now + later) for _ in range(2) for search in asked)
    assert found["shared"] > 500, found  # a body with a null is read member by member (E10)
    assert found["derived"] > 50, found


def ending(random: Random) -> dict[str, Any]:
    """A model whose subjects gain and lose roles at many instants. Some of the changes leave a filter as it is."""
    scope = [{"resource_type_id": "d", "actions": ["read"]}]
    conditions: list[dict[str, Any]] = [
        {"resource_attrs": [{"key": "level", "op": "lt", "value": 3}]},
        {"resource_attrs": [{"key": "level", "op": "lt", "value": 3}], "context_attrs": [GATE]},
        {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]},
        {"subject_attrs": [{"key": "team", "op": "eq", "value": "a"}]},
        {"time_window": {"days": ["mon"]}},
        {"resource_attrs": [{"key": "embargo", "op": "lte", "value_of": "now"}]},
    ]
    policies = [
        {
            "id": f"p{number}",
            "effect": random.choice(("ALLOW", "ALLOW", "DENY")),
            "resource_types": scope,
            "roles": [f"r{number % 4}"],
            "conditions": random.choice(conditions[: random.choice((4, 4, 5, 6))]),
        }
        for number in range(5)
    ]
    people = [{"type": "user", "id": id} for id in PEOPLE]
    assignments = [
        {"role": f"r{role}", "subject": one}
        | random.choice(({}, {"starts_at": instant(random)}, {"expires_at": instant(random)}))
        for one in people
        for role in range(4)
        if random.random() < 0.7
    ]
    roles = [{"id": f"r{number}"} for number in range(4)]
    extensions = {"extensions": ["references", "now"]}
    return {**MODEL, **extensions, "policies": policies, "subjects": people, "assignments": assignments, "roles": roles}


GATE = {"key": "channel", "op": "eq", "value": "web"}
PEOPLE = ("alice", "bob", "carol")


def instant(random: Random) -> str:
    """One of a few days."""
    return f"2026-01-{random.randint(4, 9):02}T10:00:00Z"


@pytest.mark.parametrize("tried", [TRIED_INSTANTS, 2])
def test_a_filter_is_valid_until_the_roles_of_its_subject_change_it(
    tried: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F7: what a warm engine has cached is what another one derives, whoever asked before and at whatever instant."""
    monkeypatch.setattr(cached_filters, "TRIED_INSTANTS", tried)
    monkeypatch.setattr(filter_validity, "TRIED_INSTANTS", tried)
    found: Counter[bool | None] = Counter()
    for seed in range(40):
        random, document = Random(seed), ending(Random(seed))
        warm, alone = (engine_for(document, tmp_path / f"{seed}-{name}.bundle") for name in ("warm", "alone"))
        contexts: tuple[dict[str, Any], ...] = {}, {"channel": "web"}, {"time": "2026-01-06T10:00:00Z"}
        asked = [
            {
                "subject": {"type": "user", "id": id, "properties": {"team": team}},
                "action": {"name": "read"},
                "resource": {"type": "d"},
                "context": context,
                "options": {"return": "filter", "gates": "decide"},
            }
            for id in (*PEOPLE, "nobody")
            for team in "ab"
            for context in contexts
        ]
        for search, days in [(random.choice(asked), random.randint(-3, 6)) for _ in range(150)]:
            now = NOW + 86_400 * days
            shared = warm.filter_json(msgspec.json.encode(search), PLAIN.search, now)
            right = alone.filter_for(read_resource_search(search), now)  # it takes no cached answer
            assert warm.filter(search, now) == right
            if shared is None:
                found[None] += 1
            else:
                assert msgspec.json.decode(shared) == right
                found[right["context"]["valid_until"] is not None] += 1
    assert min(found[True], found[False], found[None]) > 300, found


def test_no_filter_is_shared_where_requests_are_strict(tmp_path: Path) -> None:
    """E8: each of them is checked."""
    document, request, now = seeded_case(3)
    engine = engine_for({**document, "requests": "strict"}, tmp_path / "model.bundle")
    for search in searches_of(request, Pick.seeded(0)):
        assert engine.filter_json(msgspec.json.encode(search), PLAIN.search, now) is None


def test_a_filter_of_a_new_subject_may_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is left to a thread."""
    document, _, now = seeded_case(3)
    engine = engine_for(document, tmp_path / "model.bundle")

    def long(*_: object) -> None:
        raise TakesLong

    monkeypatch.setattr(type(engine._snapshot), "holder", long)
    search = {"subject": {"type": "user", "id": "new"}, "action": {"name": "read"}, "resource": {"type": "d"}}
    body = msgspec.json.encode({**search, "options": {"return": "filter"}})
    with pytest.raises(TakesLong):
        engine.filter_json(body, PLAIN.search, now)


def test_a_body_is_kept_for_a_revision_and_its_limits(tmp_path: Path) -> None:
    """A change of the model, another instant and smaller limits count, whatever was asked before."""
    search = {"subject": ALICE, "action": {"name": "read"}, "resource": {"type": "d"}, "options": {"return": "filter"}}
    body = msgspec.json.encode(search)
    ends = {"role": "r", "subject": ALICE, "expires_at": "2026-01-05T12:00:00Z"}
    for assignment, keeps in (({"role": "r", "subject": ALICE}, 1), (ends, 0)):
        engine = engine_for({**MODEL, "assignments": [assignment]}, tmp_path / f"{keeps}.bundle")
        for now in (NOW, NOW + 86_400, NOW):
            right = engine.filter(search, now)
            assert [msgspec.json.decode(engine.filter_json(body, PLAIN.search, now) or b"") for _ in "12"] == [
                right
            ] * 2
        assert len(engine._snapshot.filter_answers) == keeps
        assert engine.filter_json(body, PlainBodies(key_characters=3).search, NOW) is None
        engine.replace(open_bundle(bundle_file(MODEL, tmp_path / f"{keeps}-later.bundle")))
        assert engine.filter_json(body, PLAIN.search, NOW) is None, "it is not derived yet"
        assert engine.filter(search, NOW)["filter"] == {"type": "const", "value": False}
        assert b"false" in (engine.filter_json(body, PLAIN.search, NOW) or b"")


def test_a_snapshot_keeps_only_so_many_bodies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached_filters, "MOST_BODIES", 10)
    engine = engine_for({**MODEL, "assignments": [{"role": "r", "subject": ALICE}]}, tmp_path / "model.bundle")
    for number in range(25):
        search = {"subject": ALICE, "action": {"name": "read"}, "resource": {"type": "d"}, "context": {"n": number}}
        asked = {**search, "options": {"return": "filter"}}
        right = engine.filter(asked, NOW)
        found = engine.filter_json(msgspec.json.encode(asked), PLAIN.search, NOW)
        assert msgspec.json.decode(found or b"") == right
    assert 0 < len(engine._snapshot.filter_answers) <= 10
