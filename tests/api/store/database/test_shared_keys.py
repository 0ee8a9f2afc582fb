"""What servers on one database share: secrets that one of them made, and the ids of the keys of each."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.api.store.database.postgresql.connections import folder_id
from writ.api.store.database.postgresql.shared_keys import LIVE_SECONDS, HeldKey, OtherServer, SharedKeys
from writ.api.store.store import Store

from tests.support.store_engines import Engine, empty_schema

pytestmark = pytest.mark.postgresql

OLD, NEW = HeldKey("token", "old", signs=False), HeldKey("token", "new", signs=True)


@pytest.fixture
def servers(postgresql: str, tmp_path: Path) -> Iterator[list[Store]]:
    """Three servers on one database."""
    with empty_schema(postgresql) as database:
        stores = [database.open(tmp_path / name) for name in ("one", "two", "three")]
        yield stores
        for store in stores:
            store.close()
            store.watch.close()


@pytest.fixture
def shared(servers: list[Store]) -> list[SharedKeys]:
    return [store.shared_keys for store in servers]


def make_old(store: Store) -> None:
    """Every server's last word was `LIVE_SECONDS` ago."""
    with store._connections.writing() as db:
        db.execute("UPDATE server_keys SET seen = seen - ?", (LIVE_SECONDS,))


def test_a_store_in_a_file_shares_nothing(tmp_path: Path) -> None:
    assert Engine(None).open(tmp_path).shared_keys is None


def test_servers_that_ask_at_once_get_one_secret(shared: list[SharedKeys]) -> None:
    found = list[bytes]()
    threads = [threading.Thread(target=lambda one=one: found.append(one.secret("a"))) for one in shared * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 9
    assert len(set(found)) == 1
    assert len(found[0]) == 32
    assert shared[0].secret("b") != found[0]


def test_each_server_sees_the_keys_of_the_others(shared: list[SharedKeys]) -> None:
    one, two, three = shared
    assert one.register("one", [OLD, NEW]) == []
    assert two.register("two", [OLD]) == [OtherServer("one", True, frozenset({OLD, NEW}))]
    assert three.register("three", []) == [
        OtherServer(name, True, keys) for name, keys in sorted_as_stored(one, two)
    ]  # by the ids of their folders
    assert one.register("one", [NEW]) == [OtherServer("two", True, frozenset({OLD}))]
    assert two.register("two", [OLD]) == [OtherServer("one", True, frozenset({NEW}))]


def sorted_as_stored(one: SharedKeys, two: SharedKeys) -> list[tuple[str, frozenset[HeldKey]]]:
    """The names and keys of the first two servers, in the order of a reading."""
    found = {one: ("one", frozenset({OLD, NEW})), two: ("two", frozenset({OLD}))}
    return [found[shared] for shared in sorted(found, key=lambda shared: shared._connections.folder)]


def test_a_server_that_is_refused_registers_nothing(shared: list[SharedKeys]) -> None:
    one, two, _ = shared
    one.register("one", [OLD])

    def refuse(_others: object) -> None:
        raise PermissionError

    with pytest.raises(PermissionError):
        one.register("one", [NEW], refuse)
    with pytest.raises(PermissionError):
        two.register("two", [NEW], refuse)
    assert two.register("two", []) == [OtherServer("one", True, frozenset({OLD}))]


def test_a_server_that_left_or_is_silent_has_ended(servers: list[Store], shared: list[SharedKeys]) -> None:
    one, two, three = shared
    one.register("one", [OLD])
    one.leave()
    assert two.register("two", [NEW]) == [OtherServer("one", False, frozenset({OLD}))]
    assert three.register("three", []) == [OtherServer("two", True, frozenset({NEW}))], "the first is forgotten"
    make_old(servers[0])
    assert three.register("three", []) == [OtherServer("two", False, frozenset({NEW}))]


def test_a_copy_of_a_data_directory_is_another_server(servers: list[Store], shared: list[SharedKeys]) -> None:
    """Such as that of a cloned machine: it must not replace the keys of the original, nor hide its own from it."""
    original = servers[0]._connections.directory
    copy = original.with_name("copy")
    shutil.copytree(original, copy)
    assert folder_id(copy) != folder_id(original) == servers[0]._connections.folder
    shared[0].register("one", [OLD])
    servers[1]._connections.folder = folder_id(copy)
    assert shared[1].register("copy", [OLD]) == [OtherServer("one", True, frozenset({OLD}))]
    assert shared[0].register("one", [OLD]) == [OtherServer("copy", True, frozenset({OLD}))]
