"""The place at which a statement can't be read, with what rules of advice look at."""

from collections.abc import Sequence
from typing import NamedTuple

from .grammar import CLAUSES, KEYWORDS
from .placed import Placed

NAME_LIKE = frozenset(("NAME", "STRING", "NUMBER", "name", "text"))
"""The kinds of tokens that are names, or that were read as one."""

LOOKED_AT = 200
"""The characters before and after a fault that advice looks at. A long line shall cost no more than a short one."""

_ENDS = frozenset(word.upper() for word in CLAUSES - {"in"})
"""The keywords that end a comparison."""


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

    @property
    def kind_before(self) -> str:
        """The kind of the token before the place."""
        return self.before[-1].type

    @property
    def effect(self) -> str:
        """The effect of the policy, as far as it was read: `allow`, `deny` or ""."""
        return next((token.type.lower() for token in self.before if token.type in ("ALLOW", "DENY")), "")

    def line(self) -> str:
        """Returns the line of the unexpected token, as far as advice looks at it."""
        start = len(self.text) if self.found is None else self.found.start
        first = max(self.text.rfind("\n", 0, start) + 1, start - LOOKED_AT)
        return self.text[first : start + LOOKED_AT].split("\n", 1)[0].strip()

    def is_on_new_line(self) -> bool:
        """Returns whether the unexpected token starts a line."""
        return self.found is not None and "\n" in self.text[self.before[-1].end : self.found.start]

    def compared(self) -> tuple[str, str]:
        """Returns the attribute of the comparison at the place and the rest of its line, or twice "" outside of one."""
        for token in reversed(self.before):
            if token.type == "ATTRIBUTE":
                return token.text, self.text[token.end : token.end + LOOKED_AT].split("\n", 1)[0]
            if token.type in _ENDS:
                break
        return "", ""

    def keywords(self) -> list[str]:
        """Returns the keywords that may stand here."""
        return [name.lower() for name in self.accepted if name.lower() in KEYWORDS]
