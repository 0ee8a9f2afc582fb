"""The composition root: the HTTP application, built from its collaborators."""

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import falcon.asgi

from .credentials.failed_attempts import FailedAttempts
from .credentials.guard import DISCOVERY, ROUTES, AdminKey, Guard
from .credentials.keys.key_ring import KeyRing
from .credentials.keys.key_sources import NO_KEYS, KeySource
from .credentials.known_credentials import ApiKeys, KnownCredentials
from .credentials.recent_headers import RecentHeaders
from .credentials.refused_attempts import RefusedAttempts
from .credentials.tokens.access_tokens import AccessTokens
from .credentials.tokens.endpoints import OAuth, Revocation, Token
from .credentials.tokens.metadata import KeySet, ServerMetadata
from .decisions.discovery import Discovery
from .decisions.evaluation import Evaluation
from .decisions.evaluations import Evaluations
from .decisions.health import Health, Readiness
from .decisions.searches.actions import ActionSearches
from .decisions.searches.page_tokens import PageTokens
from .decisions.searches.resources import ResourceSearches
from .decisions.searches.serving import Searching
from .decisions.searches.subjects import SubjectSearches
from .errors import ErrorAnswers
from .http.bodies import Bodies
from .http.raw_paths import RawPaths
from .http.request_id import RequestId
from .management import api_keys, clients
from .management.audit import Audit
from .management.batch import ElementBatch
from .management.elements import Element, ElementList, Serving
from .management.environments import Environments, OneEnvironment
from .management.kinds import KINDS
from .management.revisions import OneRevision, Revisions
from .management.whole_model import WholeModel
from .openapi.resource import OpenApi
from .serving.live_engines import Damaged, EngineOf
from .serving.store_work import Settle, StoreWork
from .settings import HttpLimits
from .store.audit.events import Event
from .store.database.private_files import SECRET_BYTES
from .store.store import Store


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the application works with: it reads no environment, no clock and no file by itself.

    `in_force` gives the engine of an environment, at the newest committed revision, and `settle` sees that a commit
    is in force. `clock` gives epoch seconds; `admin_key` is the SHA-256 of the administrator's key. `damaged` is told
    of a bundle that can't be decided from any more. `public_url` is the base of every URL that is handed out.
    `stale_seconds` is how long what is known of credentials serves while the store can't be read;
    `signing` is where the keys that sign tokens lie; `refused` counts refused attempts for the audit log, and
    `page_secret` signs the tokens of pages.
    """

    store: Store
    in_force: EngineOf
    settle: Settle
    clock: Callable[[], float]
    admin_key: bytes
    limits: HttpLimits
    log: logging.Logger
    damaged: Damaged = lambda *_: True
    public_url: str = "http://127.0.0.1:8080"
    stale_seconds: float = 5.0
    signing: KeySource = NO_KEYS
    refused: RefusedAttempts = field(default_factory=RefusedAttempts)
    page_secret: bytes = field(default_factory=partial(secrets.token_bytes, SECRET_BYTES))


def create_app(parts: Collaborators) -> falcon.asgi.App[Any, Any]:
    """The ASGI application with every route of the table, each behind the guard."""
    errors = ErrorAnswers(parts.log, parts.damaged)
    ring = KeyRing(parts.signing, parts.log)
    tokens = AccessTokens(ring, parts.store.credentials, parts.public_url, parts.clock)
    known = _known_credentials(parts, tokens)
    attempts = FailedAttempts(parts.limits.failed_attempts, parts.clock)  # made here: workers that fork share it

    def failed(address: str) -> int | None:
        parts.refused.add(Event.CREDENTIAL_REFUSED, address)
        return attempts.failed(address)

    recent = RecentHeaders(parts.store.watch, parts.clock)
    guard = Guard([AdminKey(parts.admin_key), known], recent, ROUTES, known.environment_uuid, failed, parts.clock)
    paths = RawPaths(most_slashes=max(route.count("/") for route in ROUTES))
    middleware: list[Any] = [RequestId(), paths, guard]
    app = falcon.asgi.App(middleware=middleware)
    errors.register(app)
    work = StoreWork(parts.store, parts.settle, parts.clock)
    oauth = _oauth(parts, OAuth(work, tokens, errors.report, parts.log, attempts.failed, parts.refused), ring)
    bodies = Bodies(parts.limits, guard.confirm)
    resources = {**_decisions(parts, errors, work, bodies), **oauth, **_management(parts, work, bodies)}
    for path in ROUTES:
        app.add_route(path, resources[path])
    return app


def _known_credentials(parts: Collaborators, tokens: AccessTokens) -> KnownCredentials:
    store = parts.store.credentials
    kinds = (ApiKeys(store), tokens)
    return KnownCredentials(store, parts.store.watch, kinds, parts.clock, parts.stale_seconds, parts.log)


def _oauth(parts: Collaborators, oauth: OAuth, ring: KeyRing) -> Mapping[str, object]:
    return {
        "/v1/oauth/token": Token(oauth),
        "/v1/oauth/revoke": Revocation(oauth),
        "/.well-known/jwks.json": KeySet(ring),
        "/.well-known/oauth-authorization-server": ServerMetadata(parts.public_url),
    }


def _decisions(parts: Collaborators, errors: ErrorAnswers, work: StoreWork, bodies: Bodies) -> Mapping[str, object]:
    tokens = PageTokens(parts.page_secret)
    searching = Searching(parts.in_force, work, bodies, tokens, parts.limits, parts.clock)
    calls = {
        "evaluation": Evaluation(parts.in_force, bodies),
        "evaluations": Evaluations(parts.in_force, parts.clock, bodies, parts.limits, errors.report),
        "search/resource": ResourceSearches(searching),
        "search/subject": SubjectSearches(searching),
        "search/action": ActionSearches(searching),
    }
    return {
        **{f"/access/v1/{call}": resource for call, resource in calls.items()},
        **{f"/environments/{{env}}/access/v1/{call}": resource for call, resource in calls.items()},
        "/healthz": Health(),
        "/readyz": Readiness(parts.in_force),
        "/openapi.json": OpenApi(),
        **dict.fromkeys(DISCOVERY, Discovery(parts.public_url)),
    }


def _management(parts: Collaborators, work: StoreWork, bodies: Bodies) -> Mapping[str, object]:
    serving = Serving(work, bodies, parts.limits)
    return {
        "/v1/clients": clients.Clients(serving),
        "/v1/clients/{client_id}": clients.OneClient(serving),
        "/v1/clients/{client_id}/secret": clients.ClientSecret(serving),
        "/v1/clients/{client_id}/revoke": clients.ClientRevocation(serving),
        "/v1/api-keys": api_keys.ApiKeys(serving),
        "/v1/api-keys/{id}": api_keys.OneApiKey(serving),
        "/v1/audit": Audit(serving),
        "/v1/environments": Environments(serving),
        "/v1/environments/{env}": OneEnvironment(serving),
        "/v1/environments/{env}/model": WholeModel(serving),
        "/v1/environments/{env}/revisions": Revisions(serving),
        "/v1/environments/{env}/revisions/{revision}": OneRevision(serving),
        **{kind.list_path: ElementList(kind, serving) for kind in KINDS},
        **{kind.batch_path: ElementBatch(kind, serving) for kind in KINDS},
        **{kind.element_path: Element(kind, serving) for kind in KINDS},
    }
