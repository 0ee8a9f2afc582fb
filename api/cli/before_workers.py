"""What `writ serve` opens before it forks its workers, so that they share it: the store, the engines, the audit log."""

import logging
import time
from pathlib import Path

from ..endpoints.decisions.shared_rates import SharedRates
from ..engines.exports.counts import Exports
from ..engines.live.activation import Activation
from ..engines.live.bundle_files import BundleFiles
from ..engines.live.live_engines import LiveEngines
from ..engines.live.preparations import Preparations
from ..identity.admin_access import AdminAccess, admin_access, keep_adopted
from ..identity.keys.ring import KeyRing, KeySealer
from ..identity.keys.sources import prepare_audit_keys
from ..identity.refused_attempts import RefusedAttempts
from ..service.app import Collaborators
from ..service.upkeep.audit_upkeep import AuditUpkeep
from ..service.upkeep.expiry_sweep import ExpirySweep
from ..service.upkeep.use_upkeep import UseUpkeep
from ..settings.settings import Settings
from ..store.environment_ids import DEFAULT
from ..store.store import Store
from ..telemetry.metrics.counts import Counts
from .start_model import prepare_model
from .start_options import StartOptions


def opened_store(directory: Path, settings: Settings, counts: Counts, log: logging.Logger) -> Store:
    """Returns the store. Says so if it was upgraded. Raises StoreUnavailable."""
    store = Store.open(directory, settings.synchronous, timed=counts.stored)
    if store.upgraded_from is not None:
        log.info("the store was upgraded; `%s` is a copy from before the upgrade", store.upgraded_from)
    return store


def _wanted_seeds(seeds: tuple[Path, ...], store: Store, log: logging.Logger) -> tuple[Path, ...]:
    """Returns the documents for a store that never had a model, or none."""
    if not seeds or not store.revision_of(DEFAULT):
        return seeds
    log.info("the store has a model, so `--import-if-empty` does nothing")
    return ()


def begin(
    options: StartOptions, store: Store, settings: Settings, upkeep: AuditUpkeep, log: logging.Logger
) -> AdminAccess:
    """Records the start, and puts the model of the command line into the store. Returns the administrator's key."""
    access = _record_start(options.directory, settings, upkeep)
    seeds = options.sources or _wanted_seeds(options.seeds, store, log)
    prepare_model(options.directory, store, seeds, options.demo)
    return access


def _record_start(directory: Path, settings: Settings, upkeep: AuditUpkeep) -> AdminAccess:
    """Records the start in the audit log and returns the administrator's key.

    This comes before the command line's model replaces the stored one. The audit log records a new key before it is
    kept: a key that was kept first would count as an old one at the next start, and never be recorded.
    """
    access = admin_access(directory, settings.admin_key)
    upkeep.begin_service(new_key=access.is_new)
    keep_adopted(directory, access)
    return access


def open_engines(
    directory: Path,
    store: Store,
    settings: Settings,
    log: logging.Logger,
    preparations: Preparations,
    rates: SharedRates,
) -> LiveEngines:
    """Returns the engines. The default one is opened before the workers are forked, so that they share its mapping."""
    files = BundleFiles(directory, store)
    live_engines = LiveEngines(
        store, files, settings.stale_seconds, log, preparing=preparations, counters=rates.counters
    )
    live_engines.engine()
    live_engines.close()
    store.close()
    return live_engines


def audit_upkeep(
    directory: Path,
    store: Store,
    settings: Settings,
    refused: RefusedAttempts,
    exports: Exports,
    log: logging.Logger,
) -> AuditUpkeep:
    """Returns what keeps the audit log. Makes its key if there is none."""
    keys = prepare_audit_keys(directory, settings.audit_key, time.time, log)
    sealer = KeySealer(KeyRing(keys, log))
    return AuditUpkeep(store.audit, refused, exports, sealer, settings.audit_days, time.time, log)


def expiry_sweep(
    options: StartOptions, store: Store, settings: Settings, activation: Activation, log: logging.Logger
) -> ExpirySweep:
    """Returns the sweep of the store. It removes nothing from the demo, which shows what has expired, too."""
    keep_days = 0 if options.demo else settings.sweep_days
    return ExpirySweep(store.expiring, options.directory, keep_days, activation, time.time, log)


def use_upkeep(parts: Collaborators) -> UseUpkeep:
    """Returns what stores the last uses of credentials. Raises OSError."""
    return UseUpkeep(parts.uses, parts.store.credentials, parts.clock, parts.log)
