"""The Containerfile: what it runs, copies and pins."""

import json
import re

from tests.support.commands import found, options
from tests.support.server import ROOT

FILE = ROOT / "api/deployment/Containerfile"
LINES = [line for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
STEPS = [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in LINES)]


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
    base, snapshot, _version = (rest.partition("=")[2] for rest in of("ARG"))
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
