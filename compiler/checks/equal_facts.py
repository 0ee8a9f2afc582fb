"""Checks that no two grants (P8) and no two assignments (P9) are equal: to withdraw one would leave the access."""

from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

from ...bundles.conditions.instants import parse_instant
from ...bundles.wording import is_made_id, quoted
from ..diagnostics.diagnostic import Finding
from ..model.elements import Assignment, Grant
from .draft import Draft
from .instants import MAX_REMEMBERED

Fact: TypeAlias = Assignment | Grant
_F = TypeVar("_F", Assignment, Grant)

_SMALLEST: Final = 1 << 10
_ROOM: Final = 8
"""Places of the table of hashes, for each fact, at least. Then one fact in ten shares its place by chance."""


def check_equal_grants(draft: Draft) -> Iterator[Finding]:
    """Finds each grant that equals an earlier one in holder, resource, set of actions, start and end."""
    said = "gives the same actions on the same resource to the same holder, for the same time"
    grants = draft.model.grants
    for index, other in _repeated(grants, _granted):
        message = f"{_named('grant', grants[other])} {said}"
        yield Finding("duplicate-grant", message, ("grants", index), see=("grants", other))


def check_equal_assignments(draft: Draft) -> Iterator[Finding]:
    """Finds each assignment that equals an earlier one in role, holder, start and end."""
    said = "gives the same role to the same holder, for the same time"
    assignments = draft.model.assignments
    for index, other in _repeated(assignments, _assigned):
        message = f"{_named('assignment', assignments[other])} {said}"
        yield Finding("duplicate-assignment", message, ("assignments", index), see=("assignments", other))


def _named(word: str, first: Fact) -> str:
    return f"another {word}" if first.id is None or is_made_id(first.id) else f"the {word} {quoted(first.id)}"


def _repeated(facts: Sequence[_F], content_of: Callable[[_F, dict[str, int]], Hashable]) -> Iterator[tuple[int, int]]:
    """Yields the index of each fact that equals an earlier one, and the index of that. Instants compare as instants.

    If two facts have the same id too, `check_duplicates` finds the fault.

    PERF: only facts whose hashes share a place in a table are compared, and the table has bytes. So the contents of a
    million facts are never in memory together: that takes 25 MB and 1.2 s.
    """
    known = dict[str, int]()
    first: dict[Hashable, int] = {}
    for index in _candidates(array("q", (hash(content_of(fact, known)) for fact in facts))):
        fact = facts[index]
        content = content_of(fact, known)
        other = index if content is None else first.setdefault(content, index)
        if other != index and (fact.id is None or fact.id != facts[other].id):
            yield index, other


def _candidates(hashes: "array[int]") -> Iterator[int]:
    """Yields the indexes of all hashes that share their place in a table with another one, in order."""
    mask = (1 << max(_SMALLEST, _ROOM * len(hashes)).bit_length()) - 1
    seen, shared = bytearray(mask + 1), bytearray(mask + 1)
    for one in hashes:
        place = one & mask
        shared[place] = seen[place]
        seen[place] = 1
    return (index for index, one in enumerate(hashes) if shared[one & mask])


def _granted(grant: Grant, known: dict[str, int]) -> Hashable:
    actions = grant.actions
    if len(actions) > 1:
        actions = tuple(sorted(set(actions)))
    return _in_time((grant.group if grant.subject is None else grant.subject, grant.resource, actions), grant, known)


def _assigned(one: Assignment, known: dict[str, int]) -> Hashable:
    return _in_time((one.group if one.subject is None else one.subject, one.role), one, known)


def _in_time(stated: tuple[Hashable, ...], fact: Fact, known: dict[str, int]) -> Hashable:
    """Returns what is equal for equal facts, or None if an instant can't be read, which is another fault.

    `known` are instants that were read already.
    """
    if fact.starts_at is None and fact.expires_at is None:
        return stated
    try:
        return (*stated, _instant(fact.starts_at, known), _instant(fact.expires_at, known))
    except ValueError:
        return None


def _instant(text: str | None, known: dict[str, int]) -> int | None:
    """Returns the nanoseconds of an instant, or None if there is none. Raises ValueError."""
    if text is None:
        return None
    instant = known.get(text)
    if instant is None:
        instant = parse_instant(text)
        if len(known) < MAX_REMEMBERED:
            known[text] = instant
    return instant
