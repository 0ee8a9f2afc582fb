"""Tells whether one name says the opposite of another, so that no advice turns the meaning of a name round."""

import re
from difflib import SequenceMatcher
from typing import Final

_NEGATIVES: Final = frozenset(
    (
        "except",
        "excepts",
        "exception",
        "exceptions",
        "exclude",
        "excludes",
        "excluded",
        "excluding",
        "without",
        "not",
        "no",
        "non",
        "none",
        "never",
        "nin",
        "ne",
        "neq",
        "outside",
        "unless",
        "but",
        "minus",
        "deny",
        "denies",
        "denied",
        "forbid",
        "forbids",
        "forbidden",
        "block",
        "blocked",
        "reject",
        "rejected",
        "disable",
        "disables",
        "disabled",
        "disallow",
        "disallowed",
        "inactive",
        "off",
        "false",
        "absent",
        "missing",
        "revoke",
        "revoked",
        "remove",
        "delete",
        "drop",
        "skip",
        "ignore",
        "omit",
        "unset",
        "close",
        "closed",
    )
)
"""The words that deny, leave out or switch off."""

_PREFIXES: Final = ("not", "non", "no", "un", "dis", "de", "in", "im", "ir", "anti", "n", "!")
"""Beginnings that turn the meaning of a word round."""

_PAIRS: Final = (
    ("allow", "deny"),
    ("allow", "block"),
    ("white", "black"),
    ("permit", "forbid"),
    ("accept", "reject"),
    ("include", "exclude"),
    ("enable", "disable"),
    ("grant", "revoke"),
    ("lock", "unlock"),
    ("min", "max"),
    ("least", "most"),
    ("before", "after"),
    ("start", "end"),
    ("starts", "expires"),
    ("starts", "ends"),
    ("begin", "end"),
    ("from", "until"),
    ("gt", "lt"),
    ("gte", "lte"),
    ("any", "none"),
    ("all", "none"),
    ("open", "close"),
    ("true", "false"),
    ("on", "off"),
    ("narrowed", "widened"),
    ("gains", "loses"),
    ("inbound", "outbound"),
)
_OPPOSITES: Final = frozenset((*_PAIRS, *((other, one) for one, other in _PAIRS)))
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|!|\d+")
_SLIP: Final = 0.8
"""The likeness of a misspelt word and the one that is meant."""


def is_opposite(word: str, name: str) -> bool:
    """Returns whether `name` means the opposite of `word`, as far as their parts tell.

    >>> is_opposite("derived_roles", "except_roles"), is_opposite("exept_roles", "except_roles")
    (True, False)
    >>> is_opposite("disabled", "enabled"), is_opposite("notRegex", "regex"), is_opposite("unapprove", "approve")
    (True, True, True)
    >>> is_opposite("notes", "note"), is_opposite("max_amount", "min_amount"), is_opposite("raed", "read")
    (False, True, False)
    """
    one, other = _parts(word), _parts(name)
    if "".join(one) == "".join(other):
        return False
    if _negations(one, other) % 2 != _negations(other, one) % 2:
        return True
    if any(_are_opposites(a, b) for a, b in zip(one, other, strict=False) if a != b):
        return True
    if _negations(one, other):
        return False
    return _turned("".join(one), "".join(other)) or _turned("".join(other), "".join(one))


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _PARTS.findall(name)]


def _negations(parts: list[str], others: list[str]) -> int:
    """Returns how many parts deny. One that is misspelt counts if the other name has the right word."""
    negative = [other for other in others if other in _NEGATIVES]
    return sum(part in _NEGATIVES or any(_is_like(part, word) for word in negative) for part in parts)


def _are_opposites(one: str, other: str) -> bool:
    """Returns whether two parts are opposites, or begin with opposites and end alike, as in `denylist`."""
    return any(
        one.startswith(a) and other.startswith(b) and one.removeprefix(a) == other.removeprefix(b)
        for a, b in _OPPOSITES
    )


def _turned(word: str, name: str) -> bool:
    """Returns whether `word` is `name` with a beginning that turns it round. What both begin with turns nothing."""
    if word.endswith("nt") and word.removesuffix("nt") == name:
        return True  # hasnt
    for prefix in _PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and not name.startswith(prefix) and (rest == name or (len(rest) > 3 and _is_like(rest, name))):
            return True
    return False


def _is_like(one: str, other: str) -> bool:
    return sorted(one) == sorted(other) or SequenceMatcher(None, one, other).ratio() >= _SLIP
