"""Reads model sources of a revision in git: `REVISION:PATH`, as `git show` names a file or a folder."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from ...compiler.source import Source
from ..engines.live.build import is_document
from .output import CommandFailed

GIT_SECONDS: Final = 60.0
"""The time in which git must answer."""

_FILE_MODES: Final = (b"100644", b"100755", b"100664")
"""The modes of files in a tree. Symbolic links and submodules have others."""


def revision_sources(text: str) -> list[Source]:
    """Returns the model sources at `REVISION:PATH`: a file, or all documents in a folder. PATH is from the root of the
    repository, or with `./` from the current folder.

    Raises CommandFailed if there is no git, no such revision, or no document at the path.
    """
    revision, _, path = text.partition(":")
    if not revision or revision.startswith("-"):
        raise CommandFailed(f"`{text}` names no revision")
    commit = _object(f"{revision}^{{commit}}")
    if commit is None:
        raise CommandFailed(f"`{revision}` is no revision of a git repository around this folder")
    found = _object(f"{commit}:{path}")
    if found is None:
        raise CommandFailed(f"`{path}` does not exist in the revision `{revision}`")
    if _git("cat-file", "-t", found).strip() == b"blob":
        return [Source(text, _git("cat-file", "blob", found))]
    files = [(name, blob) for name, blob in _tree(found) if is_document(PurePosixPath(name))]
    if not files:
        raise CommandFailed(f"`{text}` holds no model documents")
    prefix = text if text.endswith((":", "/")) else f"{text}/"
    contents = _contents([blob for _, blob in files])
    return [Source(f"{prefix}{name}", data) for (name, _), data in zip(files, contents, strict=True)]


def _tree(tree: str) -> Iterator[tuple[str, str]]:
    """Yields the path and the object of each file in a folder, in the order of the paths."""
    for entry in sorted(_git("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0")):
        if entry:
            about, _, name = entry.partition(b"\t")
            mode, _, blob = about.split(b" ")
            if mode in _FILE_MODES:
                yield name.decode(errors="replace"), blob.decode()


def _contents(blobs: Sequence[str]) -> Iterator[bytes]:
    """Yields the contents of files, which one process reads."""
    data = _git("cat-file", "--batch", told="".join(f"{blob}\n" for blob in blobs).encode())
    at = 0
    for _ in blobs:
        end = data.index(b"\n", at)
        size = int(data[at:end].split(b" ")[2])
        yield data[end + 1 : end + 1 + size]
        at = end + 1 + size + 1


def _object(name: str) -> str | None:
    """Returns the id of an object, or None if there is no such object. `name` does not begin with a dash."""
    done = _run(("rev-parse", "--verify", "--quiet", name), b"")
    return done.stdout.decode().strip() if done.returncode == 0 else None


def _git(*arguments: str, told: bytes = b"") -> bytes:
    done = _run(arguments, told)
    if done.returncode:
        raise CommandFailed(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _run(arguments: Sequence[str], told: bytes) -> subprocess.CompletedProcess[bytes]:
    # No shell, and no argument of the user's begins with a dash, so none is an option.
    line = ("git", *arguments)
    try:
        return subprocess.run(line, input=told, capture_output=True, timeout=GIT_SECONDS, check=False)  # noqa: S603 - see above
    except FileNotFoundError:
        raise CommandFailed("git is not installed; name two files or folders instead") from None
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"git did not answer in {GIT_SECONDS:.0f} seconds") from None
