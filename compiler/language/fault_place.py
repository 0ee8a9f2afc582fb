"""The place at which a statement can't be read, with what rules of advice look at."""

from collections.abc import Sequence
from typing import NamedTuple

from .grammar import KEYWORDS
from .placed import Placed


class FaultPlace(NamedTuple):
    """The place of a fault: the unexpected token (None at the end), the tokens that may be there, those before it."""

    found: Placed | None
    accepted: frozenset[str]
    before: Sequence[Placed]
    text: str

    @property
    def word(self) -> str:
        """The unexpected token, or "" at the end."""
        return "" if self.found is None else str(self.found.value)

    @property
    def found_end(self) -> int:
        """The end of the unexpected token, or of the whole text at the end of the statement."""
        return len(self.text) if self.found is None else self.found.end

    @property
    def kind(self) -> str:
        """The kind of the unexpected token."""
        return "$END" if self.found is None else self.found.type

    @property
    def statement(self) -> str:
        """The word that starts the statement."""
        return str(self.before[0].value)

    def said(self, back: int) -> str:
        """Returns the token that stands `back` tokens before the place, or ""."""
        return str(self.before[-back].value) if back <= len(self.before) else ""

    def keywords(self) -> list[str]:
        """Returns the keywords that may stand here."""
        return [name.lower() for name in self.accepted if name.lower() in KEYWORDS]
