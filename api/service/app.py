"""The composition root: the HTTP application, built from its collaborators."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

import falcon.asgi

from ...bundles.errors import BundleError
from ...bundles.signing.keys import SigningKey
from ...bundles.signing.sign import DAY
from ...runtime import Engine
from ..endpoints.decisions.deciding import Deciding
from ..endpoints.decisions.draining import Draining
from ..endpoints.decisions.health import is_ready
from ..endpoints.decisions.lane import DecisionLane, lane_calls
from ..endpoints.decisions.searches.page_tokens import PageTokens
from ..endpoints.decisions.searches.search_services import SearchServices
from ..endpoints.errors import ErrorAnswers
from ..endpoints.gateway.answering import Answering as GatewayAnswering
from ..endpoints.gateway.front import GatewayFront, at_once
from ..endpoints.gateway.gateway import Gateway
from ..endpoints.gateway.issuers import KeySets
from ..endpoints.gateway.user_tokens import UserTokens
from ..endpoints.management.elements import ManagementServices
from ..endpoints.metrics_page.answering import Answering
from ..endpoints.metrics_page.store_readings import StoreReadings
from ..endpoints.previewing.services import PreviewServices
from ..endpoints.previewing.trial_engines import Trials
from ..endpoints.tokens.endpoints import OAuth
from ..engines.exports.bundle import ExportServices
from ..engines.exports.callers_list import CallersLists
from ..engines.exports.counts import Exports
from ..engines.exports.exporter import Exporter
from ..engines.exports.files import ExportFiles
from ..engines.exports.states import States
from ..engines.exports.updates import UpdateMaker
from ..engines.live.preparations import Preparing, unmarked
from ..engines.live.store_work import Activate, StoreWork
from ..http.bodies import Bodies
from ..http.public_url import Locations
from ..http.raw_paths import RawPaths
from ..http.request_id import RequestId
from ..identity.failed_attempts import FailedAttempts
from ..identity.guard import AdminKey, Guard
from ..identity.keys.bundle_keys import bundle_signing_key, prepare_bundle_keys
from ..identity.keys.ring import KeyRing
from ..identity.keys.signing_keys import UnusableSigningKey
from ..identity.keys.sources import KeySource, prepare_signing_keys
from ..identity.known_credentials import ApiKeys, KnownCredentials
from ..identity.noting_guard import NotingGuard
from ..identity.recent_headers import RecentHeaders
from ..identity.refused_attempts import RefusedAttempts
from ..identity.tokens.access_tokens import AccessTokens
from ..identity.uses import CredentialUses
from ..settings.settings import Settings
from ..store.audit.events import Event
from ..store.database.private_files import read_or_create_secret
from ..store.environment_ids import DEFAULT
from ..store.errors import StoreUnavailable
from ..store.store import Store
from ..telemetry.decision_log.decision_log import NO_LOG, Log
from ..telemetry.metrics.counts import Counts
from ..telemetry.metrics.definitions import Where
from ..telemetry.metrics.requests import CountedApplication, CountedRoutes
from .routes.route import Services
from .routes.table import ACCESS, COUNTED, ROUTES
from .server_program import Application

_PAGE_KEY: Final = "page-tokens.key"
"""In the data directory: random bytes that sign the tokens of pages, so that these outlast a restart."""


class Engines(Protocol):
    """The engines that decide: one for each environment, at its newest committed revision."""

    def engine(self, environment: str = DEFAULT) -> Engine:
        """Returns the engine of an environment. Raises NotFound if there is none, Stale if it is out of date."""

    def report_damage(self, environment: str, error: BundleError) -> bool:
        """Takes a damaged bundle out of use. Returns False if that was done before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collaborators:
    """The parts that the application works with. By itself it reads no environment, no clock and no file.

    `activate` puts a commit in force. `clock` gives epoch seconds. `admin_key` is the digest of the administrator's
    key (SHA-256). `own_url` is the public URL if the settings name none. `signing` is the source of the keys that
    sign tokens, `bundle_signing` of those that sign bundles. `refused` and `exports` count refused attempts and exports
    for the audit log. `uses` notes when credentials are used. `page_secret` signs page tokens. `preparing` surrounds
    what prepares an environment. `counts` counts for the metrics. `decision_log` takes the decisions. `draining` tells
    that the service is about to stop. `notes_callers` says that the callers of requests are noted, for those who tell
    of requests.
    """

    store: Store
    settings: Settings
    engines: Engines
    activate: Activate
    clock: Callable[[], float]
    admin_key: bytes
    log: logging.Logger
    own_url: str
    signing: KeySource
    bundle_signing: KeySource
    refused: RefusedAttempts
    uses: CredentialUses
    exports: Exports
    page_secret: bytes
    preparing: Preparing
    counts: Counts
    decision_log: Log
    draining: Draining
    notes_callers: bool = False

    @property
    def public_url(self) -> str:
        """Returns the base of every URL that the service hands out."""
        return self.settings.public_url or self.own_url


def collaborators(
    directory: Path,
    *,
    store: Store,
    settings: Settings,
    engines: Engines,
    activate: Activate,
    clock: Callable[[], float],
    admin_key: bytes,
    log: logging.Logger,
    own_url: str,
    refused: RefusedAttempts | None = None,
    exports: Exports | None = None,
    preparing: Preparing = unmarked,
    counts: Counts | None = None,
    decision_log: Log = NO_LOG,
    draining: Draining | None = None,
    notes_callers: bool = False,
) -> Collaborators:
    """Returns the parts of a service on the data directory `directory`. Makes the keys that it does not have yet.

    Raises OSError if the key of page tokens can't be read or written.
    """
    return Collaborators(
        store=store,
        settings=settings,
        engines=engines,
        activate=activate,
        clock=clock,
        admin_key=admin_key,
        log=log,
        own_url=own_url,
        signing=prepare_signing_keys(directory, settings.signing_key, settings.signing_algorithm, clock, log),
        bundle_signing=prepare_bundle_keys(directory, settings.bundle_key, clock, log),
        refused=refused or RefusedAttempts(),
        uses=CredentialUses(clock),
        exports=exports or Exports(clock),
        page_secret=read_or_create_secret(directory / _PAGE_KEY),
        preparing=preparing,
        counts=counts or Counts.apart(COUNTED),
        decision_log=decision_log,
        draining=draining or Draining(),
        notes_callers=notes_callers,
    )


def create_app(parts: Collaborators) -> falcon.asgi.App[Any, Any]:
    """Returns the ASGI application with every route of the table, each behind the guard."""
    return create_application(parts).falcon


def create_application(parts: Collaborators) -> Application:
    """Returns the application with its decision lane; both share the guard, the engines and the handlers."""
    errors, counts = ErrorAnswers(parts.log, parts.engines.report_damage), parts.counts
    ring = KeyRing(parts.signing, parts.log)
    tokens = AccessTokens(ring, parts.store.credentials, parts.public_url, parts.clock)
    known = _known_credentials(parts, tokens)
    attempts = FailedAttempts(
        parts.settings.limits.failed_attempts, parts.clock
    )  # made before the fork, so that all workers share it

    def attempt(address: str) -> int | None:
        seconds = attempts.count(address)
        counts.refused_credential(blocked=seconds is not None)
        return seconds

    def failed(address: str) -> int | None:
        parts.refused.add(Event.CREDENTIAL_REFUSED, address)
        return attempt(address)

    recent = RecentHeaders(parts.store.watch, parts.clock, parts.uses.note)
    guards = NotingGuard if parts.notes_callers else Guard
    guard = guards([AdminKey(parts.admin_key), known], recent, ACCESS, known.environment_uuid, failed, parts.clock)
    paths = RawPaths(most_slashes=max(path.count("/") for path in ACCESS))
    middleware: list[Any] = [CountedRoutes(), RequestId(), Locations(parts.public_url), paths, guard]
    app = falcon.asgi.App(middleware=middleware)
    errors.register(app)
    work = StoreWork(parts.store, parts.activate, parts.clock)
    oauth = OAuth(work, tokens, errors.report, parts.log, attempt, parts.refused, parts.uses.note)
    services = _services(parts, work, Bodies(parts.settings.limits, guard.confirm), errors, oauth, ring)
    handlers = {route.path: _answering_head(route.handler(services)) for route in ROUTES}
    for path, handler in handlers.items():
        app.add_route(path, handler)
    key_sets = KeySets(lambda sentence: parts.log.warning("%s", sentence))
    users = UserTokens(key_sets, lambda: parts.public_url, parts.clock)
    gateway = Gateway(parts.engines.engine, guard, recent, users, parts.clock, counts, parts.decision_log)
    calls, limits = lane_calls(handlers), parts.settings.limits
    lane = DecisionLane(
        guard, recent, parts.engines.engine, limits, calls, counts, gateways=at_once(gateway), log=parts.decision_log
    )
    answering = GatewayAnswering(gateway, services.deciding, key_sets, errors)
    front = CountedApplication(GatewayFront(app, answering), counts)
    ready = partial(is_ready, parts.engines.engine, parts.draining)
    return Application(app, front, lane, services.metrics, recent, answering, ready, services.export.states.stop)


def _known_credentials(parts: Collaborators, tokens: AccessTokens) -> KnownCredentials:
    store = parts.store.credentials
    kinds = (ApiKeys(store), tokens)
    return KnownCredentials(store, parts.store.watch, kinds, parts.clock, parts.settings.stale_seconds, parts.log)


def _services(
    parts: Collaborators, work: StoreWork, bodies: Bodies, errors: ErrorAnswers, oauth: OAuth, ring: KeyRing
) -> Services:
    page_tokens = PageTokens(parts.page_secret)
    return Services(
        engine_of=parts.engines.engine,
        clock=parts.clock,
        limits=parts.settings.limits,
        report=errors.report,
        bodies=bodies,
        deciding=Deciding(parts.preparing, parts.counts),
        search=SearchServices(
            parts.engines.engine,
            work,
            bodies,
            page_tokens,
            parts.settings.limits,
            parts.clock,
            parts.counts,
            parts.decision_log,
        ),
        management=ManagementServices(work, bodies, parts.settings.limits),
        preview=PreviewServices(
            bodies,
            Trials(work, parts.engines.engine, parts.clock),
            parts.decision_log.file,
        ),
        oauth=oauth,
        export=_export_services(parts, work, ring, bodies),
        ring=ring,
        metrics=Answering(parts.counts.table, Where.SERVICE, StoreReadings(parts.store)),
        counts=parts.counts,
        public_url=parts.public_url,
        decision_log=parts.decision_log,
        draining=parts.draining,
    )


def _export_services(parts: Collaborators, work: StoreWork, ring: KeyRing, bodies: Bodies) -> ExportServices:
    directory, limits = parts.store.path.parent, parts.settings.limits
    lists = CallersLists(ring, parts.public_url)
    updates = UpdateMaker(parts.store, ExportFiles(directory), lists, parts.clock)

    def signer() -> SigningKey:
        try:
            return bundle_signing_key(parts.bundle_signing, ring.keys())
        except (UnusableSigningKey, OSError) as ex:
            raise StoreUnavailable(f"no bundle can be signed: {ex}", "no bundle can be signed now") from ex

    exporter = Exporter(directory, work, updates, signer, parts.settings.bundle_days * DAY, parts.clock)
    states = States(work, lists, parts.clock, min(limits.waiting, limits.connections * 3 // 4))
    return ExportServices(exporter, states, work, parts.exports, bodies.confirm)


def _answering_head(handler: Any) -> object:
    """Returns the handler, which now answers HEAD as it answers GET. The server leaves the body out."""
    if hasattr(handler, "on_get"):
        handler.on_head = handler.on_get
    return handler
