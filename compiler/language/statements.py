"""Cuts a document into its statements: each starts at the beginning of a line, and indented lines go on with it."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .grammar import CLAUSES
from .words import HIDDEN

_START = re.compile(rf"^(?!(?:{'|'.join(sorted(CLAUSES))})\b)[^\W\d]", re.MULTILINE)
"""A line that starts a statement. One with a word that only goes on with a statement needs no indentation."""

BLANKS = " \t\r\n"
"""The characters between words that say nothing. Other kinds of white space are not blanks."""

_NOTHING = re.compile(rf"(?:[ \t\n]++|\r\n|#(?:(?!{HIDDEN})[^\n])*+)*+")
"""The text that may stand before the first statement: blank lines and comments, without hidden characters."""


class Statement(NamedTuple):
    """The characters `start` to `end` of a document: one statement, and the comments before the next one."""

    start: int
    end: int


def statements(text: str) -> Iterator[Statement]:
    """Yields the statements of a document. Text before the first one is a separate statement, which can't be read.

    >>> [text[start:end] for text in ["role a\\nrole\\n  b\\n# c\\n"] for start, end in statements(text)]
    ['role a\\n', 'role\\n  b\\n# c\\n']
    """
    starts = [found.start() for found in _START.finditer(text)]
    first = _NOTHING.match(text)
    begin = first.end() if first else 0
    if begin < (starts[0] if starts else len(text)):
        starts.insert(0, begin)
    yield from map(Statement, starts, [*starts[1:], len(text)])
