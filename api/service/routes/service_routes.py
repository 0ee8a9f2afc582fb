"""The routes of credentials, tokens, the audit log and the operation of the service."""

from functools import partial
from typing import Final

from ...console import page_files as console
from ...endpoints.decisions import health
from ...endpoints.insight import caller_answer
from ...endpoints.management import audit_entries
from ...endpoints.management.credentials import api_keys, clients
from ...endpoints.metrics_page import metrics_page
from ...endpoints.sign_in import people_endpoints, session_endpoints, sign_in_endpoints
from ...endpoints.tokens import metadata, token_operations
from ...endpoints.tokens.endpoints import Revocation, Token
from .route_row import ADMIN, NONE, READ, Env, RouteRow

CONSOLE_FILES: Final = console.console_files()

SERVICE_ROUTES: Final[tuple[RouteRow, ...]] = (
    RouteRow("/v1/caller", Env.NONE, caller_answer.Caller, {"GET": (READ, caller_answer.GET)}),
    RouteRow("/v1/audit", Env.NONE, audit_entries.Audit, {"GET": (ADMIN, audit_entries.LIST)}),
    RouteRow(
        "/v1/api-keys",
        Env.NONE,
        api_keys.ApiKeys,
        {"GET": (ADMIN, api_keys.LIST), "POST": (ADMIN, api_keys.CREATE)},
    ),
    RouteRow(
        "/v1/api-keys/{id}",
        Env.NONE,
        api_keys.OneApiKey,
        {"GET": (ADMIN, api_keys.GET), "DELETE": (ADMIN, api_keys.DELETE)},
    ),
    RouteRow(
        "/v1/api-keys/{id}/rotate",
        Env.NONE,
        api_keys.OneApiKey,
        {"POST": (ADMIN, api_keys.ROTATE)},
        suffix="rotation",
    ),
    RouteRow(
        "/v1/api-keys/{id}/old-keys",
        Env.NONE,
        api_keys.OneApiKey,
        {"DELETE": (ADMIN, api_keys.END_OLD_KEYS)},
        suffix="old",
    ),
    RouteRow(
        "/v1/clients",
        Env.NONE,
        clients.Clients,
        {"GET": (ADMIN, clients.LIST), "POST": (ADMIN, clients.CREATE)},
    ),
    RouteRow(
        "/v1/clients/{client_id}",
        Env.NONE,
        clients.OneClient,
        {"GET": (ADMIN, clients.GET), "PATCH": (ADMIN, clients.PATCH), "DELETE": (ADMIN, clients.DELETE)},
    ),
    RouteRow(
        "/v1/clients/{client_id}/secret",
        Env.NONE,
        clients.OneClient,
        {"POST": (ADMIN, clients.RENEW_SECRET)},
        suffix="secret",
    ),
    RouteRow(
        "/v1/clients/{client_id}/old-secrets",
        Env.NONE,
        clients.OneClient,
        {"DELETE": (ADMIN, clients.END_OLD_SECRETS)},
        suffix="old",
    ),
    RouteRow(
        "/v1/clients/{client_id}/revoke",
        Env.NONE,
        clients.OneClient,
        {"POST": (ADMIN, clients.REVOKE)},
        suffix="revocation",
    ),
    RouteRow("/v1/oauth/token", Env.NONE, Token, {"POST": (NONE, token_operations.ISSUE)}),
    RouteRow("/v1/oauth/revoke", Env.NONE, Revocation, {"POST": (NONE, token_operations.REVOKE)}),
    RouteRow(
        "/.well-known/jwks.json",
        Env.NONE,
        metadata.PublishedKeySet,
        {"GET": (NONE, metadata.GET_KEYS)},
    ),
    RouteRow(
        "/.well-known/oauth-authorization-server",
        Env.NONE,
        metadata.ServerMetadata,
        {"GET": (NONE, metadata.GET_METADATA)},
    ),
    RouteRow("/console", Env.NONE, console.ConsoleAddress, {"GET": (NONE, console.GET_ADDRESS)}),
    RouteRow("/console/", Env.NONE, partial(console.Console, CONSOLE_FILES), {"GET": (NONE, console.GET_INDEX)}),
    RouteRow("/console/sign-in", Env.NONE, sign_in_endpoints.SignIn, {"GET": (NONE, sign_in_endpoints.BEGIN)}),
    RouteRow("/console/callback", Env.NONE, sign_in_endpoints.Callback, {"GET": (NONE, sign_in_endpoints.FINISH)}),
    RouteRow("/console/session", Env.NONE, sign_in_endpoints.SessionStates, {"GET": (NONE, sign_in_endpoints.STATE)}),
    RouteRow("/console/sign-out", Env.NONE, sign_in_endpoints.SignOut, {"POST": (READ, sign_in_endpoints.END)}),
    RouteRow("/v1/sessions", Env.NONE, session_endpoints.Sessions, {"GET": (ADMIN, session_endpoints.LIST)}),
    RouteRow("/v1/sessions/{id}", Env.NONE, session_endpoints.OneSession, {"DELETE": (ADMIN, session_endpoints.END)}),
    RouteRow("/v1/people", Env.NONE, people_endpoints.People, {"GET": (ADMIN, people_endpoints.LIST)}),
    RouteRow("/v1/people/{id}", Env.NONE, people_endpoints.OnePerson, {"GET": (READ, people_endpoints.GET)}),
    RouteRow(
        "/v1/people/{id}/sessions",
        Env.NONE,
        people_endpoints.SessionsOfPerson,
        {"DELETE": (ADMIN, people_endpoints.END_SESSIONS)},
    ),
    RouteRow(
        "/console/{folder}/{file}",
        Env.NONE,
        partial(console.Console, CONSOLE_FILES),
        {"GET": (NONE, console.GET_FILE)},
    ),
    RouteRow("/healthz", Env.NONE, health.Health, {"GET": (NONE, health.GET_HEALTH)}),
    RouteRow(
        "/readyz",
        Env.DEFAULT,
        health.Readiness,
        {"GET": (NONE, health.GET_READINESS)},
    ),
    RouteRow(
        "/metrics",
        Env.NONE,
        metrics_page.MetricsPage,
        {"GET": (READ, metrics_page.GET_METRICS)},
    ),
)
"""The rows of what belongs to no environment."""
