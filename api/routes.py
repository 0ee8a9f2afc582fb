"""The table of routes: path, environment, handler, and the scope and OpenAPI operation of each method.

The application, the guard and the OpenAPI document follow from this table. A path without a row is not served.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from .credentials.credential import Scope
from .credentials.guard import Access
from .credentials.keys.ring import KeyRing
from .credentials.tokens import metadata, token_operations
from .credentials.tokens.endpoints import OAuth, Revocation, Token
from .decision_log.decision_log import Log
from .decisions import authorize, discovery, evaluation, evaluations, health
from .decisions.deciding import Deciding
from .decisions.draining import Draining
from .decisions.searches import actions, resources, subjects
from .decisions.searches.search_services import SearchServices
from .exports import bundle
from .gateway.described import GATEWAY_PARAMETERS, gateway_calls
from .gateway.front import GATEWAY_ROUTES
from .http.bodies import Bodies
from .management import (
    audit,
    declared_attributes,
    element_batch,
    element_operations,
    elements,
    expiring,
    revisions,
    whole_model,
)
from .management.credentials import api_keys, clients
from .management.environments import environments, gateway
from .management.kinds import DECLARED_ATTRIBUTES, SERVED_KINDS, ServedKind
from .management.promotions import approvals, drift, promotions, restoration
from .openapi import resource
from .openapi.document import document
from .openapi.operation import TEXT, Call, Operation, Parameter
from .scraping import metrics_page
from .scraping.answering import Answering
from .serving.engine_access import EngineOf
from .settings import HttpLimits

NONE, READ, WRITE, ADMIN = Scope


class Env(Enum):
    """The environment that a route belongs to: the one that its path names, the default one, or none."""

    NAMED = auto()
    DEFAULT = auto()
    NONE = auto()


@dataclass(frozen=True, slots=True)
class Services:
    """The parts that handlers need. `clock` gives epoch seconds; `report` gets a failure and its environment."""

    engine_of: EngineOf
    clock: Callable[[], float]
    limits: HttpLimits
    report: Callable[[Exception, str], None]
    bodies: Bodies
    deciding: Deciding
    search: SearchServices
    management: elements.ManagementServices
    export: bundle.ExportServices
    oauth: OAuth
    ring: KeyRing
    metrics: Answering
    public_url: str
    decision_log: Log
    draining: Draining


@dataclass(frozen=True, slots=True)
class Route:
    """A row of the table. `handler` makes the Falcon resource; HEAD follows from GET."""

    path: str
    env: Env
    handler: Callable[[Services], object]
    methods: Mapping[str, tuple[Scope, Operation]]

    def access(self) -> Access:
        """Returns the scopes of the methods, and whether there is an environment, for the guard."""
        scopes = {method: scope for method, (scope, _) in self.methods.items()}
        if "GET" in scopes:
            scopes["HEAD"] = scopes["GET"]
        return Access(scopes, self.env is not Env.NONE)

    def calls(self) -> Mapping[str, Call]:
        """Returns the call of each method, for the OpenAPI document."""
        return {
            method: Call(scope.name.lower() if scope else None, operation)
            for method, (scope, operation) in self.methods.items()
        }


def _decision(call: str, handler: Callable[[Services], object], operation: Operation) -> Iterator[Route]:
    """Yields the routes of a call under `/access/v1`: of the default environment, and of each by its name."""
    yield Route(f"/access/v1/{call}", Env.DEFAULT, handler, {"POST": (READ, operation)})
    named = {"POST": (READ, operation.in_environment())}
    yield Route(f"/environments/{{env}}/access/v1/{call}", Env.NAMED, handler, named)


def _elements(kind: ServedKind) -> Iterator[Route]:
    """Yields the routes of one kind of elements."""
    yield Route(
        kind.list_path,
        Env.NAMED,
        lambda given: elements.ElementList(kind, given.management),
        {"GET": (READ, element_operations.listing(kind)), "POST": (WRITE, element_operations.creating(kind))},
    )
    yield Route(
        kind.batch_path,
        Env.NAMED,
        lambda given: element_batch.ElementBatch(kind, given.management),
        {"POST": (WRITE, element_operations.creating_many(kind))},
    )
    yield Route(
        kind.element_path,
        Env.NAMED,
        lambda given: elements.Element(kind, given.management),
        {
            "GET": (READ, element_operations.reading(kind)),
            "PUT": (WRITE, element_operations.replacing(kind)),
            "PATCH": (WRITE, element_operations.patching(kind)),
            "DELETE": (WRITE, element_operations.deleting(kind)),
        },
    )


def _evaluations(given: Services) -> evaluations.Evaluations:
    return evaluations.Evaluations(
        given.engine_of, given.clock, given.bodies, given.deciding, given.limits, given.report, given.decision_log
    )


def _authorize(given: Services) -> authorize.Authorize:
    return authorize.Authorize(given.engine_of, given.bodies, given.deciding, _evaluations(given), given.decision_log)


ROUTES: Final[tuple[Route, ...]] = (
    *_decision(
        "evaluation",
        lambda given: evaluation.Evaluation(given.engine_of, given.bodies, given.deciding, given.decision_log),
        evaluation.EVALUATE,
    ),
    *_decision(
        "evaluations",
        _evaluations,
        evaluations.EVALUATE_MANY,
    ),
    Route(authorize.SHORT, Env.DEFAULT, _authorize, {"POST": (READ, authorize.AUTHORIZE)}),
    Route(
        f"/environments/{{env}}{authorize.SHORT}",
        Env.NAMED,
        _authorize,
        {"POST": (READ, authorize.AUTHORIZE.in_environment())},
    ),
    *_decision("search/resource", lambda given: resources.ResourceSearches(given.search), resources.SEARCH),
    *_decision("search/subject", lambda given: subjects.SubjectSearches(given.search), subjects.SEARCH),
    *_decision("search/action", lambda given: actions.ActionSearches(given.search), actions.SEARCH),
    Route(
        "/v1/environments",
        Env.NONE,
        lambda given: environments.Environments(given.management),
        {"GET": (READ, environments.LIST), "POST": (ADMIN, environments.CREATE)},
    ),
    Route(
        "/v1/environments/{env}",
        Env.NAMED,
        lambda given: environments.OneEnvironment(given.management),
        {
            "GET": (READ, environments.GET),
            "PATCH": (ADMIN, environments.PATCH),
            "DELETE": (ADMIN, environments.DELETE),
        },
    ),
    *(route for kind in SERVED_KINDS for route in _elements(kind)),
    Route(
        DECLARED_ATTRIBUTES.element_path,
        Env.NAMED,
        lambda given: declared_attributes.DeclaredAttributes(given.management),
        {
            "GET": (READ, declared_attributes.GET),
            "PUT": (WRITE, declared_attributes.PUT),
            "PATCH": (WRITE, declared_attributes.PATCH),
            "DELETE": (WRITE, declared_attributes.DELETE),
        },
    ),
    Route(
        "/v1/environments/{env}/model",
        Env.NAMED,
        lambda given: whole_model.WholeModel(given.management),
        {"GET": (READ, whole_model.GET), "PUT": (WRITE, whole_model.PUT)},
    ),
    Route(
        "/v1/environments/{env}/revisions",
        Env.NAMED,
        lambda given: revisions.Revisions(given.management),
        {"GET": (READ, revisions.LIST)},
    ),
    Route(
        "/v1/environments/{env}/revisions/{revision}",
        Env.NAMED,
        lambda given: revisions.OneRevision(given.management),
        {"GET": (READ, revisions.GET)},
    ),
    Route(
        "/v1/environments/{env}/revisions/{revision}/restore",
        Env.NAMED,
        lambda given: restoration.Restoration(given.management),
        {"POST": (WRITE, restoration.RESTORE)},
    ),
    Route(
        "/v1/environments/{env}/promotions",
        Env.NAMED,
        lambda given: promotions.PromotionList(given.management),
        {"GET": (ADMIN, promotions.LIST), "POST": (ADMIN, promotions.CREATE)},
    ),
    Route(
        "/v1/environments/{env}/promotions/{id}",
        Env.NAMED,
        lambda given: promotions.OnePromotion(given.management),
        {"GET": (ADMIN, promotions.GET)},
    ),
    Route(
        "/v1/environments/{env}/promotions/{id}/approve",
        Env.NAMED,
        lambda given: approvals.PromotionApproval(given.management),
        {"POST": (ADMIN, approvals.APPROVE)},
    ),
    Route(
        "/v1/environments/{env}/promotions/{id}/reject",
        Env.NAMED,
        lambda given: approvals.PromotionRejection(given.management),
        {"POST": (ADMIN, approvals.REJECT)},
    ),
    Route(
        "/v1/environments/{env}/drift",
        Env.NAMED,
        lambda given: drift.DriftSincePromotion(given.management),
        {"GET": (READ, drift.GET)},
    ),
    Route(
        "/v1/environments/{env}/expiring",
        Env.NAMED,
        lambda given: expiring.ExpiringList(given.management),
        {"GET": (READ, expiring.LIST)},
    ),
    Route(
        "/v1/environments/{env}/bundle",
        Env.NAMED,
        lambda given: bundle.BundleExport(given.export),
        {"GET": (READ, bundle.GET)},
    ),
    Route(
        "/v1/environments/{env}/gateway",
        Env.NAMED,
        lambda given: gateway.Gateway(given.management),
        {"GET": (READ, gateway.GET), "PUT": (ADMIN, gateway.PUT), "DELETE": (ADMIN, gateway.DELETE)},
    ),
    Route("/v1/audit", Env.NONE, lambda given: audit.Audit(given.management), {"GET": (ADMIN, audit.LIST)}),
    Route(
        "/v1/api-keys",
        Env.NONE,
        lambda given: api_keys.ApiKeys(given.management),
        {"GET": (ADMIN, api_keys.LIST), "POST": (ADMIN, api_keys.CREATE)},
    ),
    Route(
        "/v1/api-keys/{id}",
        Env.NONE,
        lambda given: api_keys.OneApiKey(given.management),
        {"GET": (ADMIN, api_keys.GET), "DELETE": (ADMIN, api_keys.DELETE)},
    ),
    Route(
        "/v1/clients",
        Env.NONE,
        lambda given: clients.Clients(given.management),
        {"GET": (ADMIN, clients.LIST), "POST": (ADMIN, clients.CREATE)},
    ),
    Route(
        "/v1/clients/{client_id}",
        Env.NONE,
        lambda given: clients.OneClient(given.management),
        {"GET": (ADMIN, clients.GET), "PATCH": (ADMIN, clients.PATCH), "DELETE": (ADMIN, clients.DELETE)},
    ),
    Route(
        "/v1/clients/{client_id}/secret",
        Env.NONE,
        lambda given: clients.ClientSecret(given.management),
        {"POST": (ADMIN, clients.RENEW_SECRET)},
    ),
    Route(
        "/v1/clients/{client_id}/revoke",
        Env.NONE,
        lambda given: clients.ClientRevocation(given.management),
        {"POST": (ADMIN, clients.REVOKE)},
    ),
    Route("/v1/oauth/token", Env.NONE, lambda given: Token(given.oauth), {"POST": (NONE, token_operations.ISSUE)}),
    Route(
        "/v1/oauth/revoke", Env.NONE, lambda given: Revocation(given.oauth), {"POST": (NONE, token_operations.REVOKE)}
    ),
    Route(
        "/.well-known/jwks.json",
        Env.NONE,
        lambda given: metadata.KeySet(given.ring),
        {"GET": (NONE, metadata.GET_KEYS)},
    ),
    Route(
        "/.well-known/oauth-authorization-server",
        Env.NONE,
        lambda given: metadata.ServerMetadata(given.public_url),
        {"GET": (NONE, metadata.GET_METADATA)},
    ),
    Route(
        "/.well-known/authzen-configuration",
        Env.DEFAULT,
        lambda given: discovery.Discovery(given.public_url),
        {"GET": (NONE, discovery.DISCOVER)},
    ),
    Route(
        "/.well-known/authzen-configuration/environments/{env}",
        Env.NAMED,
        lambda given: discovery.Discovery(given.public_url),
        {"GET": (NONE, discovery.DISCOVER_IN)},
    ),
    Route("/healthz", Env.NONE, lambda _: health.Health(), {"GET": (NONE, health.GET_HEALTH)}),
    Route(
        "/readyz",
        Env.DEFAULT,
        lambda given: health.Readiness(given.engine_of, given.draining),
        {"GET": (NONE, health.GET_READINESS)},
    ),
    Route(
        "/metrics",
        Env.NONE,
        lambda given: metrics_page.MetricsPage(given.metrics),
        {"GET": (READ, metrics_page.GET_METRICS)},
    ),
    Route("/openapi.json", Env.NONE, lambda _: resource.OpenApi(openapi_document()), {"GET": (READ, resource.GET)}),
)

PATH_PARAMETERS: Final[Mapping[str, Parameter]] = {
    one.name: one
    for one in (
        Parameter("env", "The id of an environment."),
        Parameter("id", "The id. Write a `/` in it as `%2F`.", TEXT | {"minLength": 1}),
        Parameter("client_id", "The id of a client.", TEXT | {"minLength": 1}),
        Parameter("type", "The type. Write a `/` in it as `%2F`.", TEXT | {"minLength": 1}),
        Parameter("revision", "The number of a revision.", {"type": "integer", "minimum": 1}),
    )
}
"""The parameters of the paths above, by name."""

ACCESS: Final[Mapping[str, Access]] = {route.path: route.access() for route in ROUTES}
"""The access rules of each route, by path."""


COUNTED: Final = (*((route.path, method) for route in ROUTES for method in route.methods), *GATEWAY_ROUTES)
"""The routes that are counted apart: path templates with their methods."""


def openapi_document() -> dict[str, Any]:
    """Returns the OpenAPI document of the routes, and of what gateways ask before them."""
    paths = {route.path: route.calls() for route in ROUTES}
    return document(paths | gateway_calls(), {**PATH_PARAMETERS, **GATEWAY_PARAMETERS})
