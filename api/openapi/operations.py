"""What is said of every operation of the service but those on elements."""

from collections.abc import Mapping
from typing import Final

from ..credentials.guard import DISCOVERY
from ..http.bodies import JSON
from ..http.queries import DEFAULT_PAGE_ITEMS
from ..management.elements import MERGE_PATCH
from ..management.whole_model import YAML
from ..store.pages import MAX_PAGE
from .operation import Answer, Operation, Parameter, named, page_of

PAGE: Final = (
    Parameter(
        "limit",
        f"Items of a page, {DEFAULT_PAGE_ITEMS} where it is left out.",
        {"type": "integer", "minimum": 1, "maximum": MAX_PAGE},
    ),
    Parameter("cursor", "Where the page begins: `next_cursor` of the page before it."),
)
TAGGED: Final = ("ETag",)
_DECISION, _ENVIRONMENT, _MODEL, _SERVICE = "Decisions", "Environments", "Models and history", "Service"

_UNCHANGED: Final = Answer("What the client has, as `If-None-Match` says, is what there is.", headers=TAGGED)
_DOCUMENT: Final = {"type": "object", "description": "A model document: `model: 1`, and up to eight lists."}

_REVISION: Final = Parameter("revision", "The model of this revision.", {"type": "integer", "minimum": 0})
_DRY_RUN: Final = Parameter("dry_run", "Only say what would change.", {"type": "boolean", "default": False})


def evaluation(suffix: str) -> Operation:
    """One decision."""
    return Operation(
        f"evaluate{suffix}",
        _DECISION,
        "Decide one question",
        {200: Answer("The decision.", named("Decision"))},
        bodies={JSON: named("EvaluationRequest")},
    )


def evaluations(suffix: str) -> Operation:
    """Many decisions."""
    return Operation(
        f"evaluateMany{suffix}",
        _DECISION,
        "Decide many questions as of one instant",
        {
            200: Answer(
                "The decisions; one decision where there are no `evaluations`.",
                {"anyOf": [named("Decisions"), named("Decision")]},
            )
        },
        bodies={JSON: named("EvaluationsRequest")},
    )


def search(kind: str, suffix: str) -> Operation:
    """One of the searches."""
    wanted = {"Resource": "Which resources may this subject act on", "Subject": "Who may act on this resource"}
    return Operation(
        f"search{kind}s{suffix}",
        _DECISION,
        f"{wanted.get(kind, 'What may this subject do with this resource')}?",
        {200: Answer("What was found; nothing is an answer too.", named(f"{kind}sFound"))},
        bodies={JSON: named(f"{kind}SearchRequest")},
        errors=(503,),
    )


def _discovery(suffix: str, description: str = "") -> Operation:
    cached = (*TAGGED, "Cache-Control")
    return Operation(
        f"discover{suffix}",
        _SERVICE,
        "Find out what is served where, as AuthZEN clients do",
        {
            200: Answer("The metadata.", named("PolicyDecisionPoint"), cached),
            304: Answer(_UNCHANGED.description, headers=cached),
        },
        description,
        headers=("If-None-Match",),
        errors=(400,),
    )


def _searches() -> dict[tuple[str, str], Operation]:
    return {
        (f"{base}/access/v1/search/{kind.lower()}", "POST"): search(kind, suffix)
        for base, suffix in (("", ""), ("/environments/{env}", "In"))
        for kind in ("Resource", "Subject", "Action")
    }


OPERATIONS: Final[Mapping[tuple[str, str], Operation]] = {
    ("/access/v1/evaluation", "POST"): evaluation(""),
    ("/access/v1/evaluations", "POST"): evaluations(""),
    ("/environments/{env}/access/v1/evaluation", "POST"): evaluation("In"),
    ("/environments/{env}/access/v1/evaluations", "POST"): evaluations("In"),
    **_searches(),
    ("/v1/environments", "GET"): Operation(
        "listEnvironments",
        _ENVIRONMENT,
        "List the environments by id",
        {200: Answer("A page.", page_of(named("EnvironmentAnswer")))},
        query=PAGE,
    ),
    ("/v1/environments", "POST"): Operation(
        "createEnvironment",
        _ENVIRONMENT,
        "Make an environment",
        {
            201: Answer(
                "The environment, without a model: all is denied in it.", named("EnvironmentAnswer"), ("Location",)
            )
        },
        bodies={JSON: named("NewEnvironment")},
        errors=(409,),
    ),
    ("/v1/environments/{env}", "GET"): Operation(
        "getEnvironment",
        _ENVIRONMENT,
        "Read an environment",
        {200: Answer("The environment.", named("EnvironmentAnswer"))},
    ),
    ("/v1/environments/{env}", "PATCH"): Operation(
        "patchEnvironment",
        _ENVIRONMENT,
        "Protect an environment from being deleted, or no longer",
        {200: Answer("The environment as it is now.", named("EnvironmentAnswer"))},
        "The default environment stays protected: 409.",
        bodies={MERGE_PATCH: named("EnvironmentPatch"), JSON: named("EnvironmentPatch")},
        errors=(409, 412),
    ),
    ("/v1/environments/{env}", "DELETE"): Operation(
        "deleteEnvironment",
        _ENVIRONMENT,
        "Delete an environment with all that is in it",
        {204: Answer("It is gone.")},
        "The default environment and protected ones can't be deleted: 409.",
        errors=(409, 412),
    ),
    ("/v1/environments/{env}/model", "GET"): Operation(
        "getModel",
        _MODEL,
        "Read the whole model as one document",
        {200: Answer("The document as it was put, made ids added.", _DOCUMENT, TAGGED), 304: _UNCHANGED},
        "Of an earlier revision, elements have the order of today, and those that are gone come last in their list.",
        query=(_REVISION,),
        headers=("If-None-Match",),
    ),
    ("/v1/environments/{env}/model", "PUT"): Operation(
        "putModel",
        _MODEL,
        "Replace the whole model by a document, all of it or nothing",
        {200: Answer("What changed, or with `dry_run` would.", named("ModelChanges"))},
        query=(_DRY_RUN,),
        headers=("If-Match", "If-None-Match"),
        bodies={JSON: _DOCUMENT, YAML: _DOCUMENT},
        errors=(412,),
    ),
    ("/v1/environments/{env}/revisions", "GET"): Operation(
        "listRevisions",
        _MODEL,
        "List the revisions, newest first",
        {200: Answer("A page.", page_of(named("RevisionAnswer")))},
        query=PAGE,
    ),
    ("/v1/environments/{env}/revisions/{revision}", "GET"): Operation(
        "getRevision",
        _MODEL,
        "Read a revision and the exact difference that it made",
        {200: Answer("The revision.", named("RevisionDetail"), TAGGED), 304: _UNCHANGED},
        headers=("If-None-Match",),
    ),
    ("/healthz", "GET"): Operation(
        "getHealth", _SERVICE, "Ask whether the process lives", {200: Answer("It does.", named("HealthAnswer"))}
    ),
    ("/readyz", "GET"): Operation(
        "getReadiness",
        _SERVICE,
        "Ask whether decisions can be made, and from what",
        {
            200: Answer("They can.", named("ReadinessAnswer")),
            503: Answer("They can't.", named("ReadinessAnswer")),
        },
    ),
    (DISCOVERY[0], "GET"): _discovery(""),
    (DISCOVERY[1], "GET"): _discovery("In", "It is the same whether there is such an environment or not."),
    ("/openapi.json", "GET"): Operation(
        "getOpenApi", _SERVICE, "Read this document", {200: Answer("The document.", {"type": "object"})}
    ),
}
"""By route and method; HEAD is as GET."""
