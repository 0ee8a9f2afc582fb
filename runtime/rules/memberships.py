"""The groups of a subject, as conditions compare them: `subject.groups` (X1)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from ...bundles.file.fact_records import GroupRecord


class Memberships:
    """All groups that a subject is a member of, directly or not (P3). Subjects of the same groups share one.

    PERF: the ids are read when a test first needs them, since most models compare no groups.
    """

    def __init__(self, records: Sequence[GroupRecord] = ()):
        self._records = records

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the groups, in order. The caller must not change the list."""
        return sorted(record.id for record in self._records)

    @cached_property
    def id_set(self) -> frozenset[str]:
        """The ids of the groups."""
        return frozenset(self.ids)


NO_GROUPS = Memberships()
"""The memberships of a subject that is in no group."""


class HasGroups(Protocol):
    """A subject with its memberships, as tests get it beside its key and its attributes."""

    @property
    def memberships(self) -> Memberships:
        """Its groups."""


class _Nobody:
    memberships = NO_GROUPS


NOBODY: HasGroups = _Nobody()
"""The subject of tests that read none."""
