"""The actor of a command: the user of the operating system, whatever the environment and the user's name say."""

import os
import pwd
from contextlib import closing
from types import SimpleNamespace

import pytest
from writ.api.store.actor import ADMIN_KEY, Actor, command_actor
from writ.api.store.credentials.makers import refuse_approver
from writ.api.store.errors import NotPermitted
from writ.api.store.store import Store


def running_as(monkeypatch: pytest.MonkeyPatch, user: int, name: str | None) -> None:
    def found(_user: int) -> object:
        if name is None:
            raise KeyError
        return SimpleNamespace(pw_name=name)

    monkeypatch.setattr(os, "getuid", lambda: user)
    monkeypatch.setattr(pwd, "getpwuid", found)


@pytest.mark.parametrize(
    ("user", "name", "environment", "actor"),
    [
        (1000, "alice", {"USER": "root", "LOGNAME": "root", "SUDO_USER": "root"}, "os:alice"),
        (1000, "alice.b@example.com", {}, "os:alice.b@example.com"),
        (1000, "CORP\\alice", {}, "os:CORP\\alice"),
        (1000, None, {"USER": "alice"}, "os:uid=1000"),
        (1000, "", {}, "os:uid=1000"),
        (1000, "root sudo:alice", {}, "os:uid=1000"),
        (1000, "alice\u202e", {}, "os:uid=1000"),
        (1000, "\u0430lice", {}, "os:uid=1000"),
        (1000, "alice\nadmin-key", {}, "os:uid=1000"),
        (1000, "a" * 65, {}, "os:uid=1000"),
        (0, "root", {}, "os:root"),
        (0, "root", {"SUDO_USER": "alice"}, "os:root sudo:alice"),
        (0, "root", {"SUDO_USER": "alice\nadmin-key"}, "os:root"),
        (0, "root", {"SUDO_USER": "alice sudo:bob"}, "os:root"),
    ],
)
def test_a_command_is_its_user_s(
    monkeypatch: pytest.MonkeyPatch, user: int, name: str | None, environment: dict[str, str], actor: str
) -> None:
    running_as(monkeypatch, user, name)
    assert command_actor(environment).name == actor


@pytest.mark.parametrize(
    ("requester", "approver"),
    [
        (ADMIN_KEY, "admin-key:0a1b2c3d"),
        ("admin-key:0a1b2c3d", ADMIN_KEY),
        ("admin-key:0a1b2c3d", "admin-key:4e5f6071"),
        ("os:alice", "os:bob"),
        ("os:root", "os:root sudo:bob"),
        ("command line", "os:alice"),
    ],
)
def test_two_keys_of_the_administrator_and_two_users_of_a_store_are_no_two_people(
    store: Store, requester: str, approver: str
) -> None:
    with closing(store.new_connection()) as db, pytest.raises(NotPermitted, match=r"another credential must approve"):
        refuse_approver(db, Actor(approver), requester)
