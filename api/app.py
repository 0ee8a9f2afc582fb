"""The composition root: the HTTP application, built from its collaborators."""

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import falcon.asgi

from .credentials.failed_attempts import FailedAttempts
from .credentials.guard import AdminKey, Guard
from .credentials.keys.ring import KeyRing
from .credentials.keys.sources import NO_KEYS, KeySource
from .credentials.known_credentials import ApiKeys, KnownCredentials
from .credentials.recent_headers import RecentHeaders
from .credentials.refused_attempts import RefusedAttempts
from .credentials.tokens.access_tokens import AccessTokens
from .credentials.tokens.endpoints import OAuth
from .decisions.searches.page_tokens import PageTokens
from .decisions.searches.serving import Searching
from .errors import ErrorAnswers
from .http.bodies import Bodies
from .http.raw_paths import RawPaths
from .http.request_id import RequestId
from .management.elements import Serving
from .routes import ACCESS, ROUTES, Services
from .serving.live_engines import EngineOf, ReportDamage
from .serving.store_work import Activate, StoreWork
from .settings import HttpLimits
from .store.audit.events import Event
from .store.database.private_files import SECRET_BYTES
from .store.store import Store


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the application works with: it reads no environment, no clock and no file by itself.

    `engine_of` gives the engine of an environment, at the newest committed revision. `activate` puts a commit in force.
    `clock` gives epoch seconds. `admin_key` is the SHA-256 of the administrator's key. `report_damage` marks a bundle
    that can't be read any more. `public_url` is the base of every URL that Writ hands out. `stale_seconds` is how long
    cached credentials serve while the store can't be read. `signing` is the source of the keys that sign tokens.
    `refused` counts refused attempts for the audit log. `page_secret` signs page tokens.
    """

    store: Store
    engine_of: EngineOf
    activate: Activate
    clock: Callable[[], float]
    admin_key: bytes
    limits: HttpLimits
    log: logging.Logger
    report_damage: ReportDamage = lambda *_: True
    public_url: str = "http://127.0.0.1:8080"
    stale_seconds: float = 5.0
    signing: KeySource = NO_KEYS
    refused: RefusedAttempts = field(default_factory=RefusedAttempts)
    page_secret: bytes = field(default_factory=partial(secrets.token_bytes, SECRET_BYTES))


def create_app(parts: Collaborators) -> falcon.asgi.App[Any, Any]:
    """Returns the ASGI application with every route of the table, each behind the guard."""
    errors = ErrorAnswers(parts.log, parts.report_damage)
    ring = KeyRing(parts.signing, parts.log)
    tokens = AccessTokens(ring, parts.store.credentials, parts.public_url, parts.clock)
    known = _known_credentials(parts, tokens)
    attempts = FailedAttempts(parts.limits.failed_attempts, parts.clock)  # made here: workers that fork share it

    def failed(address: str) -> int | None:
        parts.refused.add(Event.CREDENTIAL_REFUSED, address)
        return attempts.count(address)

    recent = RecentHeaders(parts.store.watch, parts.clock)
    guard = Guard([AdminKey(parts.admin_key), known], recent, ACCESS, known.environment_uuid, failed, parts.clock)
    paths = RawPaths(most_slashes=max(path.count("/") for path in ACCESS))
    middleware: list[Any] = [RequestId(), paths, guard]
    app = falcon.asgi.App(middleware=middleware)
    errors.register(app)
    work = StoreWork(parts.store, parts.activate, parts.clock)
    oauth = OAuth(work, tokens, errors.report, parts.log, attempts.count, parts.refused)
    services = _services(parts, work, Bodies(parts.limits, guard.confirm), errors, oauth, ring)
    for route in ROUTES:
        app.add_route(route.path, _answering_head(route.handler(services)))
    return app


def _known_credentials(parts: Collaborators, tokens: AccessTokens) -> KnownCredentials:
    store = parts.store.credentials
    kinds = (ApiKeys(store), tokens)
    return KnownCredentials(store, parts.store.watch, kinds, parts.clock, parts.stale_seconds, parts.log)


def _services(
    parts: Collaborators, work: StoreWork, bodies: Bodies, errors: ErrorAnswers, oauth: OAuth, ring: KeyRing
) -> Services:
    page_tokens = PageTokens(parts.page_secret)
    return Services(
        engine_of=parts.engine_of,
        clock=parts.clock,
        limits=parts.limits,
        report=errors.report,
        bodies=bodies,
        searching=Searching(parts.engine_of, work, bodies, page_tokens, parts.limits, parts.clock),
        serving=Serving(work, bodies, parts.limits),
        oauth=oauth,
        ring=ring,
        public_url=parts.public_url,
    )


def _answering_head(handler: Any) -> object:
    """Returns a handler that answers HEAD as it answers GET; the server leaves the body out."""
    if hasattr(handler, "on_get"):
        handler.on_head = handler.on_get
    return handler
