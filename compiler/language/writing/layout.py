"""The canonical form of text: a clause a line, four spaces before it, and lines of at most 100 characters."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

WIDTH = 100
"""The longest line, in characters. A single word, such as a text in quotes, may be longer."""

CLAUSE_INDENT = 4
"""The spaces before a clause."""

WRAPPED_INDENT = 8
"""The spaces before the rest of a clause that does not fit into one line."""

_AFTER_NOTHING = frozenset((",", "]", "}", ":"))
_BEFORE_NOTHING = frozenset(("[", "{"))
_STARTS_LINE = frozenset(("from", "until", "in", "as", "to"))
"""The keywords before which a line may end. Else it ends after a comma."""


class Line(NamedTuple):
    """The tokens of one line, which may be wrapped; the spaces before it; the comment at its end."""

    tokens: list[str]
    indent: int
    comment: str = ""

    def lines(self) -> Iterator[str]:
        """Yields the lines of text."""
        filled = [*_filled(glued(self.tokens), self.indent)]
        if self.comment:
            filled[-1:] = [f"{filled[-1]}  {self.comment}" if self.tokens else " " * self.indent + self.comment]
        yield from filled

    def phrases(self) -> Iterator[str]:
        """Yields the same text with a line for each part that a line may end after."""
        for at, phrase in enumerate(_phrases(glued(self.tokens))):
            yield " " * (WRAPPED_INDENT if at else self.indent) + phrase


def glued(tokens: Iterable[str]) -> list[str]:
    """Returns tokens as words, with a comma at the end of the word before it.

    >>> glued(["in", "[", '"a"', ",", '"b"', "]"])
    ['in', '["a",', '"b"]']
    """
    words: list[str] = []
    opens = False
    for token in tokens:
        if words and (opens or token in _AFTER_NOTHING):
            words[-1] += token
        else:
            words.append(token)
        opens = token in _BEFORE_NOTHING
    return words


def _filled(words: list[str], indent: int) -> Iterator[str]:
    """Yields lines with as many phrases as fit. A phrase that fits into no line stays where it is."""
    line = ""
    for phrase in _phrases(words):
        if line and indent + len(line) + 1 + len(phrase) > WIDTH >= WRAPPED_INDENT + len(phrase):
            yield " " * indent + line
            line, indent = phrase, WRAPPED_INDENT
        else:
            line = f"{line} {phrase}" if line else phrase
    yield " " * indent + line


def _phrases(words: list[str]) -> Iterator[str]:
    """Yields the words that stay on one line."""
    phrase: list[str] = []
    for word in words:
        if phrase and (word in _STARTS_LINE or phrase[-1].endswith(",")):
            yield " ".join(phrase)
            phrase = []
        phrase.append(word)
    yield " ".join(phrase)
