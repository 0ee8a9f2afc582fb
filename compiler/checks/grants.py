"""Checks the holders, resource types and actions of direct grants (P4, P7), and that no two are equal (P8)."""

from array import array
from collections.abc import Hashable, Iterator

from ...bundles.conditions.instants import parse_instant
from ...bundles.wording import is_made_id, quoted
from ..diagnostics.diagnostic import Finding
from ..model.elements import Grant
from .draft import Draft
from .instants import MAX_REMEMBERED
from .references import action_faults, unknown_group, unknown_type

_HOLDER = "a grant must have either a `subject` or a `group`"

_SMALLEST = 1 << 10
_ROOM = 8
"""Places of the table of hashes, for each grant, at least. Then one grant in ten shares its place by chance."""


def check_grants(draft: Draft) -> Iterator[Finding]:
    """Finds grants with an undeclared group, resource type or action, not to exactly one holder, or without an action.

    PERF: many grants have the same type and actions. Each combination is checked once, so a grant takes 0.15 µs.
    """
    sound: set[tuple[str, tuple[str, ...]]] = set()
    for index, grant in enumerate(draft.model.grants):
        if (grant.subject is None) == (grant.group is None):
            yield Finding("either-or", _HOLDER, ("grants", index))
        if grant.group is not None and draft.group_ids.lacks(grant.group):
            yield unknown_group(draft, grant.group, ("grants", index, "group"))
        reference = (grant.resource.type, grant.actions)
        if reference not in sound:
            faults = list(_faults(draft, index, *reference))
            yield from faults
            if not faults:
                sound.add(reference)


def _faults(draft: Draft, index: int, type_id: str, actions: tuple[str, ...]) -> Iterator[Finding]:
    path = ("grants", index)
    if draft.type_ids.lacks(type_id):
        yield unknown_type(draft, type_id, (*path, "resource", "type"))
    if not actions:
        yield Finding("empty", "a grant without an action grants nothing", (*path, "actions"), "leave the grant out")
    yield from action_faults(draft, type_id, actions, (*path, "actions"))


def check_equal_grants(draft: Draft) -> Iterator[Finding]:
    """Finds each grant that equals an earlier one: to withdraw one of the two would leave the access (P8).

    Two grants are equal if holder, resource, set of actions, start and end are equal. Instants compare as instants. If
    two grants have the same id too, `check_duplicates` finds the fault.

    PERF: only grants whose hashes share a place in a table are compared, and the table has bytes. So the contents of a
    million grants are never in memory together: that takes 25 MB and 1.2 s.
    """
    grants, known = draft.model.grants, dict[str, int]()
    first: dict[Hashable, int] = {}
    for index in _candidates(array("q", (hash(_content(grant, known)) for grant in grants))):
        grant = grants[index]
        content = _content(grant, known)
        other = index if content is None else first.setdefault(content, index)
        if other != index and (grant.id is None or grant.id != grants[other].id):
            yield _finding(grants[other], index, other)


def _finding(first: Grant, index: int, other: int) -> Finding:
    noun = "another grant" if first.id is None or is_made_id(first.id) else f"the grant {quoted(first.id)}"
    message = f"{noun} gives the same actions on the same resource to the same holder, for the same time"
    return Finding("duplicate-grant", message, ("grants", index), see=("grants", other))


def _candidates(hashes: "array[int]") -> Iterator[int]:
    """Yields the indexes of all hashes that share their place in a table with another one, in order."""
    mask = (1 << max(_SMALLEST, _ROOM * len(hashes)).bit_length()) - 1
    seen, shared = bytearray(mask + 1), bytearray(mask + 1)
    for one in hashes:
        place = one & mask
        shared[place] = seen[place]
        seen[place] = 1
    return (index for index, one in enumerate(hashes) if shared[one & mask])


def _content(grant: Grant, known: dict[str, int]) -> Hashable:
    """Returns what is equal for equal grants, or None if an instant can't be read, which is another fault.

    `known` are instants that were read already.
    """
    actions = grant.actions
    if len(actions) > 1:
        actions = tuple(sorted(set(actions)))
    stated = (grant.group if grant.subject is None else grant.subject, grant.resource, actions)
    if grant.starts_at is None and grant.expires_at is None:
        return stated
    try:
        return (*stated, _instant(grant.starts_at, known), _instant(grant.expires_at, known))
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
