"""The shapes of decision requests and answers, for the OpenAPI document; `runtime` reads them by hand."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ...runtime.rules.reasons import AccessPath, ReasonCode

Identifier = Annotated[str, Meta(min_length=1, max_length=512)]
Attributes = Annotated[dict[str, Any], Meta(description="Attributes, by name; conditions read them.")]


class SubjectSent(Struct, frozen=True, omit_defaults=True):
    """A subject, named by exactly one of `id` and `external_id`. `attributes` is another name for `properties`."""

    type: Identifier
    id: Identifier | None = None
    external_id: Identifier | None = None
    properties: Attributes | None = None
    attributes: Attributes | None = None


class ResourceSent(Struct, frozen=True, omit_defaults=True):
    """A resource, named by exactly one of `id`, `external_id` and `name`; its `type` is the type's name."""

    type: Identifier
    id: Identifier | None = None
    external_id: Identifier | None = None
    name: Identifier | None = None
    properties: Attributes | None = None
    attributes: Attributes | None = None


class ActionSent(Struct, frozen=True, omit_defaults=True):
    """An action, by its name."""

    name: Identifier
    properties: Attributes | None = None


class OptionsSent(Struct, frozen=True, omit_defaults=True):
    """What is asked for beside the decision: `explain` adds the proof."""

    explain: bool | None = None


class EvaluationRequest(Struct, frozen=True, omit_defaults=True):
    """May this subject do this action on this resource?"""

    subject: SubjectSent
    action: ActionSent
    resource: ResourceSent
    context: Attributes | None = None
    options: OptionsSent | None = None


class BatchOptionsSent(Struct, frozen=True, omit_defaults=True):
    """Where the batch ends, and whether proofs are added."""

    evaluations_semantic: Literal["execute_all", "deny_on_first_deny", "permit_on_first_permit"] | None = None
    explain: bool | None = None


class EvaluationsRequest(Struct, frozen=True, omit_defaults=True):
    """Many questions. What an evaluation leaves out is taken from the members beside `evaluations`.

    Without `evaluations` it is one question, answered as `EvaluationRequest` is.
    """

    evaluations: Annotated[list[Any], Meta(max_length=1_000)] | None = None
    subject: dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    resource: dict[str, Any] | None = None
    context: Attributes | None = None
    options: BatchOptionsSent | None = None


class DecisionContext(Struct, frozen=True, omit_defaults=True):
    """Why. `error` instead stands in an item of a batch that could not be evaluated."""

    reason: str | None = None
    reason_code: ReasonCode | None = None
    access_path: AccessPath | None = None
    policy_id: str | None = None
    explanation: dict[str, Any] | None = None
    error: dict[str, Any] | None = None


class Decision(Struct, frozen=True):
    """The decision, and why. A denial is an answer like any other."""

    decision: bool
    context: DecisionContext


class Decisions(Struct, frozen=True):
    """One decision an evaluation, in order, up to the one that ended the batch."""

    evaluations: tuple[Decision, ...]
