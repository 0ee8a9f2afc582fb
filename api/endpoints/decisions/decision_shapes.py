"""The shapes of decision requests and answers, for the OpenAPI document. `runtime` reads them without these."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from ....runtime.requests.options import MOST_ACTORS
from ....runtime.rules.reasons import AccessPath, ReasonCode

Identifier = Annotated[str, Meta(min_length=1, max_length=512)]
Attributes = Annotated[dict[str, Any], Meta(description="Attributes by name. Conditions compare them.")]


class SubjectSent(Struct, frozen=True, omit_defaults=True):
    """A subject, with either `id` or `external_id`. `attributes` is another name for `properties`."""

    type: Identifier
    id: Identifier | None = None
    external_id: Identifier | None = None
    properties: Attributes | None = None
    attributes: Attributes | None = None


class ResourceSent(Struct, frozen=True, omit_defaults=True):
    """A resource, with exactly one of `id`, `external_id` and `name`. `type` is the name of its type."""

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


class ActorSent(SubjectSent, frozen=True, omit_defaults=True):
    """A subject that acts for the subject of the request. Both must be allowed.

    In a list of actors, each acts for the next one, and the last one for the subject. All of them must be allowed.
    """


ActorsSent: TypeAlias = ActorSent | Annotated[list[ActorSent], Meta(min_length=1, max_length=MOST_ACTORS)]
"""One actor, or a list of them, the immediate one first."""


class OptionsSent(Struct, frozen=True, omit_defaults=True):
    """`explain` adds an explanation to the decision, `valid_until` the instant until which it is valid.

    With `attributes`, the registered attributes of subject and resource count where the request sends none. With
    `strict`, a request with something undeclared is an error.
    """

    explain: bool | None = None
    valid_until: bool | None = None
    attributes: Literal["registered"] | None = None
    actor: ActorsSent | None = None
    strict: bool | None = None


class EvaluationRequest(Struct, frozen=True, omit_defaults=True):
    """May this subject do this action on this resource?"""

    subject: SubjectSent
    action: ActionSent
    resource: ResourceSent
    context: Attributes | None = None
    options: OptionsSent | None = None


class BatchOptionsSent(Struct, frozen=True, omit_defaults=True):
    """`evaluations_semantic` says where the batch ends. The others count for each evaluation that has none."""

    evaluations_semantic: Literal["execute_all", "deny_on_first_deny", "permit_on_first_permit"] | None = None
    explain: bool | None = None
    valid_until: bool | None = None
    attributes: Literal["registered"] | None = None
    actor: ActorsSent | None = None
    strict: bool | None = None


class EvaluationsRequest(Struct, frozen=True, omit_defaults=True):
    """Many questions. The members beside `evaluations` are the defaults of each evaluation.

    Without `evaluations`, it is one question, as in `EvaluationRequest`.
    """

    evaluations: Annotated[list[Any], Meta(max_length=1_000)] | None = None
    subject: dict[str, Any] | None = None
    action: dict[str, Any] | None = None
    resource: dict[str, Any] | None = None
    context: Attributes | None = None
    options: BatchOptionsSent | None = None


class DecisionContext(Struct, frozen=True, omit_defaults=True):
    """The reason of a decision. An item of a batch that can't be evaluated has an `error` instead.

    If only rate limits stand against a permission, `retry_after_seconds` says when one of them may hold again. If the
    subject is allowed and an actor is not, `denied_for` is `actor`, or in a list `actor[0]` and so on, and the other
    members are about this actor. The explanation of a denial has `why_not`: the smallest sets of changes that would
    allow the request. A credential with the scope `decide` alone is not shown registered values in an explanation.
    """

    reason: str | None = None
    reason_code: ReasonCode | None = None
    access_path: AccessPath | None = None
    policy_id: str | None = None
    retry_after_seconds: Annotated[int, Meta(ge=1)] | None = None
    denied_for: Annotated[str, Meta(pattern=r"^actor(\[[0-7]\])?$")] | None = None
    explanation: dict[str, Any] | None = None
    actor_explanation: dict[str, Any] | None = None
    actor_explanations: list[dict[str, Any]] | None = None
    valid_until: str | None = None
    error: dict[str, Any] | None = None


Short = Annotated[str, Meta(extra_json_schema={"pattern": "^[^:]+:."})]


class AuthorizeRequest(Struct, frozen=True, omit_defaults=True):
    """A question in the short form. The subject and the resource are a type and an id, like `user:alice`."""

    subject: Short
    action: str
    resource: Short
    context: Attributes | None = None


class AuthorizeRequests(Struct, frozen=True):
    """Many questions in the short form, each as in `AuthorizeRequest`. Any other item gets an `error` in its place."""

    requests: Annotated[list[Any], Meta(max_length=1_000)]


class Authorization(Struct, frozen=True, omit_defaults=True):
    """The decision in the short form. If a request of a list can't be evaluated, it has an `error` instead."""

    allowed: bool
    reason: str | None = None
    reason_code: ReasonCode | None = None
    error: dict[str, Any] | None = None


class Authorizations(Struct, frozen=True):
    """One decision per request, in order."""

    results: tuple[Authorization, ...]


class Decision(Struct, frozen=True):
    """The decision and its reason. A denial is a 200 too."""

    decision: bool
    context: DecisionContext


class Decisions(Struct, frozen=True):
    """One decision per evaluation, in order, up to the one that ended the batch."""

    evaluations: tuple[Decision, ...]
