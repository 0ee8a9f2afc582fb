"""The command `python -m tests.deep.fuzz.choose TARGET FOLDER`: keep the small inputs of a run that reach other code.

Each kept input executes a line of Writ that no smaller one does. The kept file gets only new lines.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from tests.deep.fuzz.kept import CORPUS, read_inputs, write_inputs
from tests.deep.fuzz.targets import Law, target
from tests.support.structure import LAYERS, ROOT

LONGEST: Final = 400
"""The bytes of an input that is kept."""

Lines = set[tuple[str, int]]
_OURS: Final = tuple(str(ROOT / layer) for layer in LAYERS)


def lines_of(law: Law, data: bytes) -> Lines:
    """The lines of Writ that an input executes. It has to keep its law."""
    found: Lines = set()

    def local(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
        found.add((frame.f_code.co_filename, frame.f_lineno))
        return local

    def entered(frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        return local if frame.f_code.co_filename.startswith(_OURS) else None

    sys.settrace(entered)
    try:
        law(data)
    finally:
        sys.settrace(None)
    return found


def chosen(law: Law, inputs: list[bytes]) -> list[bytes]:
    """The inputs that execute a line that no smaller one does."""
    seen: Lines = set()
    found = []
    for data in sorted({one for one in inputs if len(one) <= LONGEST}, key=lambda one: (len(one), one)):
        lines = lines_of(law, data)
        if not lines <= seen:
            seen |= lines
            found.append(data)
    return found


def main(name: str, folder: Path) -> None:
    """Choose among the kept inputs and those of a run."""
    path = CORPUS / f"{name}.txt"
    with TemporaryDirectory() as scratch:
        found = chosen(
            target(name).law(Path(scratch)),
            read_inputs(path) + [one.read_bytes() for one in (folder / "inputs").iterdir()],
        )
    write_inputs(path, found)
    print(f"{name}: {len(found)} inputs, {sum(map(len, found)):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
