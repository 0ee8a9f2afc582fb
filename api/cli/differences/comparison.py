"""The answer of `writ diff`: the parts in which two models can differ. A new kind of difference is a new member."""

from typing import Any

from msgspec import Struct

from ...review.effects import Effect, decision_effect
from ...review.people.people_answer import PeopleAnswer
from ...store.history.change_log import ChangeCounts
from ...store.promotions.promotion import ElementDifference


class Changed(Struct, frozen=True):
    """A member of the manifests of two bundles."""

    before: Any
    after: Any


class Decided(Struct, frozen=True, omit_defaults=True):
    """The answer of one model to a test's request: members of the decision, or the filter of a search.

    `grant` is the direct grant that decides, as a sentence, if the model has documents.
    """

    decision: bool | None = None
    reason_code: str | None = None
    access_path: str | None = None
    policy_id: str | None = None
    denied_by: str | None = None
    filter: dict[str, Any] | None = None
    grant: str | None = None


class TestDifference(Struct, frozen=True):
    """A request of a test that the models answer differently. `name` is the test's, with its place in a table."""

    file: str
    name: str
    request: dict[str, Any]
    before: Decided
    after: Decided

    @property
    def effect(self) -> Effect:
        """The effect on the caller: the decision of the request changes, or only the reason for it."""
        if self.before.filter is not None:
            return Effect.FILTER
        return decision_effect(self.before.decision, self.after.decision)


class Renamed(Struct, frozen=True, rename={"old": "from", "new": "to"}):
    """An element with another id, to which all that referred to it refers now. `kind` is a word of the language."""

    kind: str
    old: str
    new: str


class ModelDifferences(Struct, frozen=True, omit_defaults=True):
    """The differences of the model `new` from `old`.

    `changes` counts the changed elements, which `elements` are. `manifest` has what differs in the manifests of
    bundles, and `not_compared` says what a bundle does not tell. Both models answered the `asked` requests of tests, or
    it is None without tests. `tests` are those with another answer. `people` says who gains and who loses, if asked.
    `renames` are the elements that only have another id.
    """

    old: str
    new: str
    changes: ChangeCounts
    elements: tuple[ElementDifference, ...]
    tests: tuple[TestDifference, ...]
    manifest: dict[str, Changed] = {}
    not_compared: str = ""
    asked: int | None = None
    people: PeopleAnswer | None = None
    renames: tuple[Renamed, ...] = ()

    @property
    def differs(self) -> bool:
        """True if anything differs."""
        return bool(self.elements or self.tests or self.manifest)
