"""The exports of one worker without a server: what changes between the steps of an answer."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from writ.api.engines.exports.bundle import _soon
from writ.api.engines.exports.exporter import Exporter
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.store.elements.edits import Create
from writ.api.store.errors import StoreUnavailable
from writ.bundles.feed.callers import verified_callers
from writ.bundles.feed.update import verified_update
from writ.bundles.signing.sign import DAY
from writ.bundles.signing.signature_check import open_verified_bundle

from tests.support.exporting import NOW, Worker
from tests.support.signed import KEY, OTHER_KEY, public_pem
from tests.support.stored import ACTOR

PUBLIC = public_pem(KEY)


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker(tmp_path)


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    """What a coroutine function returns."""

    async def main() -> Any:
        return await work()

    return asyncio.run(main())


def test_a_token_that_is_revoked_while_an_update_is_made_is_not_lost(worker: Worker) -> None:
    """The tag of an update must not name a list of callers that its client never got."""
    worker.export()

    async def answer() -> Any:
        state = await worker.states.of("default")
        worker.add_role("r")
        worker.store.credentials.revoke_token(ACTOR, "the-token", int(NOW) + 60, NOW)
        return state, await worker.exporter.update(state, 0, with_callers=False)

    state, body = run(answer)
    update = verified_update(body.update.data, PUBLIC, NOW)
    assert body.update.callers != state.callers
    assert update.callers is not None
    assert "the-token" in verified_callers(update.callers, PUBLIC, NOW).revoked


def test_a_follower_does_not_wait_for_an_export_that_takes_long(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take that for a fault. It is told to come again, and the making goes on."""
    begun, free = asyncio.Event(), asyncio.Event()

    async def slow(_exporter: Exporter, _request: object) -> None:
        begun.set()
        await free.wait()
        worker.export()

    async def answer() -> int:
        state = await worker.states.of("default")
        sharing = asyncio.create_task(worker.exporter.base(state))
        await begun.wait()
        with pytest.raises(StoreUnavailable, match="still being made"):
            await _soon(worker.exporter.base(state))
        free.set()
        return (await sharing).revision

    monkeypatch.setattr(Exporter, "_made_apart", slow)
    monkeypatch.setattr("writ.api.engines.exports.bundle.MAKING_SECONDS", 0.0)
    worker.add_role("r")
    assert run(answer) == 1


def test_an_export_can_be_made_after_the_clock_was_set_back(worker: Worker) -> None:
    """The exports from the future are not the newest ones, though their names say so."""
    for key in (KEY, OTHER_KEY, KEY):
        worker.now, worker.key = worker.now + 100, key
        worker.export()
    worker.now = NOW
    worker.export()
    state = run(lambda: worker.states.of("default"))
    assert run(lambda: worker.exporter.bundle(state)).issued == NOW


def test_what_a_killed_process_left_is_removed(worker: Worker) -> None:
    folder, uuid = worker.exporter.files.folder, worker.store.environment("default").uuid
    folder.mkdir()
    for name in (".0123456789abcdef.unfinished", f"{uuid}-1-0.bundle", f"{uuid}-1-0-1.bundle.gz"):
        (folder / name).write_bytes(b"partly")
    (folder / "notes.txt").write_bytes(b"of somebody else")
    worker.export()
    assert sorted(path.suffix for path in folder.iterdir() if path.suffix != ".gz") == [".bundle", ".txt"]
    assert len(list(folder.iterdir())) <= 3


def test_an_environment_that_is_made_again_meanwhile_is_no_crash(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.store.create_environment(ACTOR, "again")
    made = worker.maker._made

    def slow(*arguments: Any) -> Path:
        path = made(*arguments)
        worker.store.delete_environment(ACTOR, "again")
        worker.store.create_environment(ACTOR, "again")
        return path

    monkeypatch.setattr(worker.maker, "_made", slow)
    with pytest.raises(StoreUnavailable):
        worker.maker.export("again", 0, KEY, DAY)


def test_an_older_export_never_stands_for_a_newer_revision(worker: Worker) -> None:
    """The environment was deleted when the newer one was to be made."""
    worker.store.create_environment(ACTOR, "gone")
    worker.maker.export("gone", 0, KEY, DAY)
    worker.store.write("gone", ACTOR, [Create("roles", {"id": "r"})])

    async def answer() -> Any:
        state = await worker.states.of("gone")
        worker.store.delete_environment(ACTOR, "gone")
        return await worker.exporter.bundle(state)

    with pytest.raises(StoreUnavailable):
        run(answer)


def test_those_who_share_an_export_all_get_the_newest_revision(worker: Worker) -> None:
    """Whoever asked first wants an older revision, which a bundle without a signature already has."""
    bundles = BundleFiles(worker.exporter.directory, worker.store)
    bundles.build("default")
    worker.add_role("r")
    assert worker.maker.export("default", 0, KEY, DAY).revision == 1


@pytest.mark.parametrize("place", [0, -1])
def test_a_bundle_that_was_damaged_on_the_disk_gets_no_signature(worker: Worker, place: int) -> None:
    """It is built again."""
    built = BundleFiles(worker.exporter.directory, worker.store).build("default")
    data = bytearray(built.read_bytes())
    data[place] ^= 1
    built.write_bytes(data)
    worker.export()
    (made,) = worker.exporter.files.of(worker.store.environment("default"))
    bundle, _ = open_verified_bundle(made.path, PUBLIC, "default", NOW)
    bundle.verify()
