"""The shapes of management requests and answers, except elements. The OpenAPI document shows them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ...http.openapi.operation import Instant
from ...http.rejections import Detail
from ...review.people.people_answer import PeopleAnswer
from ...store.history.gateway_past import GatewayChange
from ...store.history.origin import Origin

Change = Literal["added", "changed", "removed", "moved"]
Count = Annotated[int, Meta(ge=0)]


Approvals = Annotated[int, Meta(ge=0, le=1)]
Description = Annotated[str, Meta(max_length=1_000)]


class TotalAnswer(Struct, frozen=True):
    """The number of the elements that fit. With `more`, there are more than these."""

    count: Count
    more: bool


class NewEnvironment(Struct, frozen=True, forbid_unknown_fields=True):
    """A new environment. A protected one can't be deleted.

    If it is `promotion_only`, its policy model changes by promotion alone. With
    `approvals` 1, each promotion waits until another credential approves it. If `tests_must_pass`, a promotion is
    refused if its stored tests fail on it.
    """

    id: Annotated[str, Meta(extra_json_schema={"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"})]
    protected: bool = False
    promotion_only: bool = False
    tests_must_pass: bool = False
    approvals: Approvals = 0
    description: Description = ""


class EnvironmentPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A merge patch of an environment. No other member can be changed, and none can be removed.

    Only the administrator's key can take away `promotion_only`, `tests_must_pass` and `approvals`.
    """

    protected: bool | UnsetType = UNSET
    promotion_only: bool | UnsetType = UNSET
    tests_must_pass: bool | UnsetType = UNSET
    approvals: Approvals | UnsetType = UNSET
    description: Description | UnsetType = UNSET


class EnvironmentAnswer(Struct, frozen=True):
    """An environment. `epoch` rises when a backup is restored, `revision` with every change of its model.

    `baseline` is the revision of the promotion that its policy model comes from, or null before the first one.
    """

    id: str
    uuid: str
    description: str
    protected: bool
    promotion_only: bool
    tests_must_pass: bool
    approvals: Count
    epoch: Count
    revision: Count
    baseline: Count | None
    created: Instant


class ListChanges(Struct, frozen=True, omit_defaults=True):
    """The numbers of elements of a list that were added, changed and removed, and of routes that moved among the
    others.
    """

    added: Count
    changed: Count
    removed: Count
    moved: Count = 0


class ElementChange(Struct, frozen=True, omit_defaults=True):
    """The change of one element. Subjects and resources have a `type`, since their key has two parts."""

    kind: str
    id: str
    change: Change
    type: str | None = None


class NamedElement(Struct, frozen=True):
    """An assignment or a grant by its list and its id. `text` is the sentence for it."""

    kind: str
    id: str
    text: str


class KeptFacts(Struct, frozen=True):
    """The assignments and grants that stay although the document lacks them: their numbers, and the first 1,000."""

    counts: dict[str, Count]
    elements: tuple[NamedElement, ...]


class ModelChanges(Struct, frozen=True, omit_defaults=True):
    """The revision, and the changes by list of the model document. Lists without changes are left out.

    `elements` has the first 1,000 changed elements. `warnings` are those of `writ check`, if there are any. `dry_run`
    is true if nothing was written, and else left out. `kept` is there with `keep_facts`. `people` says who gains and
    who loses, if it was asked for.
    """

    revision: Count
    changes: dict[str, ListChanges]
    elements: tuple[ElementChange, ...]
    warnings: tuple[Detail, ...] = ()
    dry_run: bool = False
    kept: KeptFacts | None = None
    people: PeopleAnswer | None = None


class RevisionAnswer(Struct, frozen=True):
    """A revision: its author, its time, and its number of changes by list of the model document, and of `gateway`.

    `promotion` says where the policy model came from if a promotion or a restoration made the revision, or else null.
    """

    revision: Count
    by: str
    time: Instant
    changes: dict[str, ListChanges]
    promotion: Origin | None


class EntryAnswer(Struct, frozen=True, omit_defaults=True):
    """The change of one element in a revision. `before` is null if it was added, `after` if it was removed.

    Subjects and resources have a `type`, since their key has two parts. `text` has the change in the language, line by
    line: lines with `- ` go, those with `+ ` come, the others stay.
    """

    kind: str
    id: str
    change: Change
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    type: str | None = None
    text: tuple[str, ...] = ()


class NamedChange(Struct, frozen=True, omit_defaults=True):
    """The change of one element, with its `name` for people, or with the sentence for an assignment or a grant."""

    kind: str
    id: str
    change: Change
    type: str | None = None
    name: str | None = None
    text: str = ""


class ListedRevision(RevisionAnswer, frozen=True):
    """A revision in a list. `elements` has its first changes, if they were asked for.

    With `id` in the query, `entry` is the change of that element.
    """

    elements: tuple[NamedChange, ...] | UnsetType = UNSET
    entry: EntryAnswer | UnsetType = UNSET


class RevisionDetail(Struct, frozen=True):
    """A revision with the change of every element. A page of them has a `next_cursor`, which is null at the end.

    For an administrator, `gateway` has the gateway settings before and after, if the revision changed them and the
    audit log still has them.
    """

    revision: Count
    by: str
    time: Instant
    changes: dict[str, ListChanges]
    promotion: Origin | None
    entries: tuple[EntryAnswer, ...]
    gateway: GatewayChange | UnsetType = UNSET
    next_cursor: str | UnsetType | None = UNSET


class GrantChanges(Struct, frozen=True):
    """The grants that setting those on a resource added and removed, and the number of those that stay."""

    added: list[Any]
    removed: list[Any]
    unchanged: Count
