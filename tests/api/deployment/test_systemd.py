"""The systemd unit: systemd accepts it, and the service runs as the unit starts it, under its restrictions."""

import configparser
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from writ.api.server.server import _SILENCE_SECONDS
from writ.api.settings.settings import STOP_SECONDS

from tests.api.conftest import ALLOWED
from tests.support.command import WRIT, writ
from tests.support.commands import found, options
from tests.support.server import KEY, ROOT, environment
from tests.support.service_manager import managing
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

UNITS = sorted((ROOT / "api/deployment").glob("*.service"))
SOCKET = ROOT / "api/deployment/writ.socket"
SERVING = [unit for unit in UNITS if "Type=notify" in unit.read_text()]
UNIT = ROOT / "api/deployment/writ.service"
PUBLISHING = ROOT / "api/deployment/writ-publish.service"
INSTALLED = "/opt/writ/bin/writ"
MOST_EXPOSURE = 15
"""Tenths of the exposure that `systemd-analyze security` tells, from 0 to 100. A unit without limits has 96."""

ANALYZE, STRACE, UNSHARE = (shutil.which(name) for name in ("systemd-analyze", "strace", "unshare"))
needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
each_unit = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)

RESTRICTED = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
no_new_privileges, refuse_writable_code = (38, 1), (65, 1)
for option, value in (no_new_privileges, refuse_writable_code):
    if libc.prctl(option, value, 0, 0, 0) and option == 38:
        sys.exit("this system has no such restriction")
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a program with `NoNewPrivileges`, and with `MemoryDenyWriteExecute` if the kernel has it (6.3)."""


def read(unit: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # keys keep their case
    parser.read_string(unit.read_text())
    return parser


def option_of(words: list[str], name: str) -> str:
    return words[words.index(name) + 1]


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(ANALYZE), *arguments], capture_output=True, text=True)


@needs_systemd
@each_unit
def test_systemd_accepts_the_unit(unit: Path, tmp_path: Path) -> None:
    (tmp_path / unit.name).write_text(unit.read_text().replace(INSTALLED, str(WRIT)))
    done = analyze("verify", "--man=no", str(tmp_path / unit.name))
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_systemd_accepts_the_socket(tmp_path: Path) -> None:
    for unit in (UNIT, SOCKET):
        (tmp_path / unit.name).write_text(unit.read_text().replace(INSTALLED, str(WRIT)))
    done = analyze("verify", "--man=no", str(tmp_path / SOCKET.name))
    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
@each_unit
def test_the_unit_exposes_little(unit: Path) -> None:
    done = analyze("security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSURE}", str(unit))
    assert done.returncode == 0, done.stdout + done.stderr


@each_unit
def test_the_unit_uses_options_that_exist(unit: Path) -> None:
    program, *words = shlex.split(read(unit)["Service"]["ExecStart"])
    assert program == INSTALLED
    _, command = found(words)
    assert {word for word in words if word.startswith("--")} <= options(command)


@pytest.mark.parametrize("unit", SERVING, ids=lambda unit: unit.name)
def test_systemd_waits_longer_than_the_service_takes(unit: Path) -> None:
    service = read(unit)["Service"]
    drain = float(option_of(shlex.split(service["ExecStart"]), "--drain-seconds"))
    assert int(service["TimeoutStopSec"]) >= drain + STOP_SECONDS + 5
    assert int(service["WatchdogSec"]) > _SILENCE_SECONDS + 5, "the master replaces a silent worker earlier"


@pytest.mark.skipif(sys.platform != "linux", reason="these restrictions are those of Linux")
def test_the_service_runs_as_the_unit_starts_it(tmp_path: Path, model_file: Path) -> None:
    """With its command line, its signals and its socket folder; under two of its restrictions."""
    service = read(UNIT)["Service"]
    data, runtime = tmp_path / "data", tmp_path / "run"
    runtime.mkdir()
    runtime.chmod(int(service["RuntimeDirectoryMode"], 8))
    paths = {INSTALLED: str(WRIT), "/var/lib/writ": str(data), "/run/writ": str(runtime)}
    text = service["ExecStart"]
    for old, new in paths.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    line = [sys.executable, "-c", RESTRICTED, *shlex.split(text), "--import", str(model_file), "--workers", "2"]
    told = {"WRIT_ADMIN_KEY": KEY, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "1000000"}
    before = os.umask(int(service["UMask"], 8))
    try:
        with managing(told["NOTIFY_SOCKET"]) as manager, (tmp_path / "log").open("wb") as log:
            process = subprocess.Popen(line, stdout=log, stderr=log, env=environment(told))
            try:
                assert wait_until(lambda: manager.states() or process.poll() is not None) == ["READY=1"]
                assert (runtime / "writ.sock").stat().st_mode & 0o777 == 0o660
                transport = httpx.HTTPTransport(uds=str(runtime / "writ.sock"))
                headers = {"Authorization": f"Bearer {KEY}"}
                with httpx.Client(transport=transport, base_url="http://writ", headers=headers) as client:
                    assert client.post("/access/v1/evaluation", json=ALLOWED).json()["decision"] is True
                name = re.fullmatch(r"/bin/sh -c 'kill -(\w+) \$MAINPID'", service["ExecReload"])
                assert name is not None
                process.send_signal(signal.Signals[f"SIG{name[1]}"])
                assert wait_until(lambda: len(manager.states()) == 3) is True
                process.terminate()
                assert process.wait(int(service["TimeoutStopSec"])) == 0
                assert manager.states() == ["READY=1", "RELOADING=1", "READY=1", "STOPPING=1"]
            finally:
                process.kill()
                process.wait()
    finally:
        os.umask(before)


@pytest.mark.skipif(sys.platform != "linux", reason="these restrictions are those of Linux")
def test_bundles_are_published_as_the_unit_does_it(tmp_path: Path, model_file: Path) -> None:
    """With its command line and its mask of permissions: a web server can read the folder. TERM ends it in order."""
    service = read(PUBLISHING)["Service"]
    data, target = tmp_path / "data", tmp_path / "bundles"
    text = service["ExecStart"]
    for old, new in {INSTALLED: str(WRIT), "/var/lib/writ": str(data), "/srv/writ-bundles": str(target)}.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert all(place in service["ReadWritePaths"].split() for place in ("/var/lib/writ", "/srv/writ-bundles"))
    target.mkdir(mode=0o755)
    assert writ("import", model_file, "--data", data).returncode == 0
    line = [sys.executable, "-c", RESTRICTED, *shlex.split(text)]
    before = os.umask(int(service["UMask"], 8))
    try:
        with (tmp_path / "log").open("wb") as log:
            process = subprocess.Popen(line, stdout=log, stderr=log, env=environment({}))
        try:
            assert wait_until(lambda: "Following changes" in (tmp_path / "log").read_text() or process.poll()) is True
            index = target / "writ-index.jws"
            assert index.stat().st_mode & 0o777 == 0o644
            process.terminate()
            assert process.wait(int(re.fullmatch(r"(\d)min", service["TimeoutStopSec"])[1]) * 60) == 0  # type: ignore[index]
        finally:
            process.kill()
            process.wait()
    finally:
        os.umask(before)


def filters() -> dict[str, list[str]]:
    """The sets of system calls that this systemd knows."""
    sets: dict[str, list[str]] = {}
    for line in analyze("syscall-filter", "--no-pager").stdout.splitlines():
        if line.startswith("@"):
            sets[line.strip()] = []
        elif line.startswith("    ") and not line.strip().startswith("#"):
            sets[list(sets)[-1]].append(line.strip())
    return sets


def expanded(name: str, sets: dict[str, list[str]]) -> set[str]:
    if not name.startswith("@"):
        return {name}
    return {call for one in sets[name] for call in expanded(one, sets)}


@needs_systemd
@pytest.mark.skipif(STRACE is None or UNSHARE is None, reason="strace or unshare is not installed")
@pytest.mark.deployment
def test_the_service_makes_no_system_call_that_the_unit_refuses(tmp_path: Path, model_file: Path) -> None:
    """Not as root, for whom SQLite changes the owner of its files."""
    sets, text = filters(), UNIT.read_text()
    rules = re.findall(r"^SystemCallFilter=(~?)(.+)$", text, re.MULTILINE)
    allowed = expanded("@default", sets)
    for refused, names in rules:
        calls = {call for name in names.split() for call in expanded(name, sets)}
        allowed = allowed - calls if refused else allowed | calls
    user = [str(UNSHARE), "--user", "--map-user=33333", "--map-group=33333"]
    if subprocess.run([*user, "true"], capture_output=True).returncode:
        pytest.skip("unshare may not make a user here")
    served = ["serve", "--data", str(tmp_path / "data"), "--import", str(model_file), "--workers", "2"]
    line = [*user, str(STRACE), "-f", "-qq", "-o", str(tmp_path / "calls"), str(WRIT), *served]
    line += ["--bind", f"unix:{tmp_path / 'writ.sock'}"]
    told = {"WRIT_ADMIN_KEY": KEY, "NOTIFY_SOCKET": str(tmp_path / "notify")}
    with managing(told["NOTIFY_SOCKET"]) as manager:
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(told))
        try:
            assert wait_until(lambda: manager.states() or process.poll() is not None) == ["READY=1"]
            use(tmp_path / "writ.sock")
            master = int((tmp_path / "calls").read_text().split(" ", 1)[0])
            os.kill(master, signal.SIGHUP)
            assert wait_until(lambda: len(manager.states()) == 3) is True
            os.kill(master, signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    made = set(re.findall(r"^\d+ +(\w+)\(", (tmp_path / "calls").read_text(), re.MULTILINE))
    assert {"execve", "accept4", "fsync"} & made
    assert made - allowed == set()


def use(path: Path) -> None:
    """Decide, replace the model, and export a bundle: the ways of the service, and its other processes."""
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.HTTPTransport(uds=str(path))
    with httpx.Client(transport=transport, base_url="http://writ", headers=headers, timeout=60) as client:
        assert client.post("/access/v1/evaluation", json=ALLOWED).json()["decision"] is True
        model = client.get("/v1/environments/default/model").raise_for_status().json()
        client.put("/v1/environments/default/model", json=model).raise_for_status()
        client.post("/v1/api-keys", json={"name": "k", "scopes": ["read"]}).raise_for_status()
        client.get("/v1/environments/default/bundle")
