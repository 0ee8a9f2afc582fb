"""The shapes of what the management endpoints take and answer beside elements; the OpenAPI document is made of them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ..http.rejections import Detail
from ..openapi.operation import Instant

Change = Literal["added", "changed", "removed"]
Count = Annotated[int, Meta(ge=0)]


class NewEnvironment(Struct, frozen=True, forbid_unknown_fields=True):
    """An environment to be made. A protected one can't be deleted."""

    id: Annotated[str, Meta(extra_json_schema={"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"})]
    protected: bool = False


class EnvironmentPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A merge patch of an environment: what is left out stays. Nothing else of it can be changed or removed."""

    protected: bool | UnsetType = UNSET


class EnvironmentAnswer(Struct, frozen=True):
    """An environment. `epoch` rises when a backup is restored, `revision` with every change of its model."""

    id: str
    uuid: str
    protected: bool
    epoch: Count
    revision: Count
    created: Instant


class ListChanges(Struct, frozen=True):
    """How many elements of a list were added, changed and removed."""

    added: Count
    changed: Count
    removed: Count


class ElementChange(Struct, frozen=True, omit_defaults=True):
    """What becomes of one element. `type` is there for subjects and resources, whose key has two parts."""

    kind: str
    id: str
    change: Change
    type: str | None = None


class ModelChanges(Struct, frozen=True, omit_defaults=True):
    """The revision, and by list of the model document what changed; lists without changes are left out.

    `elements` are the changed ones, the first 1,000 of them; `warnings`, where there are any, those of `writ check`.
    `dry_run` is there, and true, where nothing was changed but only looked at.
    """

    revision: Count
    changes: dict[str, ListChanges]
    elements: tuple[ElementChange, ...]
    warnings: tuple[Detail, ...] = ()
    dry_run: bool = False


class RevisionAnswer(Struct, frozen=True):
    """A revision: who made it, when, and how much it changed, by list of the model document."""

    revision: Count
    by: str
    time: Instant
    changes: dict[str, ListChanges]


class EntryAnswer(Struct, frozen=True, omit_defaults=True):
    """What a revision made of one element. `before` is null for an added one, `after` for a removed one.

    `type` is there for subjects and resources, whose key has two parts.
    """

    kind: str
    id: str
    change: Change
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    type: str | None = None


class RevisionDetail(Struct, frozen=True):
    """A revision with the exact difference that it made."""

    revision: Count
    by: str
    time: Instant
    changes: dict[str, ListChanges]
    entries: tuple[EntryAnswer, ...]
