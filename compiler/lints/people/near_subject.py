"""The lint `near-subject`: a subject whose id is one slip away from that of a known subject (P4)."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ....bundles.wording import Path, did_you_mean, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.elements import SubjectRef
from ..prepared_policy import PreparedPolicy

MOST_LOOKED_AT: Final = 100
"""The unknown subjects for which a similar one is looked for."""

_SHORTEST: Final = 4
"""The letters of an id below which nearly every other id is near."""


def near_subject(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each subject of an assignment or a grant that nothing lists, if one that is listed has nearly its id.

    A subject is known if `subjects` list it or a group has it. Ids with other digits are other ids.
    """
    known: dict[str, set[str]] = defaultdict(set)
    for listed in draft.model.subjects:
        known[listed.type].add(listed.id)
    for group in draft.model.groups:
        for member in group.members:
            if member.type is not None and member.id is not None:
                known[member.type].add(member.id)
    told: set[SubjectRef] = set()
    for path, subject in _named(draft):
        if len(told) == MOST_LOOKED_AT:
            return
        if subject not in told and subject.id not in known.get(subject.type, ()) and _is_word(subject.id):
            told.add(subject)
            near = _near(subject.id, known.get(subject.type, ()))
            if near is not None:
                message = f"nothing lists the {subject.type} {quoted(subject.id)}, but {quoted(near)} is there"
                yield Finding("near-subject", message, path, did_you_mean(subject.id, [near]), severity="warning")


def _named(draft: Draft) -> Iterator[tuple[Path, SubjectRef]]:
    for index, assignment in enumerate(draft.model.assignments):
        if assignment.subject is not None:
            yield ("assignments", index, "subject", "id"), assignment.subject
    for index, grant in enumerate(draft.model.grants):
        if grant.subject is not None:
            yield ("grants", index, "subject", "id"), grant.subject


def _is_word(id: str) -> bool:
    return len(id) >= _SHORTEST


def _near(id: str, known: Collection[str]) -> str | None:
    return next((one for one in sorted(known) if _is_word(one) and _is_one_slip(id, one)), None)


def _is_one_slip(left: str, right: str) -> bool:
    """Returns whether one letter is missing, added, another one, or changed with its neighbour.

    >>> _is_one_slip("dorra", "dora"), _is_one_slip("daro", "dora"), _is_one_slip("u-10", "u-11")
    (True, False, False)
    """
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    one, other = left[start:], right[start:]
    if len(one) != len(other):
        longer, shorter = (one, other) if len(one) > len(other) else (other, one)
        return longer[1:] == shorter and not longer[0].isdigit()
    changed = one[1:] == other[1:] and not (one[0].isdigit() or other[0].isdigit())
    return changed or (one[:2] == other[1::-1] and one[2:] == other[2:])
