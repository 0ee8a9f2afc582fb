"""The image that an ordinary user builds from the Containerfile, and the service in it.

Its base is made from Debian's packages here, since that of the file needs a registry of images.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import httpx
import pytest

from tests.api.conftest import ALLOWED
from tests.support.ports import free_port
from tests.support.processes import children
from tests.support.rootless_images import TOOLS, Builder, made_builder
from tests.support.server import KEY, ROOT
from tests.support.waiting import wait_until

MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]
pytestmark = [
    pytest.mark.deployment,
    pytest.mark.timeout(1_500),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]

VERSION = "4.7.1"
COMPILERS = ("gcc", "cc", "g++", "clang", "make", "cargo", "go", "pip", "pip3")
READ_ONLY = """
mount --bind "$tree" "$tree" && mount --rbind /dev "$tree/dev" && mount --rbind /proc "$tree/proc" &&
mount -t tmpfs tmpfs "$tree/tmp" && mount -t tmpfs -o mode=700,uid=10001,gid=10001 tmpfs "$tree/var/lib/writ" &&
mount -o remount,bind,ro "$tree" && exec chroot --userspec="$0" "$tree" "$@"
"""
"""Runs a command in a tree with a read-only root file system, a volume and a temporary folder."""


class Image(NamedTuple):
    """An image of a builder, with what it says about itself."""

    builder: Builder
    name: str
    says: dict[str, Any]

    def line(self, *words: str, **variables: str) -> list[str]:
        """The command line that runs a command as in a container: its user and environment, a space of process ids."""
        environment = [*self.says["Env"], *(f"{name}={value}" for name, value in variables.items())]
        script = 'export tree && exec unshare --mount --pid --fork --kill-child sh -c "$0" "$@"'
        command = [READ_ONLY, self.says["User"], "/usr/bin/env", "-i", *environment, *words]
        return self.builder.within(self.name, script, *command)

    def run(self, *words: str) -> str:
        """Returns the output of a command in the image."""
        done = subprocess.run(self.line(*words), cwd=self.builder.home, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    folder = Path(mkdtemp(prefix="writ-image-"))  # the builder may not enter the folders of pytest
    builder = made_builder(folder)
    try:
        builder.import_base("localhost/debian:bookworm")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder / "source")], check=True)
        arguments = {"BASE": "localhost/debian:bookworm", "SNAPSHOT": "", "VERSION": VERSION}
        builder.build("api/deployment/Containerfile", folder / "source", "localhost/writ", arguments)
        yield Image(builder, "localhost/writ", builder.configuration("localhost/writ"))
    finally:
        subprocess.run([*builder.prefix(), "buildah", "unshare", "rm", "-rf", str(folder / ".local")], cwd=folder)
        shutil.rmtree(folder)


@contextmanager
def container(image: Image, port: int, log: Path) -> Iterator[int]:
    """The process of the image's command. It is the first in its own space of process ids, as in a container."""
    words = [*image.says["Entrypoint"], *image.says["Cmd"], "--workers", "2"]
    words = [word.replace("0.0.0.0:8080", f"127.0.0.1:{port}") for word in words]
    with log.open("wb") as output:
        line, home = image.line(*words, WRIT_ADMIN_KEY=KEY), image.builder.home
        process = subprocess.Popen(
            line, cwd=home, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        yield process.pid
        assert process.wait(60) == 0, log.read_text()
    finally:
        if process.poll() is None:  # a test that failed leaves no container
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def test_the_image_has_the_service_and_nothing_to_build_it_with(image: Image) -> None:
    assert image.run("writ", "--version").startswith("writ")
    search = "for tool; do command -v $tool; done; true"
    assert image.run("sh", "-c", search, "sh", *COMPILERS) == ""
    assert image.run("id", "-u").strip() == "10001"
    assert image.run("sh", "-c", "ls -d /src /locks /wheels /tools 2>/dev/null; true") == ""
    written = image.run("sh", "-c", "find /opt /usr /etc -xdev -writable -not -type l 2>/dev/null; true")
    assert written == "", "the service can't change its own code"


def test_the_image_has_the_versions_of_the_lock(image: Image) -> None:
    lock = (ROOT / "api/deployment/requirements.lock").read_text()
    pinned = {name.lower(): version for name, version in re.findall(r"^([\w-]+)==([^ ]+)", lock, re.MULTILINE)}
    script = "import importlib.metadata as m; [print(d.name, d.version) for d in m.distributions()]"
    found = dict(line.lower().replace("_", "-").split() for line in image.run("python", "-c", script).splitlines())
    assert found.pop("writ-pdp") == VERSION
    assert {name: version for name, version in pinned.items() if name != "pip"} == found


def test_the_image_serves_with_a_read_only_root_and_stops_at_a_signal(image: Image, tmp_path: Path) -> None:
    log, port = tmp_path / "log", free_port()
    check = [word.replace(":8080", f":{port}") for word in image.says["Healthcheck"]["Test"][1:]]
    with container(image, port, log) as process:
        healthy = wait_until(lambda: succeeds(image, check) or not Path(f"/proc/{process}").exists())
        assert healthy is True, log.read_text()
        status = Path(f"/proc/{first_of(process)}/status").read_text()
        assert re.search(r"^NSpid:.*\s1$", status, re.MULTILINE), "the master is the first process"
        assert not re.search(r"^Uid:\s+0\s", status, re.MULTILINE), "and it is root nowhere"
        assert decides(port) == {"decision": False}
        image.builder.run("kill", "-TERM", str(first_of(process)))
    assert "readiness fails from now on" in log.read_text()
    assert "Traceback" not in log.read_text()
    assert not succeeds(image, check), "the check fails if nothing listens"


def first_of(process: int) -> int:
    """The process below this one that is the first of its own space."""
    seen = [process]
    for one in seen:
        if re.search(r"^NSpid:.*\s1$", Path(f"/proc/{one}/status").read_text(), re.MULTILINE):
            return one
        seen += children(one)
    raise AssertionError("no process is the first of a space")


def succeeds(image: Image, command: list[str]) -> bool:
    return subprocess.run(image.line(*command), cwd=image.builder.home, capture_output=True).returncode == 0


def decides(port: int) -> dict[str, object]:
    """The decision of the service, which has no model yet."""
    url = f"http://127.0.0.1:{port}/access/v1/evaluation"
    answer = httpx.post(url, json=ALLOWED, headers={"Authorization": f"Bearer {KEY}"})
    return {"decision": answer.json()["decision"]}
