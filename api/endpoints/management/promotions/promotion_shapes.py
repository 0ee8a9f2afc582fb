"""The shapes of the requests about promotions. The answers are those of `store.promotions`, with people."""

from typing import Annotated

from msgspec import Meta, Struct

from ....review.people.people_answer import PeopleAnswer
from ....review.testing.tests_gate import GateOutcome
from ....store.promotions.promotion import Note, Preview, PromotionDetail, RoleRename

Digest = Annotated[str, Meta(min_length=64, max_length=64, extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]
_DIGEST_SHOWN = "The digest that a preview has shown. If the result would have another one, the answer is 409."


_RENAMES = "Roles that the promotion removes, and those that come in their place. Their assignments stay, renamed."


class PreviewAnswer(Preview, frozen=True):
    """The preview of a promotion. `people` says who gains and who loses, and `tests` how the stored tests of the target
    end. Both are null if something is `in_use`, and `tests` if there are none.
    """

    people: PeopleAnswer | None = None
    tests: GateOutcome | None = None


class PromotionRecord(PromotionDetail, frozen=True, omit_defaults=True):
    """A promotion. `people` says who gains and who loses: now, if it waits, or else by the state that it changed. If it
    waits, `tests` says how the stored tests of the target end.
    """

    people: PeopleAnswer | None = None
    tests: GateOutcome | None = None


class NewPromotion(Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from"}):
    """A promotion to ask for. `from` is the id of the environment whose policy model is taken over."""

    source: str
    note: Note | None = None
    accept_drift: Annotated[bool, Meta(description="Overwrite what was edited in place.")] = False
    dry_run: Annotated[bool, Meta(description="Only answer what the promotion would do.")] = False
    expect_digest: Annotated[Digest | None, Meta(description=_DIGEST_SHOWN)] = None
    renames: Annotated[tuple[RoleRename, ...], Meta(max_length=100, description=_RENAMES)] = ()


class NewRestoration(Struct, frozen=True, forbid_unknown_fields=True):
    """A return to the policy model of an earlier revision."""

    note: Note | None = None
    dry_run: Annotated[bool, Meta(description="Only answer what the restoration would do.")] = False
    expect_digest: Annotated[Digest | None, Meta(description=_DIGEST_SHOWN)] = None


class Approval(Struct, frozen=True, forbid_unknown_fields=True):
    """The approval of a promotion. `digest` is the one that the approver has seen."""

    digest: Digest | None = None


class Rejection(Struct, frozen=True, forbid_unknown_fields=True):
    """The rejection of a promotion, and why."""

    reason: Note | None = None
