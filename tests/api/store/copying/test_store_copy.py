"""Copies of a store: the same rows on either engine, numbers that go on, refusals, and a copy that is killed."""

import gc
import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.store.actor import command_actor
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.audit.events import Event
from writ.api.store.copying.places import Place, place_named
from writ.api.store.copying.rows import BATCH_ROWS
from writ.api.store.copying.store_copy import copy_store
from writ.api.store.database.audit_tables import AUDIT
from writ.api.store.database.driver_errors import DRIVER_ERRORS
from writ.api.store.database.postgresql.place import DatabasePlace
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.database.sqlite.place import DirectoryPlace
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreFull, StoreUnavailable
from writ.api.store.policy_tests import NewSet
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.store import Store

from tests.support.clock import Clock
from tests.support.killed_steps import killed_at
from tests.support.small_disk import files_up_to
from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV, put, stored
from tests.support.stores_with_history import SEALER, START, contents, fill

ABSENT = r"has no store|is gone|is empty"
BEFORE, AFTER = {"roles": [{"id": f"r{number}"} for number in range(2 * BATCH_ROWS)]}, {"roles": [{"id": "other"}]}


def silent(_stage: str, _done: int, _total: int) -> None:
    """Show no progress."""


def place(engine: Engine, directory: Path) -> Place:
    """The place of a store on an engine."""
    return DirectoryPlace(directory) if engine.url is None else DatabasePlace(engine.url)


def filled(directory: Path, seed: int) -> tuple[Place, Clock]:
    """The place of a store with a history, and its clock."""
    clock = Clock(START)
    with closing(Store.open(directory, "NORMAL", clock=clock)) as store:
        fill(store, clock, seed)
    return DirectoryPlace(directory), clock


def small(directory: Path, document: dict[str, Any] = BEFORE) -> Place:
    """The place of a store with one model."""
    with closing(Store.open(directory, "NORMAL")) as store:
        put(store, document)
    return DirectoryPlace(directory)


def next_numbers(store: Store) -> list[Any]:
    """Returns the numbers that a store gives to new rows of all kinds."""
    store.write(ENV, ACTOR, [Create("roles", {"id": "next"})])
    store.policy_tests.create(ENV, ACTOR, NewSet("next", {"id": "next", "tests": []}, 0))
    made = store.create_environment(ACTOR, "next")
    store.promotions.promote("next", ACTOR, Wanted("staging"))
    with store._connections.reading() as db:
        tables = ("promotions", "policy_tests", "audit")
        numbers = [db.execute(f"SELECT max(number) FROM {table}").fetchone()[0] for table in tables]
    return [made.number, store.revision_of(ENV), *numbers]


@pytest.fixture(autouse=True)
def collected() -> None:
    """A copy refuses a database to which another is connected, such as a store that an earlier test left open."""
    gc.collect()


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_and_a_copy_back_have_every_row_and_go_on_alike(seed: int, engine: Engine, tmp_path: Path) -> None:
    source, clock = filled(tmp_path / "from", seed)
    target, back = place(engine, tmp_path / "to"), DirectoryPlace(tmp_path / "back")
    copied = copy_store(source, target, silent, clock)
    before = contents(source)
    assert contents(target) == before
    assert all(before.values())
    assert copied.rows == {table: len(before[table]) for table in copied.rows}
    copy_store(target, back, silent, clock)
    assert contents(back) == contents(target)
    found = []
    for opened in (Store.open(tmp_path / "from", clock=clock), engine.open(tmp_path / "to", clock=clock)):
        with closing(opened) as store:
            found.append((next_numbers(store), [stored(store, one.id) for one in store.environments()]))
            assert store.audit.check(SEALER, {}).first > 1, "the first entries have expired"
    assert found[0][1] == found[1][1]
    assert found[0][0][:-1] == found[1][0][:-1]
    assert found[0][0][-1] == found[1][0][-1] - 1, "the copy back has an entry"


def test_a_bundle_of_a_copy_is_that_of_the_store(engine: Engine, tmp_path: Path) -> None:
    source, clock = filled(tmp_path / "from", 7)
    copy_store(source, place(engine, tmp_path / "to"), silent, clock)
    bundles = []
    for directory, opened in (
        (tmp_path / "from", Store.open(tmp_path / "from", clock=clock)),
        (tmp_path / "to", engine.open(tmp_path / "to", clock=clock)),
    ):
        with closing(opened) as store:
            bundles.append([BundleFiles(directory, store).build(one.id).read_bytes() for one in store.environments()])
    assert bundles[0] == bundles[1]


def test_both_logs_tell_of_the_copy(engine: Engine, tmp_path: Path) -> None:
    source, target = small(tmp_path / "from"), place(engine, tmp_path / "to")
    copy_store(source, target, silent)
    for opened in (Store.open(tmp_path / "from"), engine.open(tmp_path / "to")):
        with closing(opened) as store:
            ((one, *_), _) = store.audit.page(EntryFilter(event=Event.STORE_COPIED), None, 10)
            assert (one.entry.actor, one.entry.details) == (command_actor().name, {"to": target.shown})


def test_the_log_of_a_copy_only_grows(engine: Engine, tmp_path: Path) -> None:
    source, clock = filled(tmp_path / "from", 0)
    copy_store(source, place(engine, tmp_path / "to"), silent, clock)
    with closing(engine.open(tmp_path / "to")) as store:
        with store._connections.reading() as db:
            assert db.fault_of_tables("audit", AUDIT) is None
        for change in (
            "INSERT INTO audit (number, body, digest) SELECT number + 9, body, digest FROM audit WHERE number > 20",
            "UPDATE audit SET body = '{}'",
            "DELETE FROM audit",
        ):
            with pytest.raises(DRIVER_ERRORS, match="only grows"), store._connections.writing() as db:
                db.execute(change)


def test_a_place_with_a_store_and_one_without_are_refused(engine: Engine, tmp_path: Path) -> None:
    one, other, target = small(tmp_path / "one"), small(tmp_path / "other", AFTER), place(engine, tmp_path / "to")
    with pytest.raises(StoreUnavailable, match=ABSENT):
        copy_store(target, DirectoryPlace(tmp_path / "new"), silent)
    copy_store(one, target, silent)
    entries = contents(other)["audit"]
    for source in (other, target):
        with pytest.raises(StoreUnavailable, match="has a store already"):
            copy_store(source, target, silent)
    assert contents(other)["audit"] == entries, "what is refused leaves no entry"
    with closing(engine.open(tmp_path / "to")) as store:
        assert stored(store) == BEFORE
    assert not (tmp_path / "new" / FILE).exists()


@pytest.mark.of_file
def test_a_file_that_is_no_store_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    for name, content, said in (("empty", b"", "empty file"), ("text", b"x" * 5_000, "is damaged")):
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE).write_bytes(content)
        with pytest.raises(StoreUnavailable, match=said):
            copy_store(DirectoryPlace(tmp_path / name), DirectoryPlace(tmp_path / "new"), silent)
        with pytest.raises(StoreUnavailable, match="has a store already"):
            copy_store(small(tmp_path / f"from-{name}"), DirectoryPlace(tmp_path / name), silent)
        assert (tmp_path / name / FILE).read_bytes() == content
    assert not (tmp_path / "new" / FILE).exists()
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / f"{FILE}-wal").touch()
    with pytest.raises(StoreUnavailable, match="has a store already"):
        copy_store(small(tmp_path / "from"), DirectoryPlace(tmp_path / "log"), silent)


def test_a_copy_that_fails_leaves_no_store(engine: Engine, tmp_path: Path) -> None:
    source, target = small(tmp_path / "from"), place(engine, tmp_path / "to")

    def fail(_stage: str, done: int, _total: int) -> None:
        if done > BATCH_ROWS:
            raise StoreUnavailable("the disk is full")

    with pytest.raises(StoreUnavailable, match="the disk is full"):
        copy_store(source, target, fail)
    with pytest.raises(StoreUnavailable, match=ABSENT):
        engine.open(tmp_path / "to", create=False)
    assert [one.name for one in (tmp_path / "to").iterdir() if one.name.startswith((FILE, f".{FILE}."))] in (
        [],
        [f"{FILE}-commits"],
    )
    copy_store(source, target, silent)
    assert contents(target) == contents(source)


@pytest.mark.of_file
def test_a_copy_without_room_leaves_no_file(tmp_path: Path) -> None:
    source, target = small(tmp_path / "from"), DirectoryPlace(tmp_path / "to")
    copy_store(source, DirectoryPlace(tmp_path / "large"), silent)
    size = (tmp_path / "large" / FILE).stat().st_size
    with files_up_to(size // 2), pytest.raises(StoreFull):
        copy_store(source, target, silent)
    assert list((tmp_path / "to").iterdir()) == []
    copy_store(source, target, silent)
    assert contents(target) == contents(source)


def test_a_copy_that_is_killed_at_any_step_leaves_no_store_and_can_be_done_again(
    engine: Engine, tmp_path: Path
) -> None:
    source, target = small(tmp_path / "from"), place(engine, tmp_path / "to")
    step = 0
    while killed_at(step, lambda report: copy_store(source, target, lambda *_: report())):
        with pytest.raises(StoreUnavailable, match=ABSENT):
            engine.open(tmp_path / "to", create=False)
        step += 7
    assert step > 7
    assert len(contents(target)["roles"]) == 2 * BATCH_ROWS
    assert contents(target) == contents(source)


@pytest.mark.postgresql
def test_a_database_that_a_service_uses_is_refused(
    postgresql_engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("writ.api.store.database.postgresql.place.ENDING_SECONDS", 0.1)
    target = DirectoryPlace(tmp_path / "to")
    with closing(postgresql_engine.open(tmp_path / "data")) as store:
        put(store, BEFORE)
        with pytest.raises(StoreUnavailable, match="is in use by another process of Writ; stop it"):
            copy_store(place(postgresql_engine, tmp_path), target, silent)
    monkeypatch.undo()
    copy_store(place(postgresql_engine, tmp_path), target, silent)


@pytest.mark.postgresql
def test_ids_that_postgresql_can_t_index_are_told(postgresql_engine: Engine, tmp_path: Path) -> None:
    source, target = small(tmp_path / "from"), place(postgresql_engine, tmp_path)
    digits = random.Random(7)
    role, type, id = ("".join(chr(digits.randrange(0x10000, 0x20000)) for _ in range(500)) for _ in range(3))
    with closing(Store.open(tmp_path / "from")) as store:
        assignment = {"role": role, "subject": {"type": type, "id": id}}
        store.write(ENV, ACTOR, [Create("roles", {"id": role}), Create("assignments", assignment)])
    with pytest.raises(StoreUnavailable, match="can't have the copy: the ids in one element are longer"):
        copy_store(source, target, silent)
    with pytest.raises(StoreUnavailable, match="is empty"):
        postgresql_engine.open(tmp_path / "data", create=False)


@pytest.mark.parametrize(
    "url",
    ["postgresql://writ:sec%ret@db/writ", "postgresql://writ:se@cret@db/writ"],
)
def test_a_url_that_can_t_be_read_is_not_quoted(url: str) -> None:
    with pytest.raises(StoreUnavailable, match="can't be read; write it like") as raised:
        place_named(url)
    assert "ret" not in str(raised.value)
    with pytest.raises(StoreUnavailable, match="begins with `postgresql://`") as raised:
        place_named(url.replace("//", "/"))
    assert "ret" not in str(raised.value)


def test_a_place_is_shown_without_credentials() -> None:
    assert place_named("postgresql://writ:secret@db:5433/writ").shown == "postgresql://writ@db:5433/writ"
    assert place_named("data").directory == Path("data")
