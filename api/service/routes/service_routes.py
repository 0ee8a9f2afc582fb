"""The routes of credentials, tokens, the audit log and the operation of the service."""

from functools import partial
from typing import Final

from ...console import page_files as console
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
    Route("/v1/caller", Env.NONE, caller.Caller, {"GET": (READ, caller.GET)}),
    Route("/v1/audit", Env.NONE, audit.Audit, {"GET": (ADMIN, audit.LIST)}),
    Route(
        "/v1/api-keys",
        Env.NONE,
        api_keys.ApiKeys,
        {"GET": (ADMIN, api_keys.LIST), "POST": (ADMIN, api_keys.CREATE)},
    ),
    Route(
        "/v1/api-keys/{id}",
        Env.NONE,
        api_keys.OneApiKey,
        {"GET": (ADMIN, api_keys.GET), "DELETE": (ADMIN, api_keys.DELETE)},
    ),
    Route(
        "/v1/clients",
        Env.NONE,
        clients.Clients,
        {"GET": (ADMIN, clients.LIST), "POST": (ADMIN, clients.CREATE)},
    ),
    Route(
        "/v1/clients/{client_id}",
        Env.NONE,
        clients.OneClient,
        {"GET": (ADMIN, clients.GET), "PATCH": (ADMIN, clients.PATCH), "DELETE": (ADMIN, clients.DELETE)},
    ),
    Route(
        "/v1/clients/{client_id}/secret",
        Env.NONE,
        clients.ClientSecret,
        {"POST": (ADMIN, clients.RENEW_SECRET)},
    ),
    Route(
        "/v1/clients/{client_id}/revoke",
        Env.NONE,
        clients.ClientRevocation,
        {"POST": (ADMIN, clients.REVOKE)},
    ),
    Route("/v1/oauth/token", Env.NONE, Token, {"POST": (NONE, token_operations.ISSUE)}),
    Route("/v1/oauth/revoke", Env.NONE, Revocation, {"POST": (NONE, token_operations.REVOKE)}),
    Route(
        "/.well-known/jwks.json",
        Env.NONE,
        metadata.KeySet,
        {"GET": (NONE, metadata.GET_KEYS)},
    ),
    Route(
        "/.well-known/oauth-authorization-server",
        Env.NONE,
        metadata.ServerMetadata,
        {"GET": (NONE, metadata.GET_METADATA)},
    ),
    Route("/console", Env.NONE, console.ConsoleAddress, {"GET": (NONE, console.GET_ADDRESS)}),
    Route("/console/", Env.NONE, partial(console.Console, CONSOLE_FILES), {"GET": (NONE, console.GET_INDEX)}),
    Route(
        "/console/{folder}/{file}",
        Env.NONE,
        partial(console.Console, CONSOLE_FILES),
        {"GET": (NONE, console.GET_FILE)},
    ),
    Route("/healthz", Env.NONE, health.Health, {"GET": (NONE, health.GET_HEALTH)}),
    Route(
        "/readyz",
        Env.DEFAULT,
        health.Readiness,
        {"GET": (NONE, health.GET_READINESS)},
    ),
    Route(
        "/metrics",
        Env.NONE,
        metrics_page.MetricsPage,
        {"GET": (READ, metrics_page.GET_METRICS)},
    ),
)
"""The rows of what belongs to no environment."""
