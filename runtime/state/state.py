"""The interface of a state of program and facts: a bundle, or a bundle with later changes."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Protocol

from ...bundles.declarations.declarations import Declarations
from ...bundles.file.fact_records import GrantRecord, GroupRecord, SubjectRecord
from ...bundles.file.rule_index import AllowIndex, RuleIndex
from ...bundles.manifest import Manifest
from ...bundles.program.clauses import Clause, ResourceType
from ...bundles.program.demands import Demands
from ...bundles.routing.routing import Routing


class State(Protocol):
    """The interface that `Bundle` and `Overlay` share. A number means the same in all states of one bundle."""

    @property
    def manifest(self) -> Manifest:
        """The manifest of the bundle."""

    @property
    def revision(self) -> int:
        """The revision of the model."""

    @property
    def types(self) -> Sequence[ResourceType | None]:
        """The declared types by number. A type that was removed is None."""

    @property
    def action_sets(self) -> Sequence[frozenset[str]]:
        """The sets of actions, which grants name by number."""

    @property
    def demands(self) -> Demands:
        """The demands on attributes of the context and of actions (C12, C13). A change of them needs a new bundle."""

    def role_id(self, number: int) -> str:
        """Returns the id of a role."""

    def zone(self, name: str) -> tzinfo:
        """Returns a time zone that a clause names."""

    def clause(self, number: int) -> Clause:
        """Returns the clause of a number."""

    def rules(self, type: int, action: str) -> RuleIndex:
        """Returns the numbers of the clauses on one (type, action)."""

    def allows(self, type: int) -> AllowIndex:
        """Returns who has some ALLOW on the type: everyone, or the holders of some roles."""

    def subject(self, type: str, id: str) -> SubjectRecord | None:
        """Returns the roles and groups of a subject, or None if it is not registered."""

    def group(self, number: int) -> GroupRecord:
        """Returns the group of a number."""

    def grants(self, prefix: str, type: int, resource_id: str) -> tuple[GrantRecord, ...]:
        """Returns the grants of one subject or group on one resource, by id, with those that are not in force."""

    def granted(self, prefix: str, type: int) -> Sequence[str]:
        """Returns the resources of a type that have grants of a holder, in order, if its record does not list them."""

    def is_registered(self, type: int, id: str) -> bool:
        """Returns whether this instance of a closed type is registered (E7)."""

    def subject_id(self, type: str, external_id: str) -> str | None:
        """Returns the id of the subject with an external id, or None if there is none (E3)."""

    def resource_id(self, type: int, kind: str, alias: str) -> str | None:
        """Returns the id of the resource with an `external_id` or a `name` (`kind`), or None if there is none (E3)."""

    def declarations(self) -> Declarations:
        """Returns the declared attributes (E8). A change of them needs a new bundle."""

    def routing(self) -> Routing:
        """Returns the routes and the gateway settings."""
