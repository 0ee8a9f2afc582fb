"""The shapes of promotions: the record, the preview, and the drift of an environment."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from ....bundles.routing.settings import GatewaySettings
from ....compiler.model.elements import ElementKind
from ..history.change_log import ChangeCounts
from ..history.origin import SOURCE_NAMES, Origin
from ..models.remaining_uses import Use

MAX_NOTE: Final = 2_000
"""The characters of a note, and of the reason of a rejection."""

MAX_SHOWN: Final = 1_000
"""The changed elements that a preview, an approval or a drift shows one by one."""

MAX_SHOWN_BYTES: Final = 8 * 1024 * 1024
"""Their bytes together."""

Change = Literal["added", "changed", "removed", "moved"]
Status = Literal["pending", "done", "rejected"]
Note = Annotated[str, Meta(max_length=MAX_NOTE)]
Sha256 = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]
Body = dict[str, Any] | None


class ElementDifference(Struct, frozen=True):
    """The change of an element: its bodies before and after, or null if it did not exist.

    A route that comes earlier or later among the others is `moved`. `text` has the change in the language: lines with
    `- ` go, those with `+ ` come, the others stay.
    """

    kind: ElementKind
    id: str
    change: Change
    before: Body
    after: Body
    text: tuple[str, ...] = ()


class DriftChange(ElementDifference, frozen=True, kw_only=True):
    """An edit in place: who made the last one of this element, and in which revision."""

    revision: int
    by: str
    time: str


class Drift(Struct, frozen=True):
    """The elements that were edited in place in an environment since its last promotion.

    `baseline` is that promotion, or null before the first one: then nothing has drifted. `truncated` says that there
    are more changes than the answer shows.
    """

    drifted: bool
    baseline: Origin | None
    changes: tuple[DriftChange, ...]
    truncated: bool = False


class RoleRename(Struct, frozen=True, forbid_unknown_fields=True, rename={"old": "from", "new": "to"}):
    """A role that the promotion removes, and the one that it adds in its place: the holders stay the same."""

    old: Annotated[str, Meta(min_length=1, max_length=512)]
    new: Annotated[str, Meta(min_length=1, max_length=512)]


class Preview(Struct, frozen=True, rename=SOURCE_NAMES):
    """The preview of a promotion. `digest` is that of the policy model that the target would have.

    `elements` are the changed elements, the first 1,000, and `truncated` says that there are more. `in_use` are the
    elements that prevent the promotion. With `renames`, `elements` has the assignments too that get the new role.
    `errors` are those of the policy model: they prevent a promotion, and a restoration only warns of them.
    """

    environment: str
    epoch: int
    source_revision: int
    revision: int
    digest: Sha256
    changes: ChangeCounts
    elements: tuple[ElementDifference, ...]
    truncated: bool
    in_use: tuple[Use, ...]
    drift: Drift
    dry_run: bool = True
    renames: tuple[RoleRename, ...] = ()
    errors: tuple[str, ...] = ()


class Promotion(Struct, frozen=True, omit_defaults=True, rename=SOURCE_NAMES):
    """A promotion or a restoration, or a change of gateway settings that needs an approval.

    `promoted_by` asked for it at `time`, `decided_by` approved or rejected it.

    `environment`, `epoch` and `source_revision` say where the policy model comes from. In a restoration and a change
    of gateway settings, that is the environment itself. `revision` is the one that it made in the target, `digest` that
    of the policy model or the settings, and `replaces` that of those before. `accepted_drift` are the edits in place
    that it overwrote. `renames` are the roles whose assignments it carries over to a new name. `errors` are those of a
    policy model that was restored although this Writ finds some in it.
    """

    id: str
    kind: Literal["promotion", "restoration", "gateway"]
    status: Status
    environment: str
    uuid: str
    epoch: int
    source_revision: int
    digest: Sha256
    replaces: Sha256
    promoted_by: str
    time: str
    changes: ChangeCounts
    revision: int | None = None
    note: str | None = None
    accepted_drift: tuple[DriftChange, ...] | None = None
    decided_by: str | None = None
    decided_at: str | None = None
    reason: str | None = None
    renames: tuple[RoleRename, ...] = ()
    errors: tuple[str, ...] = ()


class GatewayDifference(Struct, frozen=True):
    """The gateway settings before and after a change, or null if there are none."""

    before: GatewaySettings | None
    after: GatewaySettings | None


class PromotionDetail(Promotion, frozen=True, omit_defaults=True):
    """A promotion, and the exact changes of a pending one. `gateway` is there if it changes the gateway settings."""

    elements: tuple[ElementDifference, ...] = ()
    truncated: bool = False
    gateway: GatewayDifference | None = None


class Wanted(Struct, frozen=True):
    """A promotion that is asked for: `from` which environment, and on which conditions.

    `expect_digest` is the digest that a preview has shown.
    """

    source: str
    note: str | None = None
    accept_drift: bool = False
    expect_digest: str | None = None
    renames: tuple[RoleRename, ...] = ()


read_promotion: Final = msgspec.json.Decoder(Promotion).decode
"""Returns the promotion in a stored text."""
