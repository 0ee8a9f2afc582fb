"""The administrator's key rotates while a service runs: by a command, or by the file that supplies it."""

import json
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from tests.support.command import writ
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

OLD, NEW = "fedcba9876543210" * 2, "0123456789abcdef" * 2
ITS_OWN = {"WRIT_ADMIN_KEY": ""}


def statuses(client: httpx.Client, key: str) -> set[int]:
    """From connections of their own, so that every worker is asked."""
    headers = {"Authorization": f"Bearer {key}", "Connection": "close"}
    return {client.get("/v1/audit?limit=1", headers=headers).status_code for _ in range(8)}


def fingerprint(key: str) -> str:
    return sha256(key.encode()).hexdigest()[:8]


def rotated(data: Path, *options: str) -> str:
    done = writ("admin-key", "rotate", *options, "--data", data, settings=ITS_OWN)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def entries(client: httpx.Client, key: str, event: str) -> list[tuple[str, object]]:
    found = client.get(f"/v1/audit?event={event}", headers={"Authorization": f"Bearer {key}"}).json()["items"]
    return [(one["actor"], one["details"]) for one in found]


def secrets_in(data: Path, server: Server, keys: list[str]) -> list[tuple[str, str]]:
    texts = {"log": server.log} | {
        str(file.relative_to(data)): file.read_bytes().decode("latin-1") for file in data.rglob("*") if file.is_file()
    }
    return [(name, key) for name, text in texts.items() for key in keys if key in text]


def test_a_key_rotates_on_every_worker_with_an_overlap_that_a_command_ends(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, settings=ITS_OWN, workers=2) as server:
        old = server.key = (data / "admin-key").read_text().strip()
        with server.client() as client:
            assert statuses(client, old) == {200}
            new = rotated(data, "--overlap", "86400")
            assert (statuses(client, old), statuses(client, new)) == ({200}, {200})
            made = client.post("/v1/api-keys", json={"name": "by the old one", "scopes": ["read"]})
            assert made.status_code == 201
            shown = writ("admin-key", "--data", data, settings=ITS_OWN).stdout.decode().splitlines()
            assert [line.split(" ")[:2] for line in shown] == [
                [fingerprint(new), "without"],
                [fingerprint(old), "until"],
            ]
            assert writ("admin-key", "end-old", "--data", data, settings=ITS_OWN).returncode == 0
            assert (statuses(client, old), statuses(client, new)) == ({401}, {200})
            newest = rotated(data)
            assert (statuses(client, new), statuses(client, newest)) == ({401}, {200})
            assert [actor for actor, _ in entries(client, newest, "api_key.created")] == [
                f"admin-key:{fingerprint(old)}"
            ]
            told = entries(client, newest, "admin_key.set")
        assert not (data / "admin-key").exists(), "it would be taken for one that is valid"
        assert secrets_in(data, server, [old, new, newest]) == []
    assert [actor.partition(":")[0] for actor, _ in told] == ["os", "os", "os", "service"]
    assert told[0][1] == {"keys": [{"key": fingerprint(newest), "until": None}]}
    for key in (old, new, newest):
        assert key not in json.dumps(told)


def test_a_file_of_keys_is_followed_and_none_counts_while_it_can_t_be_used(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "keys"
    file.write_text(f"{OLD}\n")
    settings = ITS_OWN | {"WRIT_ADMIN_KEY_FILE": str(file)}
    with running(data, settings=settings, workers=2) as server, server.client() as client:
        assert (statuses(client, OLD), statuses(client, NEW)) == ({200}, {401})
        file.write_text(f"{NEW}\n{OLD} until 2999-01-01T00:00:00Z\n")
        assert wait_until(lambda: statuses(client, NEW) == {200})
        assert statuses(client, OLD) == {200}
        file.write_text(f"{NEW}\n{OLD} until 2020-01-01T00:00:00Z\n")
        assert wait_until(lambda: statuses(client, OLD) == {401})
        assert statuses(client, NEW) == {200}
        # A key that is gone counts no more before the process that records it has seen the file.
        assert wait_until(lambda: len(entries(client, NEW, "admin_key.set")) >= 3)
        file.write_text("")
        assert wait_until(lambda: statuses(client, NEW) == {401})
        assert wait_until(lambda: "the administrator's keys can't be followed" in server.log)
        assert httpx.get(f"{server.url}/readyz").status_code == 200
        file.write_text(f"{NEW}\n")
        assert wait_until(lambda: statuses(client, NEW) == {200})
        assert wait_until(lambda: len(entries(client, NEW, "admin_key.set")) >= 4)
        last = entries(client, NEW, "admin_key.set")[0]
        assert last == ("service", {"keys": [{"key": fingerprint(NEW), "until": None}]})
        refused = writ("admin-key", "rotate", "--data", data, settings=ITS_OWN)
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert b"gets its administrator's key from" in refused.stderr
        assert secrets_in(data, server, [OLD, NEW]) == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"WRIT_ADMIN_KEY": KEY, "WRIT_ADMIN_KEY_FILE": "keys"}, b"both set"),
        ({"WRIT_ADMIN_KEY": "", "WRIT_ADMIN_KEY_FILE": "keys"}, b"can't be read: no such file"),
    ],
)
def test_a_service_does_not_start_without_the_key_that_it_is_to_have(
    tmp_path: Path, settings: dict[str, str], said: bytes
) -> None:
    done = writ("serve", "--data", tmp_path / "data", "--bind", "127.0.0.1:0", settings=settings)
    assert done.returncode == 2
    assert said in done.stderr


def test_nothing_is_rotated_where_nothing_is(tmp_path: Path) -> None:
    for asked in ((), ("rotate",), ("end-old",)):
        done = writ("admin-key", *asked, "--data", tmp_path / "data", settings=ITS_OWN)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"has no store" in done.stderr
