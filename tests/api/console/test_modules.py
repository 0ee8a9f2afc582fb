"""The console's modules without a browser: unit tests in Node, ESLint, and TypeScript's checker over their JSDoc.

`.ci/run` installs ESLint and TypeScript. Node runs the modules from version 20.19, which takes them for ES modules.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).with_name("modules")
INSTALLED = ROOT / "build/node/node_modules/.bin"
NODE = shutil.which("node")
OLDEST = (20, 19)


def ran(*command: str | Path, given: str | None = None) -> str:
    """Returns what a command of Node prints if it is `given` a text to read.

    Skips the test without Node, and fails it if the command fails.
    """
    if NODE is None or version() < OLDEST:
        pytest.skip("node 20.19 or newer is not installed")
    words = [*map(str, command)]
    done = subprocess.run(words, cwd=ROOT, input=given, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def version() -> tuple[int, ...]:
    """The version of Node, as (20, 19)."""
    said = subprocess.run([str(NODE), "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
    return tuple(int(part) for part in re.findall(r"\d+", said)[:2])


def tool(name: str) -> Path:
    """A program that `.ci/run` installs for Node. Without it, the test is skipped."""
    if not (INSTALLED / name).exists():
        pytest.skip(f"{name} is not installed in build/node")
    return INSTALLED / name


def test_modules_do_what_their_tests_say() -> None:
    """One process runs all files: a process for each, as `node --test` starts them, takes five times as long."""
    every = "".join(f'import "./{path.relative_to(ROOT).as_posix()}";' for path in sorted(FOLDER.glob("*.test.js")))
    said = ran(str(NODE), "--test-reporter=tap", "--input-type=module", "--eval", every)
    assert "# fail 0" in said
    assert int(re.findall(r"^# pass (\d+)", said, re.MULTILINE)[0]) > 50


def test_eslint_finds_nothing() -> None:
    ran(tool("eslint"), "--max-warnings=0", "--config", FOLDER / "eslint.config.js", "api/console/page", FOLDER)


def test_types_fit() -> None:
    ran(tool("tsc"), "--project", FOLDER)
