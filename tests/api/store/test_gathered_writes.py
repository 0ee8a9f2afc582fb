"""Writes that share a transaction have the same effects, results and failures as the same writes one by one."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from writ.api.store import gathered_writes
from writ.api.store.actor import Actor
from writ.api.store.audit.entries import chain_hash
from writ.api.store.elements.edits import Committed, Create, CreateAt, Delete, Edit, Patch, Replace
from writ.api.store.errors import (
    Conflict,
    NotFound,
    OutOfBounds,
    PreconditionFailed,
    Refusal,
    Rejected,
    StoreUnavailable,
)
from writ.api.store.gathered_writes import MOST_WRITES, is_short
from writ.api.store.gathered_writes import _one_by_one as one_alone_each
from writ.api.store.store import Store
from writ.api.store.writing import Write

from tests.support.closing import closed_later
from tests.support.stored import ACTOR, ENV, deltas, put, random_edits, stored
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

ALICE = {"type": "user", "id": "alice"}
MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "editor"}, {"id": "viewer"}],
    "assignments": [{"id": "a", "role": "editor", "subject": ALICE}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}


def one(edit: Edit, actor: Actor = ACTOR, env: str = ENV) -> Write:
    return Write(env, actor, (edit,))


def role(name: str) -> Write:
    return one(Create("roles", {"id": name}))


def outcomes(store: Store, *writes: Write) -> list[str]:
    """Returns `stored` or the name of the failure of each write."""
    return ["stored" if isinstance(done, Committed) else type(done).__name__ for done in store.write_gathered(writes)]


def one_by_one(store: Store, writes: Sequence[Write]) -> list[Committed | Exception]:
    done: list[Committed | Exception] = []
    for write in writes:
        try:
            done.append(store.write(write.env, write.actor, write.edits, write.now))
        except Refusal as ex:
            done.append(ex)
    return done


def seen(store: Store, outcome: Committed | Exception) -> object:
    """Returns all of a result but what differs between two stores: the UUID of the environment, and its creation."""
    if isinstance(outcome, Committed):
        tags = [result and (result.body, result.etag.partition(".")[2]) for result in outcome.results]
        return tags, outcome.environment.revision, outcome.added, outcome.warnings
    return type(outcome), str(outcome), getattr(outcome, "faults", None), getattr(outcome, "users", None)


def audited(store: Store) -> list[str]:
    """Returns the audit log, whose hashes are right, without the UUID of the environment."""
    uuid = store.environment(ENV).uuid
    with store._connections.reading() as db:
        rows = db.execute("SELECT number, body, digest FROM audit ORDER BY number").fetchall()
    for (_, _, before), (number, body, digest) in pairwise(rows):
        assert chain_hash(before, number, body.encode()) == digest
    return [body.replace(uuid, "") for _, body, _ in rows]


def both(tmp_path: Path, model: dict[str, Any]) -> tuple[Store, Store]:
    """Two stores of the same model."""
    stores = (
        closed_later(Store.open(tmp_path / "gathered", "NORMAL")),
        closed_later(Store.open(tmp_path / "apart", "NORMAL")),
    )
    for store in stores:
        store.put_model(ENV, ACTOR, [], now=0.0)
        put(store, model)
    return stores


@pytest.mark.parametrize("seed", range(8))
def test_gathered_writes_are_those_writes_one_by_one(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same results and failures, same model, revisions, deltas and audit log, whatever is gathered with what."""
    monkeypatch.setattr(gathered_writes, "MOST_SECONDS_OF_ONE", 60.0)  # a long one is left to be written alone
    pick, random = Pick.seeded(seed), Random(seed)
    model = {name: many for name, many in document(pick).items() if name != "model"}
    gathered, apart = both(tmp_path, model)
    tags: list[str] = []
    for _ in range(6):
        here, other = stored(gathered), document(pick)
        edits = [edit for _ in range(12) for edit in random_edits(pick, here, other)]
        writes = [Write(ENV, ACTOR, (tagged(random, edit, tags),), now=1.0) for edit in edits]
        left: Sequence[Write] = writes
        while left:
            batch = left[: random.randint(1, 12)]
            done = gathered.write_gathered([retagged(gathered, write) for write in batch])
            expected = one_by_one(apart, [retagged(apart, write) for write in batch[: len(done)]])
            assert [seen(gathered, outcome) for outcome in done] == [seen(apart, outcome) for outcome in expected]
            tags += [result.etag for each in done if isinstance(each, Committed) for result in each.results if result]
            left = left[len(done) :]
        assert stored(gathered) == stored(apart)
    last = gathered.revision_of(ENV)
    revisions, _ = gathered.revisions(ENV)
    assert [found.revision for found in revisions] == list(range(last, 0, -1))[: len(revisions)]
    assert (deltas(gathered, 2), audited(gathered)[2:]) == (deltas(apart, 2), audited(apart)[2:])
    for store in (gathered, apart):
        store.close()


def tagged(random: Random, edit: Edit, tags: Sequence[str]) -> Edit:
    """Returns an edit that may ask for a tag that was seen."""
    if tags and not isinstance(edit, Create | CreateAt) and not random.randrange(3):
        tag = random.choice(tags[-20:])
        match edit:
            case Replace(kind, key, body):
                return Replace(kind, key, body, tag)
            case Patch(kind, key, patch):
                return Patch(kind, key, patch, tag)
            case Delete(kind, key, cascade):
                return Delete(kind, key, cascade, tag)
    return edit


def retagged(store: Store, write: Write) -> Write:
    """Returns the write with the tag as this store has it."""
    (edit,) = write.edits
    if isinstance(edit, Create | CreateAt) or edit.if_match is None:
        return write
    tag = f"{store.environment(ENV).uuid}.{edit.if_match.partition('.')[2]}"
    match edit:
        case Replace(kind, key, body):
            edit = Replace(kind, key, body, tag)
        case Patch(kind, key, patch):
            edit = Patch(kind, key, patch, tag)
        case Delete(kind, key, cascade):
            edit = Delete(kind, key, cascade, tag)
    return Write(write.env, write.actor, (edit,), write.now)


@pytest.fixture
def filled(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(gathered_writes, "MOST_SECONDS", 60.0)  # a busy machine takes long, above all on PostgreSQL
    put(store, MODEL)
    return store


def test_each_write_is_a_revision_and_fails_alone(filled: Store) -> None:
    """A write sees what those before it stored, and nothing of one that failed."""
    bad = {"id": "x", "role": "editor", "subject": ALICE, "expires_at": "soon"}
    done = filled.write_gathered(
        [
            role("new"),
            role("new"),
            one(Create("assignments", {"id": "n", "role": "new", "subject": ALICE})),
            one(Create("assignments", bad)),
            one(Delete("roles", ("new",))),
            one(Delete("assignments", ("n",))),
            one(Delete("roles", ("new",))),
            one(Patch("roles", ("new",), {"name": "New"})),
            one(Patch("roles", ("editor",), {"name": "E"}), env="nowhere"),
            one(Patch("policies", ("p",), {"priority": 5})),
        ]
    )
    assert [type(outcome) for outcome in done] == [
        *(Committed, Conflict, Committed, Rejected, Conflict, Committed, Committed, NotFound, NotFound, Committed)
    ]
    revisions = [outcome.environment.revision for outcome in done if isinstance(outcome, Committed)]
    assert revisions == [2, 3, 4, 5, 6]
    assert stored(filled)["roles"] == MODEL["roles"]
    assert stored(filled)["policies"][0]["priority"] == 5


def test_of_two_writers_who_saw_the_same_one_wins(filled: Store) -> None:
    tag = filled.get(ENV, "roles", ("editor",)).etag
    writes = [one(Patch("roles", ("editor",), {"name": str(number)}, tag)) for number in range(3)]
    new = [one(CreateAt("roles", ("new",), {"name": str(number)})) for number in range(2)]
    failed = PreconditionFailed.__name__
    assert outcomes(filled, *writes, *new) == ["stored", failed, failed, "stored", failed]
    assert filled.get(ENV, "roles", ("editor",)).body["name"] == filled.get(ENV, "roles", ("new",)).body["name"] == "0"


def test_a_credential_is_rechecked_for_each_write(filled: Store) -> None:
    gone, bound = Actor("gone", api_key="gone"), Actor("bound", bounds=frozenset({"another"}))
    writes = [role("a"), one(Create("roles", {"id": "b"}), gone), one(Create("roles", {"id": "c"}), bound), role("d")]
    assert outcomes(filled, *writes) == ["stored", OutOfBounds.__name__, OutOfBounds.__name__, "stored"]
    assert [found["id"] for found in stored(filled)["roles"]] == ["editor", "viewer", "a", "d"]


def test_writes_of_several_environments_share_a_transaction(filled: Store) -> None:
    filled.create_environment(ACTOR, "staging")
    writes = [one(Create("roles", {"id": str(n)}), env=env) for n in range(3) for env in (ENV, "staging")]
    done = filled.write_gathered(writes)
    assert [(one.environment.id, one.environment.revision) for one in done if isinstance(one, Committed)] == [
        *((ENV, 2), ("staging", 1), (ENV, 3), ("staging", 2), (ENV, 4), ("staging", 3))
    ]


def test_a_transaction_takes_so_many_writes_and_no_more(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathered_writes, "MOST_SECONDS", 60.0)  # the machine may be busy
    assert len(filled.write_gathered([role(str(number)) for number in range(MOST_WRITES + 8)])) == MOST_WRITES
    assert filled.revision_of(ENV) == 1 + MOST_WRITES


def test_a_transaction_takes_no_further_write_after_some_time(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathered_writes, "MOST_SECONDS", 0.0)
    assert outcomes(filled, role("a"), role("b"), role("c")) == ["stored"]
    assert filled.revision_of(ENV) == 2


@pytest.mark.parametrize(
    ("edits", "short"),
    [
        ([Create("roles", {})], True),
        ([CreateAt("policies", ("p",), {})], True),
        ([Replace("subjects", ("user", "a"), {})], True),
        ([Patch("assignments", ("a",), {})], True),
        ([Delete("grants", ("g",))], True),
        ([Create("roles", {})] * 2, False),
        ([], False),
        ([Delete("roles", ("r",), cascade=True)], False),
        ([Patch("resource_types", ("document",), {})], False),
        ([Create("groups", {})], False),
        ([Create("nothing", {})], False),
    ],
)
def test_only_short_writes_are_gathered(edits: list[Edit], short: bool) -> None:
    assert is_short(Write(ENV, ACTOR, edits)) == short


POISON = "CREATE TRIGGER poison AFTER INSERT ON roles WHEN NEW.id = 'poison' BEGIN {}; END"
DEFERRED = "INSERT INTO policy_roles VALUES (NEW.environment, 'p', 'nowhere')"
AT_ONCE = "INSERT INTO policy_roles VALUES (NEW.environment, 'nowhere', 'editor')"
ABORT = "SELECT RAISE(ABORT, 'no')"
ROLLBACK = "SELECT RAISE(ROLLBACK, 'no')"


@pytest.mark.parametrize("fault", [DEFERRED, AT_ONCE, ABORT, ROLLBACK])
@pytest.mark.of_file
def test_a_write_that_the_database_refuses_fails_alone(filled: Store, fault: str) -> None:
    """No check of Writ lets such a write through. If one did, the others would still be stored: SQLite looks at some
    constraints only at the commit, which would undo them all.
    """
    with closing(sqlite3.connect(filled.path)) as other:
        other.execute(POISON.format(fault))
    left, found = [role("a"), role("poison"), role("b"), role("c")], []
    while left:
        done = filled.write_gathered(left)
        assert done
        found += done
        left = left[len(done) :]
    assert [type(outcome) for outcome in found] == [Committed, sqlite3.IntegrityError, Committed, Committed]
    assert [outcome.environment.revision for outcome in found if isinstance(outcome, Committed)] == [2, 3, 4]
    assert [found["id"] for found in stored(filled)["roles"]] == ["editor", "viewer", "a", "b", "c"]


@pytest.mark.of_file
def test_no_write_is_stored_if_the_transaction_fails(filled: Store) -> None:
    with closing(sqlite3.connect(filled.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="was locked by another write"):
            filled.write_gathered([role("a"), role("b")])
        other.execute("ROLLBACK")
    assert filled.revision_of(ENV) == 1
    assert outcomes(filled, role("a"), role("b")) == ["stored", "stored"]


@pytest.mark.of_file
def test_writes_that_try_alone_wait_for_a_lock_once(filled: Store) -> None:
    """Those after the first one try again with the next transaction."""
    with closing(sqlite3.connect(filled.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = one_alone_each(filled._connections, [role("a"), role("b"), role("c")], filled._time)
        assert [type(outcome) for outcome in done] == [StoreUnavailable]
        other.execute("ROLLBACK")


@pytest.mark.of_file
def test_a_write_that_needs_too_much_room_fails_alone(filled: Store) -> None:
    db = filled._connections._current()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages + 8}").fetchone()
    large = one(Create("subjects", {"type": "user", "id": "large", "attributes": {"text": "x" * 60_000}}))
    writes, found = [role("a"), large, role("b")], list[str]()
    while len(found) < len(writes):
        found += outcomes(filled, *writes[len(found) :])
    assert found == ["stored", "StoreFull", "stored"]


def test_what_other_workers_can_t_be_told_of_is_not_stored(filled: Store) -> None:
    signal = filled._connections.signal
    assert signal is not None
    before = filled.watch.version()
    assert outcomes(filled, role("a")) == ["stored"]
    assert filled.watch.version() != before

    signal._descriptor = -1
    with pytest.raises(StoreUnavailable, match="nothing is stored"):
        outcomes(filled, role("b"), role("b"), role("c"))
    assert stored(filled)["roles"][-1]["id"] == "a"
