"""Advice about commas that are missing, or too many. A comma can widen a policy, so help says what it means."""

from typing import Final

from ....bundles.wording import quoted
from ..fault_place import NAME_LIKE, FaultPlace
from ..grammar import CLAUSES

NEGATIONS: Final = frozenset(("not", "no", "never", "except", "outside", "without", "unless", "excluding"))
"""Words after which a comma would turn the meaning round."""

_GATES: Final = frozenset(("WHEN", "ON", "FROM", "UNTIL", "IN", "AT"))
"""The keywords of clauses that follow the types of a policy."""


def comma_too_much(place: FaultPlace) -> str:
    """Returns advice about a comma before the end or before a clause, or ""."""
    if place.kind == "$END" and place.before[-1].type == "COMMA":
        return "remove the comma"
    after_comma = len(place.before) > 1 and place.before[-2].type == "COMMA"
    return f"remove the comma before {quoted(place.said(1))}" if after_comma and place.said(1) in CLAUSES else ""


def and_as_type(place: FaultPlace) -> str:
    """Returns advice about `and` in a list, which was read as a name, or ""."""
    if place.said(1) in ("and", "or") and place.before[-1].type in NAME_LIKE and "COMMA" in place.accepted:
        return f"write a comma in the place of {quoted(place.said(1))}"
    return ""


def comma(place: FaultPlace) -> str:
    """Returns advice about a comma that is missing, or that can't stand there, or ""."""
    if place.kind == "COMMA":
        return f"write a statement with {quoted(place.statement)} for each"
    after = NAME_LIKE | {"REQUIRED", "RSQB"}
    between = place.kind in NAME_LIKE and place.kind_before in after and "COMMA" in place.accepted
    if not between or place.word in NEGATIONS:
        return ""
    if place.statement == "policy":
        return _comma_of_policy(place)
    return f"write a comma before {quoted(place.word)}"


def _comma_of_policy(place: FaultPlace) -> str:
    """Advice for a name after a name in a policy. A comma widens it, so the help says what stands between commas."""
    if place.is_on_new_line():
        return "a line of a policy starts with a word such as `when`, `on`, `from` or `until`"
    if any(token.type in _GATES for token in place.before):
        return ""
    if "WHEN" in place.accepted:
        return "a comma stands between actions and between types; for one resource, write a statement with `grant`"
    return f"write a comma before {quoted(place.word)}, which means any of them" if "TO" in place.accepted else ""
