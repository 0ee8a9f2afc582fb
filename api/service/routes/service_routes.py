"""The routes of credentials, tokens, the audit log and the operation of the service."""

from typing import Final

from ...console import files as console
from ...endpoints.decisions import health
from ...endpoints.insight import caller
from ...endpoints.management import audit
from ...endpoints.management.credentials import api_keys, clients
from ...endpoints.metrics_page import metrics_page
from ...endpoints.tokens import metadata, token_operations
from ...endpoints.tokens.endpoints import Revocation, Token
from .route import ADMIN, NONE, READ, Env, Route

CONSOLE_FILES: Final = console.console_files()

SERVICE_ROUTES: Final[tuple[Route, ...]] = (
    Route("/v1/caller", Env.NONE, lambda given: caller.Caller(given.management), {"GET": (READ, caller.GET)}),
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
    Route("/console", Env.NONE, lambda _: console.ConsoleAddress(), {"GET": (NONE, console.GET_ADDRESS)}),
    Route("/console/", Env.NONE, lambda _: console.Console(CONSOLE_FILES), {"GET": (NONE, console.GET_INDEX)}),
    Route(
        "/console/{folder}/{file}",
        Env.NONE,
        lambda _: console.Console(CONSOLE_FILES),
        {"GET": (NONE, console.GET_FILE)},
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
)
"""The rows of what belongs to no environment."""
