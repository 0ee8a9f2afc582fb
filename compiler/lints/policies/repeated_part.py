"""The lint `repeated-part`: the same condition, member, role or action twice, where another one was probably meant."""

from collections.abc import Hashable, Iterable, Iterator, Sequence

from ....bundles.conditions.constants import canonical_key
from ....bundles.wording import Path, quoted
from ...checks.conditions_of import conditions_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.elements import Condition
from ..prepared_policy import PreparedPolicy


def repeated_part(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each part of a policy, a group or a type that an earlier part equals."""
    for path, what in _repeated(draft, policies):
        yield Finding("repeated-part", f"{what} is here twice", path, "leave one out", severity="warning")


def _repeated(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[tuple[Path, str]]:
    for index, type in enumerate(draft.model.resource_types):
        yield from _twice(("resource_types", index, "actions"), type.actions, "the action {}")
    for index, group in enumerate(draft.model.groups):
        if len({*group.members}) < len(group.members):
            keys = [one.group if one.group is not None else f"{one.type} {one.id}" for one in group.members]
            yield from _twice(("groups", index, "members"), keys, "the member {}")
    for prepared in policies:
        yield from _in_policy(prepared)


def _in_policy(prepared: PreparedPolicy) -> Iterator[tuple[Path, str]]:
    policy, path = prepared.policy, ("policies", prepared.index)
    yield from _twice((*path, "roles"), policy.roles or (), "the role {}")
    yield from _twice((*path, "except_roles"), policy.except_roles or (), "the role {}")
    for place, scope in enumerate(policy.resource_types):
        yield from _twice((*path, "resource_types", place, "actions"), scope.actions, "the action {}")
    seen: set[Hashable] = set()
    for section, condition, at in conditions_of(policy, prepared.index):
        meaning = (section, condition.key, condition.op, _compared(condition))
        if meaning in seen:
            yield at, f"the condition on {quoted(condition.key)}"
        seen.add(meaning)


def _compared(condition: Condition) -> Hashable:
    return condition.value_of if condition.value_of is not None else canonical_key(condition.value)


def _twice(path: Path, names: Iterable[str], what: str) -> Iterator[tuple[Path, str]]:
    seen: set[str] = set()
    for place, name in enumerate(names):
        if name in seen:
            yield (*path, place), what.format(quoted(name))
        seen.add(name)
