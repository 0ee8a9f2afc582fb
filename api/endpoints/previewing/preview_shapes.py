"""The shapes of a preview: what is wrong with changes, and what they would do."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ...review.effects import EffectCounts
from ...review.people.people_answer import PeopleAnswer
from ...review.testing.outcome_report import Count, TestOutcome
from ...store.errors import BodyFault
from ..management.management_shapes import EntryAnswer
from .changes import MOST_CHANGES, ElementEdit


class WantedPreview(Struct, frozen=True, forbid_unknown_fields=True):
    """The changes to preview, all or none, in order."""

    changes: Annotated[tuple[ElementEdit, ...], Meta(min_length=1, max_length=MOST_CHANGES)]


class PreviewDiagnostic(Struct, frozen=True):
    """A fault or a warning. `path` starts at the element of the change with the number `change`, or at the request.

    With an error, the changes can't be written.
    """

    code: str
    severity: Literal["error", "warning"]
    message: str
    help: str
    path: str
    change: Count | None


def diagnostic_of(fault: BodyFault, severity: Literal["error", "warning"]) -> PreviewDiagnostic:
    """Returns the diagnostic of a fault of an edit."""
    return PreviewDiagnostic(fault.code, severity, fault.message, fault.help, fault.path, fault.edit)


class TestName(Struct, frozen=True):
    """A test: the id of its set, and its name there."""

    id: str
    name: str


class ChangedTest(Struct, frozen=True):
    """A test whose outcome the changes change."""

    test: TestName
    before: TestOutcome
    after: TestOutcome

    @property
    def flips(self) -> bool:
        """True if a decision was or will be another one than expected, and not a reason or a filter alone."""
        return self.before.is_decided_wrongly or self.after.is_decided_wrongly


class PreviewedTests(Struct, frozen=True):
    """The stored tests on the model with the changes, and those that pass on one of the two models only.

    Of these, the `flips` with another decision come first. `truncated` says that there are more of these.
    """

    passed: Count
    failed: Count
    not_run: Count
    changed: tuple[ChangedTest, ...]
    truncated: bool
    flips: Count


class LoggedRequest(Struct, frozen=True):
    """A request in the decision log, and its instant."""

    time: str
    request: Any


class DecisionGroup(Struct, frozen=True):
    """Logged requests whose answers would change alike: their reason codes, and the policies or grants that decide.

    `example` is the newest of them. If a direct grant decides, `grant` and `grant_before` are its sentences.
    """

    before: str
    after: str
    policy_id: str | None
    policy_before: str | None
    count: Count
    example: LoggedRequest
    grant: str | None = None
    grant_before: str | None = None


class PreviewedDecisions(Struct, frozen=True):
    """The newest requests in the decision log, answered without and with the changes at their own instants.

    `replayed` were compared, and `changed` of them would be answered otherwise. The others could not be compared: they
    are masked or incomplete, depend on a rate limit, or are searches without a filter. The groups whose decisions flip
    come first. `by_console` questions were met and left out: people asked them in the console, and no application did.
    `at_this_server` says that other servers may have the store, and that what they log is not here.
    """

    replayed: Count
    changed: Count
    masked: Count
    rate_limited: Count
    not_compared: Count
    effects: EffectCounts
    groups: tuple[DecisionGroup, ...]
    at_this_server: bool
    by_console: Count = 0


class ChangesPreview(Struct, frozen=True):
    """The effects that changes would have on the model of a `revision`.

    With an error among the `diagnostics`, nothing else is known. `people` says who gains and who loses.
    `truncated` says that there are more `elements`. `decisions` is null if the caller is no administrator, or if there
    is no decision log that Writ can read back.
    """

    revision: Count | None
    diagnostics: tuple[PreviewDiagnostic, ...]
    elements: tuple[EntryAnswer, ...]
    truncated: bool
    tests: PreviewedTests | None
    decisions: PreviewedDecisions | None
    people: PeopleAnswer | None = None
