"""Reads a model document from standard input, for the source `-`."""

import sys
from typing import Final

import click

from ....compiler.documents.document import READERS
from ....compiler.language.words import STATEMENTS
from ....compiler.limits import DEFAULTS
from ....compiler.source import Source

STANDARD_INPUT: Final = "-"
FORMS: Final = tuple(ending.removeprefix(".") for ending in READERS if ending != ".yml")
"""The forms of a document, as `--as` names them."""

_NAME: Final = "stdin"


def source_from_input(form: str | None) -> Source:
    """Returns the document on standard input. Without a `form`, guesses it, and says so on standard error.

    A document over the limit is cut one byte after it, so that reading it reports the limit.
    """
    data = sys.stdin.buffer.read(DEFAULTS.document_bytes + 1)
    if form is None:
        form = guessed_form(data)
        click.echo(f"standard input is read as {form}; name another form with --as", err=True)
    return Source(f"{_NAME}.{form}", data)


def guessed_form(data: bytes) -> str:
    """Returns the form of a document by how it begins: JSON with a bracket, text with a statement.

    >>> guessed_form(b' {"model": 1}'), guessed_form(b"# x\\nmodel: 1"), guessed_form(b"# x\\n\\nrole editor")
    ('json', 'yaml', 'writ')
    """
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return "json"
    lines = (line.split(b"#")[0].split() for line in data.removeprefix(b"\xef\xbb\xbf").splitlines())
    first = next((words[0] for words in lines if words), b"")
    return "writ" if first.decode(errors="replace") in STATEMENTS else "yaml"
