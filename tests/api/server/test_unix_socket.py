"""A service on a Unix socket, for a proxy or an application on the same machine."""

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from writ.api.server.listening import CannotListen, bound_socket, shown_address, start_listening

from tests.api.conftest import ALLOWED
from tests.support.server import KEY, command, environment
from tests.support.waiting import wait_until

WEB = 33_333
"""A group that the tests are not in."""


@contextmanager
def serving(path: Path, model_file: Path) -> Iterator[httpx.Client]:
    line = command("serve", "--data", str(path.parent / "data"), "--import", str(model_file), "--bind", f"unix:{path}")
    with (path.parent / "log").open("wb") as log:
        process = subprocess.Popen(line, stdout=log, stderr=log, env=environment({"WRIT_ADMIN_KEY": KEY}))
    transport = httpx.HTTPTransport(uds=str(path))
    headers = {"Authorization": f"Bearer {KEY}"}
    with httpx.Client(transport=transport, headers=headers, base_url="http://localhost") as client:
        try:
            assert wait_until(lambda: _listens(path) or process.poll() is not None) is True
            yield client
        finally:
            process.terminate()
            assert process.wait(30) == 0


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0


def test_it_answers_and_leaves_no_file_behind(tmp_path: Path, model_file: Path) -> None:
    path = tmp_path / "writ.sock"
    with serving(path, model_file) as client:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        assert client.post("/access/v1/evaluation", json=ALLOWED).json()["decision"] is True
        assert client.get("/v1/environments").status_code == 200
        assert client.post("/access/v1/evaluation", json=ALLOWED, headers={"Authorization": ""}).status_code == 401
        assert f"Writ decides at unix:{path} from" in (tmp_path / "log").read_text()
    assert not path.exists()


def test_a_gateway_on_the_socket_is_believed_if_the_settings_say_so(tmp_path: Path, model_file: Path) -> None:
    """`unix` stands for every peer on the socket. No address does."""
    asked = {"X-Original-Method": "GET", "X-Original-URI": "/reports/r1", "X-Writ-Subject": "user:alice"}
    model = {
        "model": 1,
        "resource_types": [{"id": "http", "actions": ["get"]}],
        "policies": [
            {
                "id": "all",
                "effect": "ALLOW",
                "resource_types": [{"resource_type_id": "http", "actions": ["get"]}],
                "conditions": {"resource_attrs": [{"key": "path", "op": "eq", "value": "/reports/r1"}]},
            }
        ],
    }
    with serving(tmp_path / "writ.sock", model_file) as client:
        client.post("/v1/environments", json={"id": "web"}).raise_for_status()
        client.put("/v1/environments/web/model", json=model).raise_for_status()
        for trusted, status in ((["unix"], 200), ([], 403), (["127.0.0.0/8", "::1"], 403)):
            settings = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": trusted}
            client.put("/v1/environments/web/gateway", json=settings).raise_for_status()
            answer = client.get(
                "/environments/web/gateway/nginx", headers=asked | {"X-Writ-Authorization": f"Bearer {KEY}"}
            )
            assert answer.status_code == status, trusted


def test_a_socket_that_is_served_is_not_taken(tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 's'}"
    with bound_socket(address) as listener:
        start_listening(listener)
        assert shown_address(listener) == address
        with pytest.raises(CannotListen, match="is already in use"):
            bound_socket(address)
    with bound_socket(address) as listener:  # what a service left behind that was killed
        assert shown_address(listener) == address


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another group")
def test_the_group_of_a_shared_folder_may_connect(tmp_path: Path) -> None:
    """The set-group-ID bit of the folder says so: without it, the socket is for its owner alone."""
    for mode, expected in ((0o2750, (WEB, 0o660)), (0o750, (os.getgid(), 0o700))):
        folder = tmp_path / f"{mode:o}"
        folder.mkdir()
        os.chown(folder, -1, WEB)
        folder.chmod(mode)
        before = os.umask(0o077)  # that of `writ serve`
        try:
            bound_socket(f"unix:{folder / 's'}").close()
        finally:
            os.umask(before)
        found = (folder / "s").stat()
        assert (found.st_gid, stat.S_IMODE(found.st_mode)) == expected


def test_a_file_that_is_no_socket_stays(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("mine")
    for address in (f"unix:{tmp_path / 's'}", f"unix:{tmp_path / 'none' / 's'}", "unix:" + "x" * 200):
        with pytest.raises(CannotListen):
            bound_socket(address)
    assert (tmp_path / "s").read_text() == "mine"
