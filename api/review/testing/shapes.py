"""The shape of a file of policy tests, and of what a test may expect."""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from ....bundles.conditions.values import Json
from ....runtime.requests.members import MAX_ID_CHARACTERS
from ....runtime.rules.reasons import AccessPath, ReasonCode

Text: TypeAlias = Annotated[str, Meta(min_length=1)]
Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=MAX_ID_CHARACTERS)]


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a test file. It has no unknown members."""


class PolicyTest(_Part, frozen=True):
    """A test: a `request` or a `search` with what to `expect`, or a table of requests with all that is `allowed`.

    In a table, each subject asks for each action on each resource. `allowed` has, by subject and resource, the actions
    to allow. All others must be denied. With `undeclared`, the test asks on purpose for something that the model does
    not declare.
    """

    name: Text
    request: dict[str, Json] | None = None
    search: dict[str, Json] | None = None
    expect: dict[str, Json] | None = None
    subjects: dict[Text, dict[str, Json]] | None = None
    actions: tuple[Text, ...] | None = None
    resources: dict[Text, dict[str, Json]] | None = None
    context: dict[str, Json] | None = None
    allowed: dict[str, dict[str, tuple[Text, ...]]] | None = None
    now: Json = None
    undeclared: bool = False


class TestFile(_Part, frozen=True):
    """A file of tests. `model` are sources, relative to the file. Without it, the file's folder is the model.

    `now` is the instant of each test that gives none: RFC 3339 text, or epoch seconds.
    """

    tests: tuple[PolicyTest, ...]
    model: tuple[Text, ...] | None = None
    now: Json = None


class StoredTests(_Part, frozen=True):
    """A set of tests that a service stores: a file of tests with an id. They test the model of their environment."""

    id: Id
    tests: tuple[PolicyTest, ...]
    now: Json = None


class ExpectedDecision(_Part, frozen=True):
    """The expectation of a request: members of the answer, or of its `context`."""

    decision: bool | None = None
    context: dict[str, Json] | None = None
    reason: str | None = None
    reason_code: ReasonCode | None = None
    access_path: AccessPath | None = None
    policy_id: str | None = None
    denied_by: str | None = None
    retry_after_seconds: int | None = None
    valid_until: str | None = None
    explanation: dict[str, Json] | None = None


class ExpectedSearch(_Part, frozen=True):
    """The expectation of a search: the filter, the results, or members of the answer's `context`."""

    filter: dict[str, Json] | None = None
    results: tuple[dict[str, Json], ...] | None = None
    context: dict[str, Json] | None = None
    reason: str | None = None
    access_paths: tuple[AccessPath, ...] | None = None
    valid_until: str | None = None


TOP_MEMBERS: Final = frozenset(["decision", "filter", "results", "context"])
"""The expected members that an answer has itself. It has the others in its `context`."""
