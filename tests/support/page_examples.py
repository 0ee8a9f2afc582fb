"""Runs the examples of a page in order: shell blocks in one shell, Python blocks beside them, answers compared."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.support.command import writ
from tests.support.pages import Block, Page, page
from tests.support.server import KEY, environment
from tests.support.shell import forked_writ

DEMO_URL: Final = "http://127.0.0.1:8080"
PRINTED_KEY: Final = "the key that Writ printed"
ANY: Final = "…"
"""Stands in an expected answer for what differs from run to run."""

_PATIENCE_SECONDS: Final = 250
_COMMANDS: Final = ("start command", "test command")
_FILE: Final = "file: "
_START: Final = """\
set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
"""


@dataclass(frozen=True)
class Ran:
    """The output of a block on its two streams."""

    output: str
    errors: str


def is_run(block: Block) -> bool:
    """Returns whether a block is run: all shell and Python blocks are, unless they are files, or their mark says why
    not.
    """
    is_code = block.language in ("sh", "python") and block.mark not in _COMMANDS
    return is_code and not block.mark.startswith(("not run: ", _FILE))


def write_files(shown: Page, folder: Path) -> None:
    """Write what the page saves as files into `folder`; a page that saves no model gets the guide's, compiled."""
    for block in shown.blocks:
        if block.mark.startswith(_FILE):
            (folder / block.mark.removeprefix(_FILE)).write_text(block.text)
    model = folder / "model.yaml"
    if not model.exists():
        model.write_text(page("compiler/README.md").marked("file: model.yaml"))
    assert writ("compile", model, "-o", folder / "model.bundle").returncode == 0


def run(shown: Page, folder: Path, url: str) -> dict[Block, Ran]:
    """Run all examples of a page in `folder`, against the service at `url`."""
    blocks = [block for block in shown.blocks if is_run(block)]
    script = folder / "page.sh"
    script.write_text(_START + "".join(_step(block, folder, url) for block in blocks))
    with forked_writ() as commands:
        settings = {"PATH": f"{commands}:{environment().get('PATH', '')}"}
        done = subprocess.run(["bash", script], cwd=folder, env=environment(settings), timeout=_PATIENCE_SECONDS)
    found = {block: ran for block in blocks if (ran := _ran(block, folder)) is not None}
    last = list(found)[-1]
    assert done.returncode == 0, f"{last.name} ended with {done.returncode}:\n{found[last].output}{found[last].errors}"
    return found


def expectations(shown: Page) -> Iterator[tuple[Block, Block]]:
    """Yields the blocks that show what another one answers or prints, each behind that other one."""
    before: Block | None = None
    for block in shown.blocks:
        if is_run(block):
            before = block
        elif block.mark.endswith("answer") or block.mark in ("output", "says"):
            assert before is not None, f"nothing is run before {block.name}"
            yield block, before


def check(expected: Block, ran: Ran) -> None:
    """Pass if what a block wrote is what the page shows."""
    if expected.mark == "says":
        assert ran.errors == expected.text, expected.name
    elif expected.mark == "output":
        assert ran.output == expected.text, expected.name
    else:
        found = json.loads(ran.output)
        assert fits(json.loads(expected.text), found), f"{expected.name}: {found}"


def fits(expected: Any, found: Any) -> bool:
    """Returns whether a JSON value is the expected one; a string that ends with `…` fits every string with this
    beginning.

    >>> fits({"id": "…", "key": "a…"}, {"id": "7", "key": "ab"}), fits({"id": "…"}, {}), fits([1], [1, 2])
    (True, False, False)
    """
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(fits(one, found[name]) for name, one in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(fits, expected, found))
    if isinstance(expected, str) and isinstance(found, str) and expected.endswith(ANY):
        return found.startswith(expected.removesuffix(ANY))
    return bool(expected == found)


def printed(example: str) -> list[str]:
    """Returns the lines that a Python example says it prints, which are its comments."""
    return re.findall(r"^# (.*)$", example, re.MULTILINE)


def _step(block: Block, folder: Path, url: str) -> str:
    text = block.text.replace(PRINTED_KEY, KEY).replace(DEMO_URL, url)
    if block.language == "python":
        (folder / f"{block.line}.py").write_text(text)
        text = f"{sys.executable} {block.line}.py\n"
    return f"exec > {block.line}.out 2> {block.line}.err\n{text}"


def _ran(block: Block, folder: Path) -> Ran | None:
    output = folder / f"{block.line}.out"
    return Ran(output.read_text(), (folder / f"{block.line}.err").read_text()) if output.exists() else None
