"""The Containerfile: its steps, run in bare Debian trees, and the service that they install.

The image itself is not built here, since that needs a registry of images.
"""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

import httpx
import pytest

from tests.api.conftest import ALLOWED
from tests.support.commands import found, options
from tests.support.container_steps import CHROOT, Image, built, instructions
from tests.support.gateways import free_port
from tests.support.processes import children
from tests.support.server import KEY, ROOT, wait_until

FILE = ROOT / "api/deployment/Containerfile"
BASE = Path(gettempdir()) / "writ-tests-debian-bookworm"
"""The tree that stands for `debian:bookworm-slim`. It stays for the next run, since to make it takes minutes."""

MIRROR = "http://deb.debian.org/debian"
TOOLS = ("debootstrap", CHROOT, "unshare")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]
STEPS = instructions(FILE.read_text())
COMPILERS = ("gcc", "cc", "g++", "clang", "make", "cargo", "go", "pip", "pip3")
NO_ROOT_FILES = """
set -e
mount --bind "$0" "$0"
mount --bind "$1" "$0/var/lib/writ"
mount -t tmpfs tmpfs "$0/tmp"
mount -o remount,bind,ro "$0"
shift
exec /usr/sbin/chroot --userspec=10001:10001 "$0" "$@"
"""
"""Runs a command in a tree with a read-only root file system, a volume and a temporary folder."""


def of(word: str) -> list[str]:
    return [rest for one, rest in STEPS if one == word]


def test_what_the_image_runs_takes_signals_and_options_that_exist() -> None:
    entrypoint, command = json.loads(of("ENTRYPOINT")[-1]), json.loads(of("CMD")[-1])
    assert entrypoint == ["writ"], "the exec form, without a shell that would keep the signals"
    assert {word for word in command if word.startswith("--")} <= options(found(command)[1])


def test_the_last_stage_has_no_compiler_and_no_root() -> None:
    last = FILE.read_text().rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", last, re.MULTILINE)
    assert not re.search(r"\b(gcc|build-essential|python3-dev|python3-venv|pip)\b", last)
    assert len(of("FROM")) == 2


def test_all_that_a_wheel_needs_is_copied() -> None:
    copied = {name for rest in of("COPY") if not rest.startswith("--from") for name in rest.split()[:-1]}
    assert copied == {"pyproject.toml", "README.md", "LICENSE", "__init__.py", "__main__.py"} | {
        "api",
        "bundles",
        "compiler",
        "runtime",
    }


# -- the steps


pytestmark_steps = (
    pytest.mark.deployment,
    pytest.mark.timeout(1_500),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.skipif(os.getuid() != 0, reason="only root can change the root of a process"),
)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    if not BASE.exists():
        unfinished = BASE.with_suffix(f".{os.getpid()}")
        line = ["debootstrap", "--variant=minbase", "bookworm", str(unfinished), MIRROR]
        if subprocess.run(line, capture_output=True).returncode:
            shutil.rmtree(unfinished, ignore_errors=True)
            pytest.skip("debootstrap can't make a tree here")
        unfinished.rename(BASE)
    folder = tmp_path_factory.mktemp("image")
    yield built(FILE, ROOT, BASE, folder)
    shutil.rmtree(folder)  # pytest would keep hundreds of MiB


def steps(test):  # type: ignore[no-untyped-def]  # a decorator of tests
    """Marks a test of the tree that the steps have made."""
    for mark in pytestmark_steps:
        test = mark(test)
    return test


@contextmanager
def container(image: Image, data: Path, port: int, log: Path) -> Iterator[int]:
    """The process of the image's command. It is the first in its own space of process ids, as in a container."""
    command = [word.replace("0.0.0.0:8080", f"127.0.0.1:{port}") for word in image.command]
    assert command != image.command
    line = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", NO_ROOT_FILES, str(image.tree)]
    line += [str(data), *image.with_variables([f"WRIT_ADMIN_KEY={KEY}", *image.entrypoint, *command, "--workers", "2"])]
    with log.open("wb") as output:
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        (first,) = wait_until(lambda: children(process.pid))  # type: ignore[misc]  # a list of one
        yield first
        assert process.wait(60) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()


@steps
def test_the_steps_install_the_service_and_nothing_to_build_it_with(image: Image) -> None:
    assert image.run("writ", "--version").startswith("writ")
    search = "for tool; do command -v $tool; done; true"
    assert image.run("sh", "-c", search, "sh", *COMPILERS) == ""
    assert image.run("id", "-u").strip() == "10001"
    assert not (image.tree / "src").exists()
    written = image.run("sh", "-c", "find /opt /usr /etc -xdev -writable -not -type l 2>/dev/null; true")
    assert written == "", "the service can't change its own code"


@steps
def test_the_service_runs_with_a_read_only_root_and_stops_at_a_signal(image: Image, tmp_path: Path) -> None:
    data, log, port = tmp_path / "data", tmp_path / "log", free_port()
    data.mkdir(mode=0o700)
    os.chown(data, 10_001, 10_001)
    check = [word.replace(":8080", f":{port}") for word in image.health]
    assert check != image.health
    with container(image, data, port, log) as first:
        healthy = wait_until(lambda: succeeds(image, check) or not Path(f"/proc/{first}").exists())
        assert healthy is True, log.read_text()
        status = Path(f"/proc/{first}/status").read_text()
        assert re.search(r"^Uid:\s+10001\s", status, re.MULTILINE)
        assert re.search(r"^NSpid:.*\s1$", status, re.MULTILINE), "the master is the first process"
        assert decides(port) == {"decision": False}
        os.kill(first, signal.SIGTERM)
    assert "readiness fails from now on" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert not succeeds(image, check), "the check fails if nothing listens"


def succeeds(image: Image, command: list[str]) -> bool:
    line = [CHROOT, f"--userspec={image.user}", str(image.tree), *image.with_variables(command)]
    return subprocess.run(line, capture_output=True).returncode == 0


def decides(port: int) -> dict[str, object]:
    """The decision of the service, which has no model yet."""
    url = f"http://127.0.0.1:{port}/access/v1/evaluation"
    answer = httpx.post(url, json=ALLOWED, headers={"Authorization": f"Bearer {KEY}"})
    return {"decision": answer.json()["decision"]}
