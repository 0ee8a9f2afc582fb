"""Starts the service on a data directory: first the store, then the engines and the application.

All of this is made before the workers are forked, so that they share it. Between the two steps, the caller may put a
model into the store.
"""

import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...compiler.limits import DEFAULTS
from ..engines.exports.export_counts import Exports
from ..engines.jobs.runner import Jobs
from ..engines.leases.shared_store import shared_store
from ..engines.live.activation import Activation
from ..engines.live.build import silent
from ..engines.live.bundle_files import BundleFiles, NoBundle
from ..engines.live.data_directory import hold, prepare_directory
from ..engines.live.import_model import ensure_bundle
from ..engines.live.live_engines import LiveEngines
from ..engines.live.preparations import Preparations
from ..engines.live.preparing_threads import PreparingThreads
from ..identity.admin_access import AdminAccess, admin_access, details_of, keep_adopted, supplied_by
from ..identity.admin_keys import AdminKeyFiles, AdminKeys
from ..identity.attempt_counts import RefusedAttempts
from ..identity.keys.agreement import KeyAgreement
from ..identity.keys.held_keys import HeldKeys, held_admin_keys, held_keys, held_url, make_first_keys
from ..identity.keys.ring import KeyRing, KeySealer
from ..identity.keys.sources import ADMIN_KEY_GIVEN, note_given, prepare_audit_keys
from ..server.server import Service
from ..server.supervision.part import Part
from ..settings.settings import Settings
from ..store.database.connections import DatabaseServer
from ..store.database.sqlite.log_damage import sentence_on_damage
from ..store.database.sqlite.opening import FILE
from ..store.duties.duty import process_name
from ..store.environment_ids import DEFAULT
from ..store.errors import Stale, WithoutLease
from ..store.store import Store
from ..telemetry.metrics.counts import Counts
from .app import create_application
from .parts import ServiceParts
from .routes.all_routes import COUNTED
from .server_program import ServerOptions, ServerProgram
from .upkeep.admin_key_upkeep import AdminKeyUpkeep
from .upkeep.audit_upkeep import AuditUpkeep
from .upkeep.expiry_sweep import ExpirySweep
from .upkeep.format_upkeep import FormatUpkeep
from .upkeep.key_upkeep import KeyUpkeep
from .upkeep.tasks import admin_key_tasks, audit_tasks, format_tasks, key_tasks, sweep_tasks, use_tasks
from .upkeep.upkeep import Upkeep
from .upkeep.use_upkeep import UseUpkeep

START_BUILDS: Final = 3
"""The bundles that a start builds because other servers have answered writes since the last one."""


class ServiceStart:
    """A service whose store is open, and whose start is in the audit log. No engine is open yet.

    `store` has all environments. `access` has the administrator's keys.
    """

    def __init__(self, directory: Path, options: ServerOptions, settings: Settings, log: logging.Logger) -> None:
        """Holds the data directory, and makes it if there is none.

        Raises UnusableDirectory, UnusableKey, BadSetting, CannotListen, StoreUnavailable, OSError.
        """
        prepare_directory(directory)
        self._directory, self._settings, self._log = directory, settings, log
        self._lock = hold(directory)
        self._shared = shared = shared_store(settings.store, directory, settings.log_format, log)
        self.program = ServerProgram("writ", options, settings, log, COUNTED, directory, shared.share)
        if self._shared.has_lease:
            self._settings = settings = replace(settings, stale_seconds=0.0)  # design.md, "The server"
        self._tell_lost_commits()
        self.store = opened_store(directory, settings, self.program.counts, log, self._shared.database)
        if loss := self.store.possible_loss():
            log.warning("%s", loss)
        for exposure in self.store.exposures():
            log.warning("%s", exposure)
        if self._shared.database is not None and self.store.path.exists():
            unused = "`%s` is not used, since the store is in the database; move it away, so that nobody starts on it"
            log.warning(unused, self.store.path)
        self._formats = self._format_upkeep()  # here, since `finish` closes all connections before the fork
        self._shared.start(self.program.counts.confirmed, self.store.signal)
        self.program.decisions.tell_doubts([one.id for one in self.store.environments()])
        self._refused, self._exports = RefusedAttempts(), Exports(time.time)
        self._audit = self._audit_upkeep()
        self._keys: KeyUpkeep | None = None
        self._admin_keys = AdminKeyFiles(directory, supplied_by(settings.admin_key, settings.admin_key_file))
        self.access = self._record_start()

    def finish(self) -> Service:
        """Returns the service, which listens. Every environment has its bundle.

        Raises UnusableKey, BadSetting, CannotListen, NoSources, Stale, StoreUnavailable, OSError.
        """
        self._shared.settle()
        preparations = Preparations(time.time, self._log)
        preparing = PreparingThreads(preparations)
        engines = self._engines(preparing)
        jobs = Jobs(self._directory, database=self._shared.job_database)
        activation = Activation(jobs, engines, self._log, self.program.counts, self._shared.tell)
        parts = self._parts(engines, activation, preparing)
        application = create_application(parts)
        service = self.program.service(
            application,
            self._life(parts, activation, preparations),
            engines.open_engines,
            lambda: engines.environments,
            held=(self._lock,),
        )
        self.program.listen()
        return service

    def _tell_lost_commits(self) -> None:
        """Logs an error if the log of a file of SQLite was damaged. SQLite says nothing, and drops commits."""
        if self._shared.database is not None:
            return
        try:
            sentence = sentence_on_damage(self._directory / FILE)
        except OSError:  # to open the store says more
            return
        if sentence is not None:
            self._log.error("%s", sentence)

    def _audit_upkeep(self) -> AuditUpkeep:
        """Returns what keeps the audit log. Makes its key if there is none."""
        keys = prepare_audit_keys(self._directory, self._settings.audit_key, time.time, self._log)
        sealer, days = KeySealer(KeyRing(keys, self._log)), self._settings.audit_days
        has_duty = self._shared.has_duty
        return AuditUpkeep(self.store.audit, self._refused, self._exports, sealer, days, time.time, self._log, has_duty)

    def _record_start(self) -> AdminAccess:
        """Records the start in the audit log and returns the administrator's keys.

        This comes before a model replaces the stored one. The audit log records a new key before it is kept: a key that
        was kept first would count as an old one at the next start, and never be recorded.
        """
        access = admin_access(self._directory, self._admin_keys.supplied)
        self._keys = self._agreed_keys(access)
        self._audit.begin_service(details_of(access.keys) if access.is_new else None)
        keep_adopted(self._directory, access)
        note_given(self._directory / ADMIN_KEY_GIVEN, self._admin_keys.supplied is not None)
        return access

    def _agreed_keys(self, access: AdminAccess) -> KeyUpkeep | None:
        """Returns what keeps the keys and the public URL of several servers the same. They are at this moment.

        Raises UnusableKey, StoreUnavailable.
        """
        shared = self.store.shared_keys
        if shared is None:
            return None
        directory, settings = self._directory, self._settings
        make_first_keys(directory, settings)
        name, url = process_name(directory), held_url(settings, self.program.url)

        def held() -> Iterable[HeldKeys]:
            admin = held_admin_keys(settings, self._admin_keys() or access.keys)
            return [*held_keys(directory, settings), admin, url]

        agreement = KeyAgreement(shared, name, held)
        agreement.join(self._log.warning)
        return KeyUpkeep(agreement)

    def _engines(self, preparing: PreparingThreads) -> LiveEngines:
        """Returns the engines. The default one is open already, so that the workers share its mapping."""
        files, rates = BundleFiles(self._directory, self.store), self.program.rates.counters
        seconds = self._settings.stale_seconds
        engines = LiveEngines(
            self.store, files, seconds, self._log, preparing=preparing, counters=rates, has_lease=self._shared.has_lease
        )
        self._open_default(engines)
        engines.close()
        self.store.close()
        return engines

    def _open_default(self, engines: LiveEngines) -> None:
        """Open the engine. Another server may just have answered a write whose bundle is not here yet."""
        for _ in range(START_BUILDS if self._shared.has_lease else 0):
            try:
                engines.engine()
            except WithoutLease:
                raise
            except Stale:
                ensure_bundle(self._directory, self.store, DEFAULT, silent)
            else:
                return
        try:
            engines.engine()
        except Stale as ex:  # the start has said why there is no bundle, and a worker tries to build it again
            if self._shared.has_lease or not isinstance(ex.__cause__, NoBundle):
                raise

    def _parts(self, engines: LiveEngines, activation: Activation, preparing: PreparingThreads) -> ServiceParts:
        program = self.program
        return ServiceParts(
            store=self.store,
            settings=self._settings,
            engines=engines,
            activate=activation,
            confirm=self._shared.confirm,
            lease=self._shared.cell,
            job_database=self._shared.job_database,
            clock=time.time,
            admin_keys=AdminKeys(self._admin_keys),
            log=self._log,
            own_url=program.url,
            refused=self._refused,
            exports=self._exports,
            preparing=preparing,
            counts=program.counts,
            decision_log=program.decisions.log,
            draining=program.draining,
            notes_callers=program.requests.is_on,
            share=self._shared.share,
            machine=program.machine,
        )

    def _life(self, parts: ServiceParts, activation: Activation, preparations: Preparations) -> Iterable[Part]:
        """Yields what lives in the workers beside the parts of every server."""
        upkeep = self._upkeep(parts, activation)
        yield Part(beat=upkeep.beat, end=upkeep.end_worker, end_service=upkeep.end_service)
        yield Part(beat=activation.beat)
        yield Part(end=preparations.leave, worker_gone=preparations.worker_gone)
        yield from self._shared.parts()

    def _upkeep(self, parts: ServiceParts, activation: Activation) -> Upkeep:
        uses = UseUpkeep(parts.uses, self.store.credentials, time.time)
        days, has_duty = self._settings.sweep_days, self._shared.has_duty
        sweep = ExpirySweep(self.store.expiring, self._directory, days, activation, time.time, has_duty)
        keys = () if self._keys is None else key_tasks(self._keys)
        admin = admin_key_tasks(AdminKeyUpkeep(self._admin_keys, self._directory, self.store.audit, time.time))
        tasks = [*admin, *keys, *audit_tasks(self._audit), *use_tasks(uses), *sweep_tasks(sweep)]
        return Upkeep([*tasks, *format_tasks(self._formats)], self._log)

    def _format_upkeep(self) -> FormatUpkeep | None:
        """Returns what ends the sharing of the store with servers of an older format, or None if there is none."""
        shared = self.store.contraction.shared_format()
        if shared is None:
            return None
        told = "the store keeps format %d, so that servers of the version before can use it too; %s"
        self._log.warning(told, shared, "when all servers are upgraded, run `writ upgrade --finish`")
        return FormatUpkeep(self.store, self._log)


def opened_store(
    directory: Path, settings: Settings, counts: Counts, log: logging.Logger, server: DatabaseServer | None = None
) -> Store:
    """Returns the store, in the database of a `server` or else in the directory. Says so if it was upgraded.

    Raises StoreUnavailable.
    """
    limit = settings.limits.write_milliseconds
    store = Store.open(
        directory,
        settings.synchronous,
        timed=counts.stored,
        upgrade=True,
        locked_milliseconds=limit,
        limits=replace(DEFAULTS, group_depth=settings.limits.group_depth),
        server=server,
    )
    if store.upgraded_from is not None:
        log.info("the store was upgraded; `%s` is a copy from before the upgrade", store.upgraded_from)
    return store
