"""The parts of the service, each made once, by what it is called in the handlers that need it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Final, Protocol

from ...bundles.errors import BundleError
from ...bundles.signing.pem_keys import SigningKey
from ...bundles.signing.sign import DAY
from ...runtime import Engine
from ..endpoints.decisions.health import is_ready
from ..endpoints.decisions.searches.page_tokens import PageTokens
from ..endpoints.decisions.searches.searching import Searching
from ..endpoints.metrics_page.metrics_answering import MetricsAnswering
from ..endpoints.metrics_page.store_readings import LeaseReading, StoreReadings
from ..endpoints.previewing.trial_engines import Trials
from ..endpoints.sign_in.signing_in import SigningIn
from ..endpoints.tokens.endpoints import OAuth
from ..engines.exports.callers_list import CallersLists
from ..engines.exports.export_counts import Exports
from ..engines.exports.export_files import ExportFiles
from ..engines.exports.exporter import Exporter
from ..engines.exports.states import States
from ..engines.exports.updates import UpdateMaker
from ..engines.jobs.runner import Database, Jobs, no_database
from ..engines.live.engine_access import EngineOf
from ..engines.live.store_work import Activate, Confirm, StoreWork, confirmed_alone
from ..identity.attempt_counts import RefusedAttempts
from ..identity.credential import Verifier
from ..identity.guard import Access
from ..identity.keys.bundle_keys import bundle_signing_key, prepare_bundle_keys
from ..identity.keys.ring import KeyRing
from ..identity.keys.signing_keys import UnusableSigningKey
from ..identity.keys.sources import KeySource, prepare_signing_keys
from ..identity.known_credentials import KnownApiKeys, KnownCredentials
from ..identity.recent_headers import RecentHeaders
from ..identity.sign_in.options import SignInOptions, sign_in_options
from ..identity.sign_in.sessions import PeopleSessions
from ..identity.tokens.access_tokens import AccessTokens
from ..identity.uses import CredentialUses
from ..store.audit.events import Event
from ..store.database.private_files import read_or_create_secret
from ..store.environment_ids import DEFAULT
from ..store.errors import StoreUnavailable
from ..store.store import Store
from ..telemetry.metrics.counts import Counts
from ..telemetry.metrics.metric import MetricServer
from .routes.all_routes import ACCESS, COUNTED
from .server_parts import ServerParts

_SIGN_IN_KEY: Final = "sign-in.key"
"""Random bytes, kept as those below: they seal sign-ins under way, which any server may finish."""

_PAGE_KEY: Final = "page-tokens.key"
"""In the data directory: random bytes that sign the tokens of pages, so that these outlast a restart. Several servers
on one database have them there, so that each accepts the tokens of the others.
"""


class Engines(Protocol):
    """The engines that decide: one for each environment, at its newest committed revision."""

    def engine(self, environment: str = DEFAULT) -> Engine:
        """Returns the engine of an environment. Raises NotFound if there is none, Stale if it is out of date."""

    def report_damage(self, environment: str, error: BundleError) -> bool:
        """Takes a damaged bundle out of use. Returns False if that was done before."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ServiceParts(ServerParts):
    """The parts of a service. Keys that the data directory does not have yet are made.

    `activate` puts a commit in force, and `confirm` waits until other servers see it. `lease` is that of this server,
    or None without other servers, and `job_database` gives jobs their database. `admin_keys` are the
    administrator's. `refused` and `exports` count refused attempts and exports for the audit log.
    """

    store: Store
    engines: Engines
    activate: Activate
    confirm: Confirm = confirmed_alone
    lease: LeaseReading | None = None
    job_database: Database = no_database
    admin_keys: Verifier
    exports: Exports
    refused: RefusedAttempts = field(default_factory=RefusedAttempts)
    counts: Counts = field(default_factory=lambda: Counts.apart(COUNTED))

    @property
    def engine_of(self) -> EngineOf:
        """Returns the engine of an environment."""
        return self.engines.engine

    @property
    def at_this_server(self) -> bool:
        """True if other servers may have the store: what this one counts and logs is not all then."""
        return self.lease is not None

    @property
    def access(self) -> Mapping[str, Access]:
        """The access rules of each route, by path."""
        return ACCESS

    @property
    def verifiers(self) -> Sequence[Verifier]:
        """The administrator's keys, API keys and access tokens."""
        return [self.admin_keys, self.known]

    @cached_property
    def recent(self) -> RecentHeaders:
        """The credentials that a worker remembers."""
        return RecentHeaders(self.store.watch, self.clock, self.uses.note)

    @cached_property
    def metrics(self) -> MetricsAnswering:
        """Answers requests for metrics."""
        readings = StoreReadings(self.store, self.clock, self.settings.backup_hours, self.lease)
        table, in_thread = self.counts.table, self.work.read
        return MetricsAnswering(table, MetricServer.SERVICE, readings, in_thread, self.machine, self.is_ready)

    def report_damage(self, environment: str, error: BundleError) -> bool:
        """Takes a damaged bundle out of use. Returns False if that was done before."""
        return self.engines.report_damage(environment, error)

    def uuid_of(self, environment: str) -> str | None:
        """Returns the UUID of an environment by its id, or None if there is none."""
        return self.known.environment_uuid(environment)

    def issuer(self) -> str:
        """Returns the issuer of the service's tokens."""
        return self.public_url

    async def is_ready(self) -> bool:
        """Returns whether this worker can decide."""
        return await is_ready(self.engine_of, self.draining)

    def stop(self) -> None:
        """Let long polls go, because the worker ends."""
        self.states.stop()

    def wrong_credential(self, address: str) -> int | None:
        """Counts a wrong credential of a request, for the audit log too."""
        self.refused.add(Event.CREDENTIAL_REFUSED, address)
        return self.wrong_secret(address)

    @property
    def directory(self) -> Path:
        """The data directory."""
        return self.store.directory

    @cached_property
    def uses(self) -> CredentialUses:
        """Notes when credentials are used."""
        return CredentialUses(self.clock)

    @cached_property
    def ring(self) -> KeyRing:
        """The keys that sign tokens."""
        settings = self.settings
        source = prepare_signing_keys(
            self.directory, settings.signing_key, settings.signing_algorithm, self.clock, self.log
        )
        return KeyRing(source, self.log)

    @cached_property
    def tokens(self) -> AccessTokens:
        """Issues and reads access tokens."""
        return AccessTokens(self.ring, self.store.credentials, self.public_url, self.clock)

    @cached_property
    def known(self) -> KnownCredentials:
        """The API keys, and the access tokens of known clients."""
        store, kinds = self.store.credentials, (KnownApiKeys(self.store.credentials), self.tokens)
        return KnownCredentials(store, self.store.watch, kinds, self.clock, self.settings.stale_seconds, self.log)

    @cached_property
    def work(self) -> StoreWork:
        """Runs store calls off the event loop."""
        jobs = Jobs(self.directory, database=self.job_database)
        return StoreWork(self.store, self.activate, self.clock, self.confirm, jobs)

    @cached_property
    def oauth(self) -> OAuth:
        """Answers for tokens."""
        note, report = self.uses.note, self.errors.report
        return OAuth(self.work, self.tokens, report, self.log, self.wrong_secret, self.refused, note)

    @cached_property
    def sign_in(self) -> SignInOptions | None:
        """The options of the sign-in, or None if people have none. Raises BadSetting."""
        return sign_in_options(self.settings.sign_in, self.public_url)

    @cached_property
    def sessions(self) -> PeopleSessions | None:
        """The sessions of people, or None if they have no sign-in here."""
        if self.sign_in is None:
            return None
        cookies, origin, work = self.sign_in.cookies, self.sign_in.origin, self.work
        return PeopleSessions(self.store.sign_ins, work.read_credential, work.change, cookies, origin, self.clock)

    @cached_property
    def signing_in(self) -> SigningIn | None:
        """Signs people in, or None. Raises OSError or StoreUnavailable if its key can't be read or written."""
        if self.sign_in is None:
            return None
        key = _shared_secret(self.store, _SIGN_IN_KEY)
        return SigningIn(self.sign_in, self.work, key, self.issuer, self.clock, self.log)

    @cached_property
    def searching(self) -> Searching:
        """Searches. Raises OSError or StoreUnavailable if the key of page tokens can't be read or written."""
        return Searching(
            self.engine_of,
            self.work,
            self.bodies,
            PageTokens(_shared_secret(self.store, _PAGE_KEY)),
            self.limits,
            self.clock,
            self.counts,
            self.decision_log,
        )

    @cached_property
    def trials(self) -> Trials:
        """Makes engines on changed models."""
        return Trials(self.work, self.engine_of, self.clock)

    @cached_property
    def callers(self) -> CallersLists:
        """The lists of callers for agents."""
        return CallersLists(self.ring, self.public_url)

    @cached_property
    def states(self) -> States:
        """Passes changes to those who follow an environment."""
        waiting = min(self.limits.waiting, self.limits.connections * 3 // 4)
        return States(self.work, self.callers, self.clock, waiting)

    @cached_property
    def exporter(self) -> Exporter:
        """Makes signed bundles and updates."""
        updates = UpdateMaker(self.store, ExportFiles(self.directory), self.callers, self.clock)
        keys = prepare_bundle_keys(self.directory, self.settings.bundle_key, self.clock, self.log)
        seconds = self.settings.bundle_days * DAY
        return Exporter(self.directory, self.work, updates, partial(_signer, keys, self.ring), seconds, self.clock)


def _shared_secret(store: Store, name: str) -> bytes:
    shared = store.shared_keys
    return read_or_create_secret(store.directory / name) if shared is None else shared.secret(name)


def _signer(keys: KeySource, ring: KeyRing) -> SigningKey:
    """Returns the key that signs bundles. Raises StoreUnavailable."""
    try:
        return bundle_signing_key(keys, ring.keys())
    except (UnusableSigningKey, OSError) as ex:
        raise StoreUnavailable(f"no bundle can be signed: {ex}", "no bundle can be signed now") from ex
