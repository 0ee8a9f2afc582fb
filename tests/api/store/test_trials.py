"""A trial does what the write would do, and leaves no trace: neither in the store nor in the engine that decides."""

import logging
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.api.endpoints.previewing.trial_engines import CACHES
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.elements.edits import Create, Delete, Edit, Put
from writ.api.store.errors import BadQuery, OutOfBounds, Refusal, Rejected, StoreUnavailable
from writ.api.store.history import affected
from writ.api.store.store import Store
from writ.api.store.trials import trial as trials
from writ.api.store.trials.trial import Trial
from writ.bundles.delta import decode_delta
from writ.compiler.model.elements import SINGLE_MEMBERS
from writ.runtime import Engine
from writ.runtime.trial_engine import TrialEngine

from tests.support import oracle
from tests.support.closing import closed_later
from tests.support.stored import ACTOR, ENV, put, random_edits, stored, write
from tests.support.strategies import document
from tests.support.strategies_pick import Pick
from tests.support.strategies_requests import request

SEEDS = st.integers(0, 2**40)
NOW = 1_767_607_200.0


class Tried:
    """A store with the engine of a worker."""

    def __init__(self, folder: str) -> None:
        self.store = closed_later(Store.open(Path(folder), "NORMAL", busy_seconds=0.1))
        self.files = BundleFiles(Path(folder), self.store)
        self._engines = LiveEngines(self.store, self.files, 5.0, logging.getLogger("tests"))

    def put(self, model: dict[str, Any]) -> None:
        put(self.store, model)
        self.files.build(ENV)

    @property
    def live(self) -> Engine:
        return self._engines.engine(ENV)

    def state(self) -> tuple[Any, ...]:
        """Returns everything that a trial must leave as it is."""
        with closing(connect(self.store.path)) as db:
            audit = db.execute("SELECT count(*) FROM audit").fetchone()
        return stored(self.store), self.store.environment(ENV), audit, self.store.watch.version()


def after(trial: Trial, live: Engine) -> Engine:
    engine = TrialEngine(live, lambda: NOW, CACHES)
    engine.apply_deltas(map(decode_delta, (*trial.deltas, *filter(None, (trial.delta,)))))
    return engine


def attempt(call: Any, *arguments: Any) -> Any:
    """Returns the result, or the refusal in its words."""
    try:
        return call(*arguments)
    except (Refusal, BadQuery) as ex:
        return type(ex), str(ex)


def unlimited(model: dict[str, Any]) -> dict[str, Any]:
    for policy in model.get("policies", ()):
        policy.get("conditions", {}).pop("rate_limit", None)  # a trial counts for none
    return model


def of_deltas(edits: Sequence[Edit]) -> list[Edit]:
    """Leave out what needs a new bundle, which the service builds meanwhile."""
    return [edit for edit in edits if edit.kind not in SINGLE_MEMBERS]


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_a_trial_is_what_the_write_does(seed: int) -> None:
    """For edits of all lists: the same refusal, or the same changes and the same decisions, which are the oracle's."""
    pick = Pick.seeded(seed)
    with tempfile.TemporaryDirectory() as folder:
        tried = Tried(folder)
        tried.put(unlimited(document(pick)))
        for _ in range(4):
            before = tried.state()
            edits = of_deltas(random_edits(pick, before[0], unlimited(document(pick))))
            live = tried.live.pinned()
            found = attempt(tried.store.try_write, ENV, ACTOR, edits, live.revision)
            assert tried.state() == before, "nothing is written"
            requests = [request(pick, before[0]) for _ in range(8)]
            if pick.one((True, False, False)):  # another write comes instead: it finds no trace of the trial
                edits = of_deltas(random_edits(pick, before[0], unlimited(document(pick))))
                attempt(tried.store.write, ENV, ACTOR, edits)
                tried.files.build(ENV)  # changed declarations need a new bundle
                check_oracle(tried.live, stored(tried.store), requests)
                continue
            done = attempt(tried.store.write, ENV, ACTOR, edits)
            tried.files.build(ENV)
            if isinstance(found, tuple):
                assert done == found
                continue
            assert [(one.kind, one.key) for one in found.changes] == changed(tried.store, before[1].revision)
            engine, model = after(found, live), stored(tried.store)
            requests += [request(pick, model) for _ in range(8)]
            check_oracle(engine, model, requests)
            check_oracle(tried.live, model, requests)
            check_oracle(TrialEngine(live, lambda: NOW, CACHES), before[0], requests)
        tried.store.close()


def changed(store: Store, revision: int) -> list[tuple[str, tuple[str, ...]]]:
    if store.revision_of(ENV) == revision:
        return []
    return [(entry.kind, entry.key) for entry in store.revision(ENV, revision + 1)[1]]


def check_oracle(engine: Engine, model: dict[str, Any], requests: list[dict[str, Any]]) -> None:
    for asked in requests:
        expected = oracle.decide(model, asked, NOW)
        answer = engine.decide(asked, NOW)
        assert answer["decision"] == expected["decision"], asked
        assert answer["context"]["reason_code"] == expected["reason_code"], asked


TYPES = {"resource_types": [{"id": "d", "actions": ["read"]}], "roles": [{"id": "r"}]}
POLICY = {"effect": "ALLOW", "roles": ["r"], "resource_types": [{"resource_type_id": "d", "actions": ["read"]}]}


@pytest.fixture
def tried(tmp_path: Path) -> Tried:
    found = Tried(str(tmp_path))
    found.put(TYPES)
    return found


def test_a_put_adds_or_replaces(tried: Tried) -> None:
    for policy in (POLICY, POLICY | {"effect": "DENY"}):
        trial = tried.store.try_write(ENV, ACTOR, [Put("policies", ("p",), policy)], tried.live.revision)
        (change,) = trial.changes
        assert (change.before is None, change.key) == (policy is POLICY, ("p",))
        write(tried.store, Put("policies", ("p",), policy))
        assert stored(tried.store)["policies"] == [{"id": "p"} | policy]


def test_an_engine_that_is_behind_is_led_to_the_newest_revision_first(tried: Tried) -> None:
    live = tried.live.pinned()
    write(tried.store, Create("policies", POLICY | {"id": "p"}))
    subject = {"type": "user", "id": "alice"}
    edit = Create("assignments", {"role": "r", "subject": subject})
    trial = tried.store.try_write(ENV, ACTOR, [edit], live.revision)
    asked = {"subject": subject, "action": {"name": "read"}, "resource": {"type": "d", "id": "1"}}
    assert after(trial, live).decide(asked, NOW)["decision"] is True
    assert live.decide(asked, NOW)["decision"] is False


def test_a_write_that_needs_a_new_bundle_is_refused(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affected, "MAX_STATES", 1)
    edits = [Create("roles", {"id": "x"}), Create("roles", {"id": "y"})]
    with pytest.raises(Rejected, match="they need a new bundle"):
        tried.store.try_write(ENV, ACTOR, edits, tried.live.revision)


def test_without_deltas_there_is_no_trial(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    live = tried.live.pinned()
    put(tried.store, TYPES | {"roles": [{"id": str(number)} for number in range(1_001)]})
    with pytest.raises(StoreUnavailable, match="is being built"):
        tried.store.try_write(ENV, ACTOR, [Delete("roles", ("1",))], live.revision)
    with pytest.raises(StoreUnavailable, match="is being built"):
        tried.store.read_tests(ENV, live.revision)


def test_a_bound_credential_tries_nothing_elsewhere(tried: Tried) -> None:
    other = type(ACTOR)("other", bounds=frozenset({"x"}))
    for call in (
        lambda: tried.store.try_write(ENV, other, [Create("roles", {"id": "x"})], 1),
        lambda: tried.store.read_tests(ENV, 1, other.bounds),
    ):
        with pytest.raises(OutOfBounds):
            call()


def test_the_types_of_subjects_are_those_of_the_whole_model(tried: Tried) -> None:
    def subject(type: str) -> dict[str, str]:
        return {"type": type, "id": "x"}

    tried.put(
        TYPES
        | {
            "attributes": {"subject": {"declared": {}}},
            "subjects": [subject("a"), subject("b"), {"type": "b", "id": "y"}],
            "groups": [{"id": "g", "members": [subject("c")]}],
            "assignments": [{"role": "r", "subject": subject("d")}, {"role": "r", "group": "g"}],
            "grants": [{"subject": subject("e"), "resource": {"type": "d", "id": "1"}, "actions": ["read"]}],
        }
    )
    found = tried.store.read_tests(ENV, tried.live.revision)
    assert found.before.subject_types == {"a", "b", "c", "d", "e"}


def test_a_trial_takes_no_write_lock(tried: Tried) -> None:
    """While another write is under way, so that no write waits for a trial, and no trial for a write."""
    conditions = {"subject_attrs": [{"key": "k", "op": "regex", "value": "("}]}
    live = tried.live.pinned()
    with closing(connect(tried.store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for policy in (POLICY | {"roles": ["none"]}, POLICY | {"conditions": conditions}, {"effect": "ALLOW"}):
            edits = [Put("policies", ("p",), policy)]
            assert attempt(tried.store.try_write, ENV, ACTOR, edits, live.revision)[0] is Rejected
        found = tried.store.try_write(ENV, ACTOR, [Put("policies", ("p",), POLICY)], live.revision)
    assert [change.kind for change in found.changes] == ["policies"]


def test_elements_are_checked_as_the_edits_leave_them(tried: Tried) -> None:
    unknown, known = Put("policies", ("p",), POLICY | {"roles": ["x"]}), Put("roles", ("x",), {})
    for edits, status in (
        ([unknown], Rejected),
        ([unknown, known], None),
        ([unknown, Delete("policies", ("p",))], None),
        ([unknown, Put("policies", ("p",), POLICY)], None),
        ([Put("policies", ("p",), POLICY), Delete("roles", ("r",), cascade=True)], None),
    ):
        found = attempt(tried.store.try_write, ENV, ACTOR, edits, tried.live.revision)
        assert (found[0] if isinstance(found, tuple) else None) is status, edits


def test_a_trial_ends_at_its_deadline(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "TRIAL_SECONDS", -1.0)
    with pytest.raises(Rejected) as caught:
        tried.store.try_write(ENV, ACTOR, [Create("roles", {"id": "x"})], tried.live.revision)
    assert [fault.code for fault in caught.value.faults] == ["takes-long"]
    write(tried.store, Create("roles", {"id": "x"}))
