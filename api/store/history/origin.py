"""The origin of a revision that a promotion or a restoration made."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from ....compiler.model.elements import ElementKind
from ..environments import Environment
from ..errors import Conflict

POLICY_KINDS: Final = (
    ElementKind.EXTENSIONS,
    ElementKind.REQUESTS,
    ElementKind.RESOURCE_TYPES,
    ElementKind.ROLES,
    ElementKind.POLICIES,
    ElementKind.ROUTES,
    ElementKind.ATTRIBUTES,
    ElementKind.LINTS,
)
"""The lists that a promotion covers: the policy model. All else belongs to its environment."""


SOURCE_NAMES: Final = {"environment": "from", "epoch": "from_epoch", "source_revision": "from_revision"}
"""The names outside Python of the members that say where a policy model comes from."""


class Origin(msgspec.Struct, frozen=True, rename=SOURCE_NAMES):
    """The origin of a policy model: the id of the promotion, and the environment, epoch and revision.

    `digest` is that of the policy model. `baseline` is the revision of this environment that drift is measured from. In
    a restoration, the environment is this one. `promoted_by` asked for it, with the `note`.
    """

    id: str
    environment: str
    uuid: str
    epoch: int
    source_revision: int
    digest: str
    baseline: int
    restored: bool = False
    promoted_by: str = ""
    note: str | None = None

    def provenance(self) -> dict[str, Any]:
        """Returns what every bundle of the policy model says of it: no person, no time, no note."""
        origin = {"id": self.environment, "uuid": self.uuid, "epoch": self.epoch, "revision": self.source_revision}
        return {"restored" if self.restored else "promoted": {"from": origin, "digest": self.digest}}


read_origin: Final = msgspec.json.Decoder(Origin).decode
"""Returns the origin in a text of the change log."""


def refuse_direct_change(environment: Environment, changes: Iterable[str]) -> None:
    """Raises Conflict for changes (by list) of the policy model of an environment that changes by promotion only."""
    if environment.promotion_only and any(kind in POLICY_KINDS for kind in changes):
        raise Conflict(
            "the opt-ins, resource types, roles, policies, routes, declared attributes and silenced lints of"
            f" `{environment.id}` change by promotion only: change them in another environment, and promote that"
            f" (`POST /v1/environments/{environment.id}/promotions`)"
        )
