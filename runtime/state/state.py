"""One state of program and facts as decisions ask for it: a bundle, or a bundle with what has changed since."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Protocol

from ...bundles.file.fact_records import GrantRecord, GroupRecord, SubjectRecord
from ...bundles.file.rule_index import AllowIndex, RuleIndex
from ...bundles.manifest import Manifest
from ...bundles.program.clauses import Clause, ResourceType


class State(Protocol):
    """What `Bundle` and `Overlay` have in common; numbers mean the same in all states that come from one bundle."""

    @property
    def manifest(self) -> Manifest:
        """What the bundle is of."""

    @property
    def revision(self) -> int:
        """The revision of the model that this state is of."""

    @property
    def types(self) -> Sequence[ResourceType | None]:
        """The declared types by number, None for one that is gone."""

    @property
    def action_sets(self) -> Sequence[frozenset[str]]:
        """The sets of actions that grants name by number."""

    def role_id(self, number: int) -> str:
        """The id of a role."""

    def zone(self, name: str) -> tzinfo:
        """A time zone that a clause names."""

    def clause(self, number: int) -> Clause:
        """The clause of that number."""

    def rules(self, type: int, action: str) -> RuleIndex:
        """The numbers of the clauses on one (type, action)."""

    def allows(self, type: int) -> AllowIndex:
        """Who has some ALLOW on the type."""

    def subject(self, type: str, id: str) -> SubjectRecord | None:
        """The roles and groups of a registered subject."""

    def group(self, number: int) -> GroupRecord:
        """The group of that number."""

    def grants(self, prefix: str, type: int, resource_id: str) -> tuple[GrantRecord, ...]:
        """The direct grants of one subject on one resource, by id, expired ones too."""

    def granted(self, prefix: str, type: int) -> Sequence[str]:
        """The ids of the resources of a type on which a subject may have grants, in order, where these are many."""

    def is_registered(self, type: int, id: str) -> bool:
        """Whether a closed type has this instance (E7)."""

    def subject_id(self, type: str, external_id: str) -> str | None:
        """The id behind a subject's external id (E3)."""

    def resource_id(self, type: int, kind: str, alias: str) -> str | None:
        """The id behind a resource's `external_id` or `name` (`kind`) (E3)."""
