"""`writ.follow`: a thread keeps an engine fresh, in threads, in asyncio and in forked processes."""

import asyncio
import gc
import multiprocessing
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import writ
from writ import Engine
from writ.api.agent.follow import follow
from writ.api.agent.following import Following
from writ.api.agent.options import FollowOptions

from tests.support.bundling import bundle_file
from tests.support.feed import History, may_read, revision_of
from tests.support.publishing import Folder
from tests.support.signed import KEY, OTHER_KEY, public_pem
from tests.support.upstream import Upstream, serving
from tests.support.waiting import PATIENCE_SECONDS, is_waiting, rounds, until, wait_until

QUESTION = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
PEM = public_pem(KEY).decode()
FOREVER = 60.0


@pytest.fixture
def history() -> History:
    made = History()
    made.issued, made.lifetime = int(time.time()), 3_600
    return made


@pytest.fixture
def server(history: History) -> Iterator[Upstream]:
    with serving(history) as upstream:
        upstream.credential = "token"
        yield upstream


def test_an_application_follows_a_server(server: Upstream, tmp_path: Path) -> None:
    """A change is in force a moment later, in the same engine."""
    seen: list[int | None] = []
    options: dict[str, Any] = {"environment": "prod", "keys": PEM, "token": "token", "state": tmp_path / "state"}
    with writ.follow(server.url, **options, on_change=lambda status: seen.append(status.revision)) as following:
        engine = following.engine
        assert revision_of(engine) == 1
        server.commit()
        assert wait_until(lambda: engine.revision == 2)
        assert may_read(following.engine, 2)
        assert wait_until(lambda: following.status().state == "following")
        assert following.status().is_ready
    assert seen == [1, 2]
    with pytest.raises(writ.FollowError, match="closed"):
        _ = following.engine
    server.fault = lambda handler: handler.refuse(500, "down") is None
    with follow(server.url, **options) as again:
        assert revision_of(again.engine) == 2
        assert wait_until(lambda: again.status().error)
        assert again.status().state == "behind"


@pytest.mark.parametrize(("token", "revision"), [("token", 1), ("another", None)])
def test_a_first_look_ends_when_the_source_has_answered(server: Upstream, token: str, revision: int | None) -> None:
    """With a bundle, or with a refusal. A worker of an agent accepts nobody before."""
    with Following(FollowOptions(server.url, environment="prod", keys=PEM, token=token)) as following:
        following.look(FOREVER)
        engine = following.newest
        assert (None if engine is None else revision_of(engine)) == revision
        assert (following.status().error is None) is (revision == 1)


def test_closing_does_not_wait_for_the_server(server: Upstream) -> None:
    """It holds a question for half a minute."""
    following = follow(server.url, environment="prod", keys=PEM, token="token")
    assert wait_until(lambda: following.status().state == "following")
    assert wait_until(lambda: server.held)
    following.close()
    assert wait_until(lambda: not [one for one in threading.enumerate() if one.name == "writ-follow"])
    assert server.held, "the server still holds it"


def test_no_request_is_lost_while_revisions_change(server: Upstream) -> None:
    """Four threads decide all the time. None sees an error, and none sees an older revision after a newer one."""
    with follow(server.url, environment="prod", keys=PEM, token="token") as following:
        engine, stop, failures = following.engine, threading.Event(), []

        def decide() -> None:
            newest = 0
            while not stop.is_set():
                pinned = engine.pinned()
                if not may_read(pinned, pinned.revision) or pinned.revision < newest:
                    failures.append(pinned.revision)
                newest = pinned.revision

        threads = [threading.Thread(target=decide) for _ in range(4)]
        for one in threads:
            one.start()
        for number in range(5):
            server.commit(as_bundle=number % 3 == 0)
            revision = server.history.revision
            assert wait_until(lambda revision=revision: engine.revision >= revision)
        stop.set()
        for one in threads:
            one.join()
    assert failures == []


def mapped_bundles() -> int:
    """The bundles that this process has mapped."""
    found = re.findall(
        r"^([0-9a-f]+)-.* \S*(?:\.bundle|\.unfinished)", Path("/proc/self/maps").read_text(), re.MULTILINE
    )
    return len(found)


def test_one_bundle_stays_mapped(server: Upstream) -> None:
    """The memory of the earlier ones is free after a swap."""
    gc.collect()
    before = mapped_bundles()
    with follow(server.url, environment="prod", keys=PEM, token="token") as following:
        for _ in range(5):
            server.commit(as_bundle=True)
            revision = server.history.revision
            assert wait_until(lambda revision=revision: following.engine.revision == revision), following.status()
        assert wait_until(lambda: mapped_bundles() - before <= 1)


# -- files and folders


def test_a_bundle_file_is_followed(history: History, tmp_path: Path) -> None:
    """Signed, or expressly unsigned. A bad file changes nothing, and the next good one counts."""
    path, errors = history.write(tmp_path / "prod.bundle"), []
    for options in ({"keys": [PEM], "environment": "prod"}, {"unsigned": True}):
        history = History(revision=1)
        history.issued, history.lifetime = int(time.time()), 3_600
        history.write(path)
        told = lambda status: errors.append(status.error)  # noqa: E731 - a line
        with follow(path, **options, poll_seconds=0.02, on_error=told) as following:
            assert revision_of(following.engine) == 1
            path.with_suffix(".bad").write_bytes(b"no bundle")
            path.with_suffix(".bad").replace(path)
            assert wait_until(lambda: "this is not a Writ bundle" in str(following.status().error))
            assert revision_of(following.engine) == 1
            history.commit()
            history.compact()
            history.write(path)
            assert wait_until(lambda: following.engine.revision == 2)
    assert errors


def test_a_file_that_is_followed_may_be_overwritten_with_a_state(history: History, tmp_path: Path) -> None:
    """The state directory has a copy."""
    path = history.write(tmp_path / "prod.bundle")
    with follow(path, keys=PEM, environment="prod", state=tmp_path / "state", poll_seconds=0.02) as following:
        path.write_bytes(b"overwritten in place")
        assert wait_until(lambda: following.status().error)
        assert revision_of(following.engine) == 1
    with follow(path, keys=PEM, environment="prod", state=tmp_path / "state") as following:
        assert revision_of(following.engine) == 1


def test_a_published_folder_is_followed(history: History, tmp_path: Path) -> None:
    """By its path, or by the URL of its index."""
    folder = Folder(history, str(tmp_path / "published"))
    for source in (tmp_path / "published", f"file://{tmp_path}/published/writ-index.jws"):
        with follow(source, environment="prod", keys=PEM, poll_seconds=0.02) as following:
            history.commit()
            folder.publish()
            assert wait_until(lambda: following.engine.revision == history.revision)


# -- mistakes


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ("a.bundle", {}, "`unsigned=True`"),
        ("https://writ.example", {"environment": "prod"}, "the text of a PEM"),
        ("https://writ.example", {"environment": "prod", "unsigned": True}, "only a bundle file may be unsigned"),
        ("https://writ.example", {"keys": PEM}, "give `environment`"),
        ("s3://bucket/prod", {"keys": PEM}, "give `environment`"),
        ("s3://bucket/prod", {"keys": PEM, "environment": "prod", "token": "t"}, "only a server takes a token"),
        ("https://writ.example", {"keys": "prod.pem", "environment": "prod"}, "give its text"),
        ("a.bundle", {"keys": PEM, "unsigned": True}, "not both"),
        ("https://writ.example?a=b", {"keys": PEM, "environment": "prod"}, "the URL of the upstream"),
        (
            "https://writ.example",
            {"keys": PEM, "environment": "prod", "token": "t", "token_file": "f"},
            "give `token` or `token_file`",
        ),
    ],
)
def test_parameters_that_do_not_fit(source: str, options: dict[str, Any], said: str) -> None:
    """The message names the remedy."""
    with pytest.raises(ValueError, match=re.escape(said)):
        follow(source, **options)


def test_nothing_in_force_in_time_is_an_error(server: Upstream, tmp_path: Path) -> None:
    """With the reason. Without a wait, the engine says so."""
    options: dict[str, Any] = {"environment": "prod", "token": "token", "keys": public_pem(OTHER_KEY)}
    with pytest.raises(writ.FollowError, match="not one of the given keys"):
        follow(server.url, **options, wait_ready=0.3)
    with (
        follow(server.url, **options, wait_ready=None) as following,
        pytest.raises(writ.FollowError, match="nothing is in force yet"),
    ):
        _ = following.engine
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        follow(server.url, **options, state=tmp_path / "file")


def test_a_stale_engine_is_refused_if_the_application_says_so(server: Upstream) -> None:
    """It is still there for who keeps it."""
    with follow(server.url, environment="prod", keys=PEM, token="token", max_staleness=0.3) as following:
        engine = following.engine
        server.fault = lambda handler: handler.refuse(500, "down") is None
        server.commit()
        assert wait_until(lambda: following.status().is_stale)
        with pytest.raises(writ.FollowError, match="stale"):
            _ = following.engine
        assert revision_of(engine) in (1, 2)


def test_a_callback_that_fails_does_not_end_the_following(server: Upstream, caplog: pytest.LogCaptureFixture) -> None:
    """The log has its traceback."""

    def broken(_: object) -> None:
        raise RuntimeError("a mistake of the application")

    with follow(server.url, environment="prod", keys=PEM, token="token", on_change=broken) as following:
        server.commit()
        assert wait_until(lambda: following.engine.revision == 2)
    assert "a mistake of the application" in caplog.text


# -- asyncio and forks


def test_an_event_loop_is_not_held_up(server: Upstream) -> None:
    """Callbacks run in it, coroutines too."""
    seen: list[tuple[str, int | None, bool]] = []

    async def coroutine(status: writ.Status) -> None:
        await rounds()
        seen.append(("error", status.revision, threading.current_thread() is threading.main_thread()))

    def plain(status: writ.Status) -> None:
        seen.append(("change", status.revision, threading.current_thread() is threading.main_thread()))

    async def application() -> None:
        options: dict[str, Any] = {"environment": "prod", "keys": PEM, "token": "token"}
        async with writ.follow_async(server.url, **options, on_change=plain, on_error=coroutine) as following:
            assert revision_of(following.engine) == 1
            server.commit()
            assert await until(lambda: ("change", 2, True) in seen)
            server.credential = "another"
            server.commit()
            # a question that waits may still get the change
            assert await until(lambda: "error" in {what for what, _, _ in seen})

    asyncio.run(application())
    assert {on_main for _, _, on_main in seen} == {True}


def in_child(act: Callable[[], object]) -> int:
    """The exit code of a forked process that acts."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if act() else 2
        finally:
            os._exit(code)
    return child


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("with_state", [True, False])
def test_forked_processes_follow_too(server: Upstream, tmp_path: Path, with_state: bool) -> None:
    """A server that loads the application before it forks its workers, as gunicorn does with `--preload`."""
    options: dict[str, Any] = {"state": tmp_path / "state"} if with_state else {}
    follows = multiprocessing.get_context("fork").Semaphore(0)
    with follow(server.url, environment="prod", keys=PEM, token="token", **options) as following:
        engine = following.engine

        def worker() -> bool:
            same = following.engine is engine
            follows.release()
            return (
                same and bool(wait_until(lambda: engine.revision == 3)) and following.status().leads is not with_state
            )

        children = [in_child(worker) for _ in range(2)]
        for _ in children:
            assert follows.acquire(timeout=PATIENCE_SECONDS)
        server.commit(2)
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
        assert wait_until(lambda: engine.revision == 3)
        server.commit()
        assert wait_until(lambda: engine.revision == 4)
    if with_state:
        assert in_child_ends(lambda: follow_again(server, options)) == 0


def in_child_ends(act: Callable[[], object]) -> int:
    return os.waitpid(in_child(act), 0)[1]


def follow_again(server: Upstream, options: dict[str, Any]) -> bool:
    """The lock of the state directory is free, though forked processes had it open."""
    with follow(server.url, environment="prod", keys=PEM, token="token", **options) as following:
        return following.status().leads and revision_of(following.engine) == 4


def test_an_engine_that_follows_may_be_strict(tmp_path: Path) -> None:
    """E8: over a new bundle too, which does not ask for that itself."""
    types: list[dict[str, Any]] = [{"id": "document", "actions": ["read"]}]
    path = bundle_file({"resource_types": types}, tmp_path / "model.bundle")
    slip = QUESTION | {"action": {"name": "raed"}}
    with writ.follow(path, unsigned=True, poll_seconds=0.05, strict=True) as following:
        with pytest.raises(writ.BadRequest, match="declares no action `raed`"):
            following.engine.decide(slip)
        types[0]["actions"] = ["raed", "read"]
        bundle_file({"resource_types": types}, tmp_path / "next").replace(path)

        def is_declared() -> bool:
            try:
                return following.engine.decide(slip)["decision"] is False
            except writ.BadRequest:
                return False

        assert wait_until(is_declared)
        with pytest.raises(writ.BadRequest, match="has no member `contxt`"):
            following.engine.decide(slip | {"contxt": {}})


def test_an_engine_that_follows_counts_for_rate_limits(tmp_path: Path) -> None:
    """C10: over a new bundle too, and only with counters."""
    rate = {"rate_limit": {"limit": 2, "window_seconds": 3_600}}
    reads = {"resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
    policies = [{"id": "p", "effect": "ALLOW", "conditions": rate, **reads}]
    types = [{"id": "document", "actions": ["read"]}]
    path = bundle_file({"resource_types": types, "policies": policies}, tmp_path / "model.bundle")
    asked = ("user", "alice", "read", "document", "d1")
    options: dict[str, Any] = {"unsigned": True, "poll_seconds": 0.05}
    with writ.follow(path, **options, counters=writ.RateCounters()) as following:
        assert [following.engine.allowed(*asked) for _ in range(3)] == [True, True, False]
        policies[0]["name"] = "another model"
        bundle_file({"resource_types": types, "policies": policies}, tmp_path / "next").replace(path)
        assert wait_until(lambda: "another" in following.engine.decide(QUESTION)["context"]["reason"])
        assert not following.engine.allowed(*asked)
    with writ.follow(path, **options) as following:
        assert not following.engine.allowed(*asked)


def token_at(history: History, revision: int, epoch: int | None = None) -> str:
    """The revision token of a write at the source."""
    return f"{history.environment.uuid}.{history.epoch if epoch is None else epoch}.{revision}"


@contextmanager
def waited_for(following: Following, token: str) -> Iterator[Future[Engine]]:
    """A thread waits for a revision, far longer than any test takes."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(following.wait, token, 60 * FOREVER)
        assert wait_until(lambda: all(is_waiting(thread) for thread in pool._threads))
        yield waiting


def test_an_application_waits_for_its_write(server: Upstream, history: History) -> None:
    """A question after a confirmed write is decided with it. The wait ends when the revision comes, not later."""
    with writ.follow(server.url, environment="prod", keys=PEM, token="token") as following:
        assert following.wait(token_at(history, 1), 0) is following.engine
        assert not following.has(token_at(history, 2))
        with pytest.raises(writ.FollowError, match=r"not in force after 0\.05 seconds"):
            following.wait(token_at(history, 2), 0.05)
        for revision in (2, 3, 4):
            with waited_for(following, token_at(history, revision)) as waiting:
                server.commit()
                assert may_read(waiting.result(PATIENCE_SECONDS), revision)
        with pytest.raises(writ.FollowError, match="no revision token"):
            following.wait("1", 5)
        with pytest.raises(writ.FollowError, match="another environment"):
            following.wait("0" * 8 + token_at(history, 1)[8:], 5)
    with pytest.raises(writ.FollowError, match="closed"):
        following.wait(token_at(history, 1), 5)


def test_a_call_that_changed_nothing_waits_for_nothing(server: Upstream) -> None:
    """`changes.revision` of the second click on unshare is None."""
    with writ.follow(server.url, environment="prod", keys=PEM, token="token") as following:
        assert following.wait(None, timeout=1) is following.engine
        assert following.wait(None) is following.engine
    with pytest.raises(writ.FollowError, match="closed"):
        following.wait(None)

    async def main() -> None:
        async with writ.follow_async(server.url, environment="prod", keys=PEM, token="token") as following:
            assert await following.wait(None) is following.engine

    asyncio.run(main())


def test_a_coroutine_waits_for_its_write(server: Upstream, history: History) -> None:
    """The event loop goes on meanwhile."""

    async def main() -> None:
        async with writ.follow_async(server.url, environment="prod", keys=PEM, token="token") as following:
            with pytest.raises(writ.FollowError, match="not in force"):
                await following.wait(token_at(history, 2), 0.05)
            waiting = [asyncio.create_task(following.wait(token_at(history, 2), FOREVER)) for _ in range(100)]
            await rounds(2)
            assert not any(one.done() for one in waiting)
            server.commit()
            for engine in await asyncio.gather(*waiting):
                assert may_read(engine, 2)
            assert following.status().revision == 2

    asyncio.run(main())


def test_closing_ends_a_wait(server: Upstream, history: History) -> None:
    following = follow(server.url, environment="prod", keys=PEM, token="token")
    with waited_for(following, token_at(history, 2)) as waiting:
        following.close()
        with pytest.raises(writ.FollowError, match="closed"):
            waiting.result(PATIENCE_SECONDS)


def test_a_token_of_an_earlier_epoch_is_never_reached(server: Upstream, history: History) -> None:
    """A later epoch may still come."""
    with writ.follow(server.url, environment="prod", keys=PEM, token="token") as following:
        assert not following.has(token_at(history, 1, history.epoch + 1))
        if history.epoch:
            with pytest.raises(writ.FollowError, match="a backup was restored"):
                following.wait(token_at(history, 1, history.epoch - 1), 5)
