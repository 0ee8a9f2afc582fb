"""The Containerfile: what it pins, and the image that an ordinary user builds from it, which serves.

Its base is made from Debian's packages here, since that of the file needs a registry of images.
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
from tempfile import mkdtemp
from typing import Any, NamedTuple

import httpx
import pytest

from tests.api.conftest import ALLOWED
from tests.support.commands import found, options
from tests.support.gateways import free_port
from tests.support.processes import children
from tests.support.rootless_images import TOOLS, Builder, made_builder
from tests.support.server import KEY, ROOT, wait_until

FILE = ROOT / "api/deployment/Containerfile"
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]
LINES = [line for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
STEPS = [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in LINES)]
COMPILERS = ("gcc", "cc", "g++", "clang", "make", "cargo", "go", "pip", "pip3")
READ_ONLY = """
mount --bind "$tree" "$tree" && mount --rbind /dev "$tree/dev" && mount --rbind /proc "$tree/proc" &&
mount -t tmpfs tmpfs "$tree/tmp" && mount -t tmpfs -o mode=700,uid=10001,gid=10001 tmpfs "$tree/var/lib/writ" &&
mount -o remount,bind,ro "$tree" && exec chroot --userspec="$0" "$tree" "$@"
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


def test_all_that_comes_from_outside_is_pinned() -> None:
    base, snapshot = (rest.partition("=")[2] for rest in of("ARG"))
    day = re.fullmatch(r"docker\.io/library/debian:bookworm-(\d{8})-slim@sha256:[0-9a-f]{64}", base)
    assert day is not None
    assert snapshot == f"{day[1]}T000000Z"
    assert [rest.split()[0] for rest in of("FROM")] == ["${BASE}", "debian", "debian"]
    installs = [step for step in of("RUN") if "pip" in step and " install " in step]
    assert all("--require-hashes --only-binary :all:" in step or "--no-deps --no-index" in step for step in installs)


def test_all_that_a_wheel_needs_is_copied() -> None:
    copied = {name for rest in of("COPY") if not rest.startswith("--from") for name in rest.split()[:-1]}
    wheel = {"pyproject.toml", "README.md", "LICENSE", "__init__.py", "__main__.py", *("api", "bundles", "compiler")}
    assert copied == wheel | {"runtime", ".ci/build.lock", "api/deployment/requirements.lock"}


# -- the image


pytestmark_image = (
    pytest.mark.deployment,
    pytest.mark.timeout(1_500),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
)


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
        """What a command prints in the image."""
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
        arguments = {"BASE": "localhost/debian:bookworm", "SNAPSHOT": ""}
        builder.build("api/deployment/Containerfile", folder / "source", "localhost/writ", arguments)
        yield Image(builder, "localhost/writ", builder.configuration("localhost/writ"))
    finally:
        subprocess.run([*builder.prefix(), "buildah", "unshare", "rm", "-rf", str(folder / ".local")], cwd=folder)
        shutil.rmtree(folder)


def built(test):  # type: ignore[no-untyped-def]  # a decorator of tests
    """Marks a test of the image that is built here."""
    for mark in pytestmark_image:
        test = mark(test)
    return test


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


@built
def test_the_image_has_the_service_and_nothing_to_build_it_with(image: Image) -> None:
    assert image.run("writ", "--version").startswith("writ")
    search = "for tool; do command -v $tool; done; true"
    assert image.run("sh", "-c", search, "sh", *COMPILERS) == ""
    assert image.run("id", "-u").strip() == "10001"
    assert image.run("sh", "-c", "ls -d /src /locks /wheels /tools 2>/dev/null; true") == ""
    written = image.run("sh", "-c", "find /opt /usr /etc -xdev -writable -not -type l 2>/dev/null; true")
    assert written == "", "the service can't change its own code"


@built
def test_the_image_has_the_versions_of_the_lock(image: Image) -> None:
    lock = (ROOT / "api/deployment/requirements.lock").read_text()
    pinned = {name.lower(): version for name, version in re.findall(r"^([\w-]+)==([^ ]+)", lock, re.MULTILINE)}
    script = "import importlib.metadata as m; [print(d.name, d.version) for d in m.distributions()]"
    found = dict(line.lower().replace("_", "-").split() for line in image.run("python", "-c", script).splitlines())
    assert found.pop("writ-pdp") == "0.1.0"
    assert {name: version for name, version in pinned.items() if name != "pip"} == found


@built
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
