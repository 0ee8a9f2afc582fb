"""Words for the smallest sets of changes that would allow a denied request (D11)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ....bundles.wording import joined, quoted
from .plain_values import counted, listed, short_value
from .window_words import asking_words

MOST_SETS: Final = 10
"""The sets that a text has. It counts the others."""

_WHO: Final = {
    "caller": "the caller",
    "owner": "the owner of the resource",
    "administrator": "an administrator",
    "person": "another person",
}
_ITEM: Final = "  - "


def why_not_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines that say which changes would allow a request, one set on each line after the first.

    >>> change = {"who": "caller", "kind": "attribute", "path": "context.mfa", "value": True}
    >>> found = {"sets": [{"who": ["caller"], "changes": [change]}], "complete": True, "up_to": 4}
    >>> for line in why_not_lines(found):
    ...     print(line)
    This would allow it:
      - the caller sets `context.mfa` to true
    """
    sets: Sequence[Mapping[str, Any]] = found["sets"]
    if found.get("undeclared"):
        return
    if sets:
        yield "Each of these alone would allow it:" if len(sets) > 1 else "This would allow it:"
    elif found["complete"]:
        yield f"No set of up to {counted(found['up_to'], 'change')} would allow it."
    for one in sets[:MOST_SETS]:
        yield _ITEM + set_words(one)
    if len(sets) > MOST_SETS:
        yield f"{_ITEM}or one of {counted(len(sets) - MOST_SETS, 'other set')} of changes"
    if not found["complete"]:
        yield "There may be other changes: not all were tried."


def set_words(one: Mapping[str, Any]) -> str:
    """Returns a set of changes in words, by who makes them."""
    parts = []
    for who in one["who"]:
        made = [change for change in one["changes"] if change["who"] == who]
        parts.append(f"{_person(made[0]) if who == 'person' else _WHO[who]} {joined([*map(_change, made)], 'and')}")
    return joined(parts, "and")


def _person(change: Mapping[str, Any]) -> str:
    """Returns the words for another person. The roles of the one who asked count for that person too."""
    return f"another person, such as {quoted(change['id'])}," if "id" in change else _WHO["person"]


def _change(change: Mapping[str, Any]) -> str:
    match change["kind"]:
        case "person":
            return "with the same roles asks"
        case "time":
            return f"asks {_at(change)}"
        case "address":
            return f"asks from {listed(change['blocks'], 'or') if change['blocks'] else 'another address'}"
        case "attribute" if change.get("value_hidden"):
            return f"sets {quoted(change['path'])} to a value that is not shown here"
        case "attribute" if change["value"] is None:
            return f"takes {quoted(change['path'])} away"
        case "attribute":
            return f"sets {quoted(change['path'])} to {short_value(change['value'])}"
        case "role" if change["change"] == "take":
            return f"takes the role {quoted(change['role'])} from the subject"
        case "role":
            return f"gives the subject the role {quoted(change['role'])}"
        case "policy":
            return f"disables the policy {quoted(change['policy'])}"
        case "register":
            return "registers the resource"
        case _:
            return "grants the action on the resource to the subject"


def _at(change: Mapping[str, Any]) -> str:
    """Returns the words for the time of another request.

    >>> _at({"windows": [{"days": ["mon", "tue", "wed"], "start": "07:00"}], "value": "2026-01-05T07:00:00Z"})
    'from 07:00 on Monday to Wednesday (UTC)'
    """
    words = [*map(asking_words, change["windows"])]
    if words or change.get("value_hidden"):
        return joined(words, "and") if words else "at another time"
    return f"at another time, such as {change['value']}"
