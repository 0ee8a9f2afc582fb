"""`writ serve` as an operator meets it: what it needs, says, keeps and refuses."""

import json
import logging
import os
import pty
import re
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
from collections.abc import Mapping
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import httpx
import pytest
from writ.api.cli.demo import demo_questions
from writ.api.engines.live.data_directory import LOCK_SECONDS
from writ.api.service.start import opened_store
from writ.api.settings.settings import settings_from
from writ.api.store.database.commit_signal import SUFFIX
from writ.api.store.store import Store
from writ.api.telemetry.metrics.counts import Counts

from tests.api.conftest import ALLOWED
from tests.support.command import writ
from tests.support.forks import Forked, Line
from tests.support.next_format import newer_program
from tests.support.processes import children
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, command, environment, hide_modules, running
from tests.support.waiting import wait_until

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
BODY = json.dumps(ALLOWED).encode()


SOON = {"writ.api.engines.live.data_directory.LOCK_SECONDS": 0.5}
"""A start waits half a second for a directory that is in use, instead of five."""


def refused(*arguments: str, settings: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Exit code and messages of a start that must not succeed."""
    settings = {"WRIT_ADMIN_KEY": KEY, **(settings or {})}
    ended = writ("serve", "--bind", "127.0.0.1:0", *arguments, settings=settings, constants=SOON)
    message = ended.stderr.decode()
    assert ended.stdout == b""
    assert "Traceback" not in message
    return ended.returncode, message


def imported(data: Path, model_file: Path) -> None:
    """A data directory with a model, on which nothing runs."""
    assert writ("import", model_file, "--data", data, settings={"WRIT_ADMIN_KEY": KEY}).returncode == 0


def ask(server: Server, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.post(server.url + SINGLE, json=ALLOWED, headers=headers).status_code


# -- what it serves


def test_without_a_model_everything_is_denied(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server, server.client() as client:
        answer = client.post(SINGLE, json=ALLOWED).json()
    assert (answer["decision"], answer["context"]["reason_code"]) == (False, "NO_POLICY_MATCH")


def test_a_store_in_a_file_needs_no_driver_of_a_database(tmp_path: Path, model_file: Path) -> None:
    """An installation without the extra `postgres` serves, compacts and has its commands; a database is refused."""
    hidden = hide_modules(tmp_path / "hidden", "psycopg")
    with running(tmp_path / "data", "--import", str(model_file), path=(hidden,)) as server, server.client() as client:
        model = {"model": 1, "roles": [{"id": "r"}]}
        assert client.put("/v1/environments/default/model", json=model, headers={"If-Match": "*"}).status_code == 200
    variables = environment({"WRIT_STORE": "postgresql://writ@localhost/writ"}, (hidden,))
    for words in (("serve",), ("export",)):
        line = command(*words, "--data", str(tmp_path / "other"))
        done = subprocess.run(line, env=variables, capture_output=True, text=True, cwd=tmp_path, timeout=60)
        assert done.returncode == 2
        assert "needs psycopg: install `writ-pdp[postgres]`" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_later_start_serves_what_was_imported(tmp_path: Path, model_file: Path) -> None:
    for arguments in (["--import", str(model_file)], []):
        with running(tmp_path / "data", *arguments) as server, server.client() as client:
            assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True


def test_a_start_that_is_refused_leaves_the_model_that_is_there(tmp_path: Path, model_file: Path) -> None:
    imported(tmp_path / "data", model_file)
    code, said = refused("--data", str(tmp_path / "data"), "--demo", settings={"WRIT_ADMIN_KEY": "short"})
    assert (code, "at least 32" in said) == (2, True)
    with running(tmp_path / "data") as server, server.client() as client:
        assert client.get("/readyz").json()["revision"] == 1
        assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True


def test_several_files_are_one_model(tmp_path: Path, model_file: Path) -> None:
    more = tmp_path / "more.yaml"
    more.write_text(
        "model: 1\ngrants:\n- {id: g2, subject: {type: user, id: eve}, resource: {type: document, id: d1},"
        " actions: [update]}\n"
    )
    eve = ALLOWED | {"subject": {"type": "user", "id": "eve"}, "action": {"name": "update"}}
    imports = ["--import", str(model_file), "--import", str(more)]
    with running(tmp_path / "data", *imports) as server, server.client() as client:
        assert client.post(SINGLE, json=eve).json()["context"]["policy_id"] == "g2"


def test_the_demo_answers_its_questions_and_its_example_runs(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--demo") as server:
        with server.client() as client:
            for question in demo_questions():
                answer = client.post(SINGLE, json=question.request).json()
                assert (answer["decision"], answer["context"]["reason_code"]) == (
                    question.decision,
                    question.reason_code,
                ), question.title
        assert httpx.get(f"{server.url}/console/").status_code == 200
        assert f"  {server.url}/console/\n" in server.log
        example = server.log[server.log.index("  curl") :]
        if shutil.which("curl"):
            ended = subprocess.run(
                ["sh", "-c", example[: example.index("}'") + 2]],
                capture_output=True,
                text=True,
                env=environment({"WRIT_ADMIN_KEY": KEY}),
                check=True,
            )
            answer = json.loads(ended.stdout)
            assert answer["decision"] is True
            assert answer["context"]["explanation"]["candidates"]


def test_limits_come_from_the_environment(tmp_path: Path) -> None:
    settings = {"WRIT_MAX_BATCH_ITEMS": "2", "WRIT_MAX_BODY_BYTES": "300", "WRIT_IDLE_SECOND": "9"}
    with running(tmp_path / "data", settings=settings) as server, server.client() as client:
        answer = client.post(BATCH, json={"evaluations": [{}, {}, {}]})
        assert answer.json()["error"] == "`evaluations` has 3 items, the limit is 2"
        assert client.post(BATCH, json={"evaluations": ["x" * 300]}).status_code == 413
        assert "did you mean `WRIT_IDLE_SECONDS`?" in server.log


def test_few_open_files_mean_fewer_connections(tmp_path: Path) -> None:
    line = command("serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0", "--workers", "1")
    with (tmp_path / "data.log").open("wb") as log:
        process = subprocess.Popen(
            line,
            stdout=log,
            stderr=log,
            env=environment({"WRIT_ADMIN_KEY": KEY}),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)),
        )
    try:
        server = Server(process, tmp_path / "data.log", KEY)
        assert "the limit of open files (300) allows 44 connections per worker" in server.log
        assert server.stop() == 0
    finally:
        process.kill()
        process.wait()


# -- the administrator's key


def test_a_key_that_nobody_sees_is_left_in_a_file(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data, settings={"WRIT_ADMIN_KEY": ""}) as server:
        key = (data / "admin-key").read_text().strip()
        assert ask(server, key) == 200
        assert ask(server, KEY) == 401
        assert key not in server.log
    assert {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in data.iterdir() if "key" in path.name} == {
        "admin-key": "0o600",
        "admin-key.sha256": "0o600",
        "audit-keys": "0o700",
        "keys": "0o700",
        "page-tokens.key": "0o600",
    }
    assert key not in (data / "admin-key.sha256").read_text()
    with running(data, settings={"WRIT_ADMIN_KEY": ""}) as server:
        assert ask(server, key) == 200
        assert (data / "admin-key").read_text().strip() == key


def test_a_terminal_is_shown_the_key_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    shown = on_terminal(data)
    (key,) = set(re.findall(r"writ_admin_[\w-]{43}", shown))
    assert not (data / "admin-key").exists()
    assert "writ_admin_" not in on_terminal(data)
    with running(data, settings={"WRIT_ADMIN_KEY": ""}) as server:
        assert ask(server, key) == 200


def on_terminal(data: Path) -> str:
    """What a start writes on a terminal, until the service is up; it is stopped then."""
    ours, theirs = pty.openpty()
    line = command("serve", "--data", str(data), "--bind", "127.0.0.1:0", "--workers", "1")
    with Connection(theirs) as terminal:
        streams = terminal, terminal, terminal
        process = Forked(Line(["writ", *line[len(command()) :]], *streams, data.parent, environment()))
    shown = b""
    try:
        while b"Booting worker" not in shown:
            shown += os.read(ours, 65_536)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return shown.decode()


def test_a_preset_key_is_remembered(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        assert ask(server, KEY) == 200
    with running(tmp_path / "data", settings={"WRIT_ADMIN_KEY": ""}) as server:
        assert ask(server, KEY) == 200
    assert not (tmp_path / "data" / "admin-key").exists()


# -- what it refuses


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"WRIT_ADMIN_KEY": "short"}, "`WRIT_ADMIN_KEY` has 5 characters, it must have at least 32"),
        ({"WRIT_MAX_BODY_BYTES": "much"}, "`WRIT_MAX_BODY_BYTES` must be a whole number from 1 to"),
        ({"WRIT_HEAD_SECONDS": "0"}, "`WRIT_HEAD_SECONDS` must be seconds above 0"),
    ],
)
def test_a_bad_setting_is_refused(tmp_path: Path, settings: dict[str, str], sentence: str) -> None:
    code, message = refused("--data", str(tmp_path / "data"), settings=settings)
    assert (code, message.count("\n")) == (2, 1)
    assert sentence in message


def test_a_taken_port_is_refused(tmp_path: Path) -> None:
    with running(tmp_path / "first") as server:
        address = f"{server.host}:{server.port}"
        code, message = refused("--data", str(tmp_path / "second"), "--bind", address)
    assert (code, message.count("\n")) == (2, 1)
    assert f"`{address}` is already in use" in message
    assert not (tmp_path / "second" / "admin-key").exists()


def test_an_unusable_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, message = refused("--data", str(tmp_path / "file"))
    assert (code, message.count("\n")) == (2, 1)
    assert f"`{tmp_path / 'file'}` can't be used as the data directory" in message


@pytest.mark.parametrize("damage", ["foreign", "empty", "cut", "flipped", "gone"])
def test_a_damaged_bundle_is_made_again(tmp_path: Path, model_file: Path, damage: str) -> None:
    """All of it is in the store."""
    data = tmp_path / "data"
    imported(data, model_file)
    (bundle,) = (data / "bundles").iterdir()
    whole = bundle.read_bytes()
    damaged = {
        "foreign": b"not a bundle" * 100,
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "flipped": bytes([*whole[:40], whole[40] ^ 255, *whole[41:]]),
    }
    bundle.unlink()
    if damage in damaged:
        bundle.write_bytes(damaged[damage])
    with running(data) as server, server.client() as client:
        assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True
    assert bundle.read_bytes() == whole


def test_every_environment_is_ready_after_a_start(tmp_path: Path, model_file: Path) -> None:
    """Also those whose bundle is lost, as after a backup was restored."""
    data = tmp_path / "data"
    with running(data, "--import", str(model_file)) as server, server.client() as client:
        assert client.post("/v1/environments", json={"id": "staging"}).status_code == 201
        assert writ("import", model_file, "--data", data, "--env", "staging").returncode == 0
    for bundle in (data / "bundles").iterdir():
        bundle.unlink()
    with running(data) as server, server.client() as client:
        assert client.post(f"/environments/staging{SINGLE}", json=ALLOWED).json()["decision"] is True
    assert writ("backup", tmp_path / "copy.db", "--data", data).returncode == 0
    assert writ("restore", tmp_path / "copy.db", "--data", tmp_path / "other").returncode == 0
    with running(tmp_path / "other") as server, server.client() as client:
        assert client.post(f"/environments/staging{SINGLE}", json=ALLOWED).json()["decision"] is True


def test_the_demo_replaces_no_model_of_one_s_own(tmp_path: Path, model_file: Path) -> None:
    imported(tmp_path / "data", model_file)
    code, message = refused("--data", str(tmp_path / "data"), "--demo")
    assert (code, [line for line in message.splitlines() if "[INFO]" not in line][1:]) == (2, [])
    assert "has another model, which the demo would replace" in message
    for _ in range(2):
        with running(tmp_path / "demo", "--demo") as server, server.client() as client:
            assert client.get("/readyz").json()["revision"] == 1


def test_a_preset_key_that_is_new_is_told_of(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        assert "The administrator's key is the one in WRIT_ADMIN_KEY\n" in server.log
    with running(tmp_path / "data") as server:
        assert "The administrator's key" not in server.log
    (tmp_path / "data" / "admin-key").write_text("the one before\n")
    with running(tmp_path / "data", settings={"WRIT_ADMIN_KEY": KEY[::-1]}) as server:
        assert "The administrator's key is now the one in WRIT_ADMIN_KEY" in server.log
    assert not (tmp_path / "data" / "admin-key").exists(), "it would be taken for one that is valid"


def test_a_preset_key_that_the_audit_log_can_t_be_told_of_does_not_count(tmp_path: Path) -> None:
    """The store is locked by another write: a start with another key is refused, and the next one tells of it."""
    data, other = tmp_path / "data", {"WRIT_ADMIN_KEY": KEY[::-1]}
    with running(data) as server:
        server.stop()
    with closing(sqlite3.connect(data / "writ.db")) as writer:
        writer.execute("BEGIN IMMEDIATE")
        code, message = refused("--data", str(data), settings=other)
    assert (code, message.count("\n")) == (2, 1)
    assert "the administrator's key is new, and the audit log can't record it" in message
    for settings in ({}, other, other):
        with running(data, settings=settings) as server:
            assert ask(server, settings.get("WRIT_ADMIN_KEY", KEY)) == 200
    told = writ("audit", "--event", "admin_key.set", "--data", data)
    assert (told.returncode, told.stdout.count(b"\n")) == (0, 2)


def test_a_directory_that_is_served_is_refused(tmp_path: Path) -> None:
    with running(tmp_path / "data"):
        code, message = refused("--data", str(tmp_path / "data"))
        restored = writ("restore", tmp_path / "data" / "writ.db", "--data", tmp_path / "data", constants=SOON)
    assert (code, message.count("\n")) == (2, 2)
    assert (LOCK_SECONDS, "is in use; waiting up to 0.5 seconds" in message.splitlines()[0]) == (5, True)
    assert "is served by another process" in message.splitlines()[1]
    assert (restored.returncode, restored.stderr.decode()) == (2, message)


def test_a_missing_source_is_refused(tmp_path: Path) -> None:
    code, message = refused("--data", str(tmp_path / "data"), "--import", str(tmp_path / "nowhere.yaml"))
    assert (code, message.count("\n")) == (2, 1)
    assert f"{tmp_path / 'nowhere.yaml'}: no such file or directory" in message


def test_a_model_with_errors_is_refused_and_the_one_before_stays(tmp_path: Path, model_file: Path) -> None:
    imported(tmp_path / "data", model_file)
    bad = tmp_path / "bad.json"
    bad.write_text('{"model": 1, "rules": [], "roles": [{"name": "no id"}]}')
    code, message = refused("--data", str(tmp_path / "data"), "--import", str(bad))
    assert code == 1
    assert "2 errors" in message
    assert "bad.json" in message
    with running(tmp_path / "data") as server, server.client() as client:
        assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True


@pytest.mark.parametrize(
    "arguments", [["--demo", "--import", "x.json"], ["--workers", "0"], ["--bind", "nonsense"], ["--log-level", "loud"]]
)
def test_wrong_usage_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    assert refused("--data", str(tmp_path / "data"), *arguments)[0] == 2


# -- running and stopping


@pytest.mark.parametrize("with_signal", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT])
def test_a_signal_stops_it(tmp_path: Path, with_signal: signal.Signals) -> None:
    with running(tmp_path / "data", workers=2) as server:
        assert server.stop(with_signal) == 0
        assert "Traceback" not in server.log


def test_the_master_has_no_hold_of_the_database(tmp_path: Path) -> None:
    """A child of a process that has, thinks that it has its locks: another process would take the log away."""

    def holds(process: int) -> bool:
        handles = Path(f"/proc/{process}/fd")
        files = [os.readlink(handle) for handle in handles.iterdir() if handle.is_symlink()]
        return any("writ.db" in file and not file.endswith(SUFFIX) for file in files)  # the commit signal has no locks

    with running(tmp_path / "data", workers=2) as server:
        assert wait_until(lambda: len(children(server.process.pid)) == 2)
        workers = children(server.process.pid)
        assert wait_until(lambda: all(map(holds, workers)))
        assert not holds(server.process.pid)
        locks = Path("/proc/locks").read_text()
        assert all(re.search(rf"POSIX .* {worker} ", locks) for worker in workers)


def test_a_request_in_work_is_answered_before_the_end(tmp_path: Path, model_file: Path) -> None:
    with running(tmp_path / "data", "--import", str(model_file)) as server:
        with RawConnection(server.host, server.port) as connection:
            connection.send(request("POST", SINGLE, BODY, key=KEY)[:-1])
            wait_until(lambda: httpx.get(server.url + "/healthz").status_code == 200)
            server.process.send_signal(signal.SIGTERM)
            assert wait_until(lambda: not _accepts(server))
            connection.send(BODY[-1:])
            answer = connection.answer()
            assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert server.process.wait(60) == 0


def _accepts(server: Server) -> bool:
    try:
        RawConnection(server.host, server.port).socket.close()
    except ConnectionError:  # refused, or reset by a backlog that is being closed
        return False
    return True


def test_idle_connections_do_not_hold_up_the_end(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        with server.client() as client, RawConnection(server.host, server.port) as half:
            assert client.get("/healthz").status_code == 200
            half.send(b"POST / HTT")
            assert client.get("/healthz").status_code == 200
            assert server.stop() == 0
        assert "Forcing close" not in server.log


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    with running(tmp_path / "data", workers=2) as server, server.client() as client:
        assert wait_until(lambda: server.log.count("Booting worker") == 2)
        os.kill(int(re.findall(r"Booting worker with pid: (\d+)", server.log)[0]), signal.SIGKILL)
        assert wait_until(lambda: server.log.count("Booting worker") == 3)
        assert client.get("/readyz").status_code == 200


def test_a_start_after_a_kill_waits_for_the_workers_that_are_left(tmp_path: Path, model_file: Path) -> None:
    with running(tmp_path / "data", "--import", str(model_file), workers=2) as killed:
        killed.process.kill()
        killed.process.wait()
        address = f"{killed.host}:{killed.port}"
        with running(tmp_path / "data", "--bind", address) as server, server.client() as client:
            assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True


def test_secrets_and_requests_stay_out_of_the_log(tmp_path: Path) -> None:
    marker = "a-value-of-the-request"
    with running(tmp_path / "data", "--log-level", "debug") as server:
        with server.client() as client:
            client.post(SINGLE, json=ALLOWED | {"context": {"x": marker}})
            client.post(SINGLE, content=marker.encode(), headers={"Content-Type": "application/json"})
            client.post(SINGLE, json=ALLOWED, headers={"Authorization": f"Bearer {marker}"})
        for data in (
            request("POST", SINGLE, BODY, {"Content-Type": "text/plain\r\nContent-Type: x"}, key=KEY),
            request("POST", SINGLE, BODY, {"Bad Name": marker}, key=KEY),
            request("POST", SINGLE, BODY, {"Transfer-Encoding": marker}, key=KEY),
        ):
            with RawConnection(server.host, server.port) as connection:
                connection.send(data)
                assert connection.answer().status in (400, 501)
        assert KEY not in server.log
        assert marker not in server.log
        assert "Traceback" not in server.log


# -- TLS


def test_tls_that_can_t_be_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    data, nothing = tmp_path / "data", str(tmp_path / "nothing.pem")
    for options, sentence in (
        (["--tls-cert", nothing, "--tls-key", nothing], f"Error: `{nothing}` can't be read: no such file or directory"),
        (["--tls-cert", nothing], "Error: TLS needs both `--tls-cert` and `--tls-key`"),
        (["--tls-key", nothing], "Error: TLS needs both `--tls-cert` and `--tls-key`"),
        (["--tls-client-ca", nothing], "Error: TLS needs both `--tls-cert` and `--tls-key`"),
    ):
        code, said = refused("--data", str(data), *options)
        assert (code, said.splitlines()[-1]) == (2, sentence)
    assert not data.exists()


def test_a_public_url_that_is_none_is_refused(tmp_path: Path) -> None:
    code, said = refused("--data", str(tmp_path / "data"), settings={"WRIT_PUBLIC_URL": "https://u:secret@h"})
    assert (code, "WRIT_PUBLIC_URL" in said, "secret" in said) == (2, True, False)


# -- a model for an empty store


def test_a_model_for_an_empty_store_is_imported_once(tmp_path: Path, model_file: Path) -> None:
    """Also not into a store whose model was emptied since."""
    seed = ["--import-if-empty", str(model_file)]
    with running(tmp_path / "data", *seed) as server, server.client() as client:
        assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True
        assert client.put("/v1/environments/default/model", json={"model": 1}).status_code == 200
    with running(tmp_path / "data", *seed) as server, server.client() as client:
        assert "the store has a model, so `--import-if-empty` does nothing" in server.log
        assert client.post(SINGLE, json=ALLOWED).json()["decision"] is False
        assert client.get("/readyz").json()["revision"] == 2


def test_only_one_option_names_a_model(tmp_path: Path, model_file: Path) -> None:
    for other in (["--import", str(model_file)], ["--demo"]):
        code, said = refused("--data", str(tmp_path / "data"), "--import-if-empty", str(model_file), *other)
        assert (code, "use one of `--demo`, `--import` and `--import-if-empty`" in said) == (2, True)


def test_a_start_tells_where_the_copy_from_before_an_upgrade_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Store.open(tmp_path).close()
    with newer_program(monkeypatch), caplog.at_level(logging.INFO):
        opened_store(tmp_path, settings_from({}), Counts.apart(), logging.getLogger("tests")).close()
    (copy,) = tmp_path.glob("writ.db.format-*")
    assert f"the store was upgraded; `{copy}` is a copy from before the upgrade" in caplog.messages


def test_a_location_leads_back_through_a_proxy(tmp_path: Path) -> None:
    settings = {"WRIT_PUBLIC_URL": "https://pdp.example.com/authz/"}
    with running(tmp_path / "data", settings=settings) as server, server.client() as client:
        made = client.post("/v1/environments", json={"id": "staging"})
        assert (made.status_code, made.headers["Location"]) == (201, "/authz/v1/environments/staging")
