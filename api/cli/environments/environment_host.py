"""The interface to the environments of a place: a store in a data directory, or a running service."""

from collections.abc import Sequence
from typing import Protocol

from ...endpoints.management.management_shapes import EnvironmentAnswer, EnvironmentPatch, NewEnvironment
from ...endpoints.management.promotions.promotion_shapes import PreviewAnswer, PromotionRecord
from ...store.promotions.promotion import Drift, Promotion, Wanted
from ..model_elements import Elements


class HostRefused(Exception):
    """The place says no. The message is one sentence; `details` are more of them, and `drift` what was edited."""

    def __init__(self, message: str, details: Sequence[str] = (), drift: Drift | None = None):
        super().__init__(message)
        self.details, self.drift = details, drift


class EnvironmentHost(Protocol):
    """The environments of a place. Every method raises Refused, and CommandFailed if the place can't be reached."""

    def environments(self) -> Sequence[EnvironmentAnswer]:
        """Returns all environments, by id."""

    def create(self, wanted: NewEnvironment) -> EnvironmentAnswer:
        """Make an environment."""

    def change(self, env: str, patch: EnvironmentPatch) -> EnvironmentAnswer:
        """Change the settings of an environment."""

    def delete(self, env: str) -> None:
        """Delete an environment with its model and its history."""

    def promote(self, env: str, wanted: Wanted, dry_run: bool) -> PreviewAnswer | Promotion:
        """Promote to the environment `env`, or show what that would do."""

    def waiting(self, env: str, id: str) -> PromotionRecord:
        """Returns a promotion that waits, with its exact changes, and who gains and who loses by it."""

    def approve(self, env: str, id: str, digest: str | None) -> Promotion:
        """Approve a promotion that waits."""

    def reject(self, env: str, id: str, reason: str | None) -> Promotion:
        """Reject a promotion that waits."""

    def restore(self, env: str, revision: int, wanted: Wanted, dry_run: bool) -> PreviewAnswer | Promotion:
        """Go back to the policy model of a revision, or show what that would do."""

    def drift(self, env: str) -> Drift:
        """Returns what was edited in place since the last promotion."""

    def policy_elements(self, env: str) -> Elements:
        """Returns the policy model of an environment."""
