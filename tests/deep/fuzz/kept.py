"""The kept inputs of each target: one a line, with escapes for whatever is no plain character.

`tests/cases/fuzz/NAME.txt` are small inputs that reach much of the code. A failure is a file of its own,
`tests/cases/found/fuzz_NAME_HASH.txt`, with the smallest input that was found.
"""

from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.support.cases import FOLDER

CORPUS: Final = FOLDER / "fuzz"


def line_of(data: bytes) -> str:
    r"""Returns an input as a line of ASCII.

    >>> line_of(b"a\n\xff\\")
    'a\\n\\xff\\\\'
    """
    return data.decode("latin-1").encode("unicode_escape").decode("ascii")


def data_of(line: str) -> bytes:
    """Returns the input in a line, as `line_of` wrote it."""
    return line.encode("ascii").decode("unicode_escape").encode("latin-1")


def read_inputs(path: Path) -> list[bytes]:
    """The inputs in a file; none if the file is missing."""
    return [data_of(line) for line in path.read_text().splitlines()] if path.exists() else []


def write_inputs(path: Path, inputs: list[bytes]) -> None:
    """Write a file of inputs, in an order that a later run keeps."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line_of(one)}\n" for one in sorted(set(inputs), key=lambda one: (len(one), one))))


def kept(name: str, folder: Path = FOLDER) -> list[bytes]:
    """The kept inputs of a target: its corpus, and what was found."""
    found = [one for path in sorted((folder / "found").glob(f"fuzz_{name}_*.txt")) for one in read_inputs(path)]
    return read_inputs(folder / "fuzz" / f"{name}.txt") + found


def write_found(name: str, data: bytes, folder: Path) -> Path:
    """Write an input that broke its law."""
    path = folder / "found" / f"fuzz_{name}_{sha256(data).hexdigest()[:10]}.txt"
    write_inputs(path, [data])
    return path
