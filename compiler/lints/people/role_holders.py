"""The holders of each role, by assignment: to the subject itself, or to a group that contains it (P2, P3)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ....bundles.conditions.instants import parse_instant
from ....bundles.program.closure import TooManyAncestors, ancestors
from ...model.elements import Assignment, Grant, Model, SubjectRef


class HoldingSpan(NamedTuple):
    """The instants in which an assignment or a grant is in force, in nanoseconds. None is no limit (P4)."""

    starts: int | None
    expires: int | None

    def contains(self, other: "HoldingSpan") -> bool:
        """Returns whether this span has every instant of the other one."""
        starts_first = self.starts is None or (other.starts is not None and other.starts >= self.starts)
        return starts_first and (self.expires is None or (other.expires is not None and other.expires <= self.expires))


ALWAYS = HoldingSpan(None, None)


def span_of(element: Assignment | Grant) -> HoldingSpan | None:
    """Returns the instants in which an element is in force, or None if one of its times can't be read."""
    if element.starts_at is None and element.expires_at is None:
        return ALWAYS
    try:
        return HoldingSpan(
            None if element.starts_at is None else parse_instant(element.starts_at),
            None if element.expires_at is None else parse_instant(element.expires_at),
        )
    except ValueError:
        return None


class Groups:
    """The groups of a model: which contain which, and which subjects are in them."""

    def __init__(self, model: Model):
        """If the groups have too many ancestors, which is an error, each group is only in those that list it."""
        self.parents: dict[str, set[str]] = {group.id: set() for group in model.groups}
        self._of: dict[tuple[str, str], list[str]] = defaultdict(list)
        for group in model.groups:
            for member in group.members:
                if member.group in self.parents:
                    self.parents[member.group].add(group.id)
                elif member.type is not None and member.id is not None:
                    self._of[member.type, member.id].append(group.id)
        self.above: Mapping[str, AbstractSet[str]]
        try:
            self.above = ancestors(self.parents)
        except TooManyAncestors:
            self.above = self.parents

    def of(self, subject: SubjectRef) -> Iterator[str]:
        """Yields the groups that contain a subject, directly or through others, each once, the direct ones first."""
        direct = dict.fromkeys(self._of.get((subject.type, subject.id), ()))
        yield from direct
        yield from sorted({above for group in direct for above in self.above.get(group, ())}.difference(direct))

    def members_of(self, groups: set[str]) -> dict[str, list[tuple[str, str]]]:
        """Returns the types and ids of the subjects in each of some groups, directly or through others."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for subject in self._of if groups else ():
            for group in groups.intersection(self.of(SubjectRef(*subject))):
                found[group].append(subject)
        return found

    def with_subjects(self) -> set[str]:
        """Returns the groups that contain a subject, directly or through others."""
        direct = {group for groups in self._of.values() for group in groups}
        return direct.union(*(self.above.get(group, ()) for group in direct))
