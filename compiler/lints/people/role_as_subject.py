"""The lint `role-as-subject`: a role where a subject stands, so Writ reads a subject whose type is `role` (P3, P4)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.wording import Path, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy

_TYPE: Final = "role"
_REMEDIES: Final = {
    "groups": "the members of a group are subjects and groups; to give them the role, assign it to the group",
    "assignments": "assign the role to a subject or a group",
    "grants": "a grant is for a subject or a group; for a role, write a policy",
}


def role_as_subject(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each subject of the type `role` that has the id of a role, unless such subjects are declared."""
    declared = draft.attributes.subject if draft.attributes is not None else None
    if _TYPE in (declared or ()) or any(one.type == _TYPE for one in draft.model.subjects):
        return
    for path, id in _subjects_named_role(draft):
        if id in draft.role_ids.known:
            message = f"`role {id}` is a subject here, of the type `role`: no holder of the role {quoted(id)} is meant"
            yield Finding("role-as-subject", message, path, _REMEDIES[str(path[0])], severity="warning")


def _subjects_named_role(draft: Draft) -> Iterator[tuple[Path, str]]:
    for index, group in enumerate(draft.model.groups):
        for place, member in enumerate(group.members):
            if member.type == _TYPE and member.id is not None:
                yield ("groups", index, "members", place), member.id
    for index, assignment in enumerate(draft.model.assignments):
        if assignment.subject is not None and assignment.subject.type == _TYPE:
            yield ("assignments", index, "subject"), assignment.subject.id
    for index, grant in enumerate(draft.model.grants):
        if grant.subject is not None and grant.subject.type == _TYPE:
            yield ("grants", index, "subject"), grant.subject.id
