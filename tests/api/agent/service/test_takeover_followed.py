"""A machine that took over, as agents and clients see it: they follow it, and refuse the old one if it comes back."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from writ.client import Client, Refused

from tests.api.agent.service.test_agent import ROLES, Edge, ask, question
from tests.support.command import writ
from tests.support.ports import free_port
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.agent

REFUSED: Final = "epoch 1 and revision"
"""An agent logs that it refuses what has this epoch."""

KEYS: Final = ("keys", "bundle-keys", "audit-keys", "admin-key.sha256")


@contextmanager
def at_the_address(directory: Path, port: int) -> Iterator[Server]:
    """A service at the address that agents and clients know."""
    with running(directory, "--bind", f"127.0.0.1:{port}") as server:
        yield server


def assign(server: Server, subject: str) -> str:
    """Let a user read. Returns the token of the revision."""
    body = {"role": "reader", "subject": {"type": "user", "id": subject}}
    with server.client() as client:
        made = client.post("/v1/environments/default/assignments", json=body).raise_for_status()
    return made.headers["writ-revision"]


def epoch_of(token: str) -> int:
    return int(token.split(".")[1])


def is_allowed(server: Server, subject: str) -> bool:
    found: Any = ask(server, subject).json()
    return bool(found["decision"])


def test_agents_and_clients_follow_the_new_machine_and_never_go_back(tmp_path: Path) -> None:
    port, old, new = free_port(), tmp_path / "data", tmp_path / "new"
    with at_the_address(old, port) as service:
        edge = Edge(service, tmp_path, ROLES)
        copied = edge.assign("copied")
        assert writ("backup", tmp_path / "copy.db", "--data", old).returncode == 0
        lost = edge.assign("lost")
        edge.http.close()
        service.stop()
    new.mkdir(mode=0o700)
    for name in KEYS:
        (shutil.copytree if (old / name).is_dir() else shutil.copy2)(old / name, new / name)
    taken = writ("takeover", tmp_path / "copy.db", "--data", new)
    assert taken.returncode == 0, taken.stderr.decode()

    with at_the_address(new, port) as service, edge.agent() as agent:
        after = assign(service, "after")
        assert epoch_of(after) > epoch_of(lost) == epoch_of(copied)
        assert wait_until(lambda: is_allowed(agent, "after")) is True
        assert (is_allowed(agent, "copied"), is_allowed(agent, "lost")) == (True, False)
        service.stop()

        with at_the_address(old, port) as back:
            assign(back, "again")
            assert wait_until(lambda: REFUSED in agent.log)
            assert is_allowed(back, "again")
            found = [is_allowed(agent, subject) for subject in ("after", "lost", "again")]
            assert found == [True, False, False], "the agent never goes back"
            refused = ask(back, "after", **{"Writ-Min-Revision": after})
            assert (refused.status_code, refused.json()["details"][0]["code"]) == (409, "later-epoch")
            with Client(back.url, token=KEY) as client:
                client.revision = after
                with pytest.raises(Refused, match="another service has taken over"):
                    client.decide(question("again"))
                assert client.allowed("user", "again", "read", "document", "d1") is False
                assert client.revision == after, "it is not forgotten"
