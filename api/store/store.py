"""The store: the interface to environments, their elements, whole models and the change log."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ...bundles.conditions.instants import from_seconds, show_instant
from ...bundles.conditions.trees.tree import FilterTree
from ...bundles.conditions.values import is_text
from ...bundles.routing.settings import GatewaySettings
from ...compiler.limits import DEFAULTS, Limits
from ...compiler.model.elements import Model
from ...compiler.source import Source
from ...runtime.searches.subjects import SubjectRule
from ..settings.settings import SYNCHRONOUS
from . import environment_changes
from .actor import Actor
from .audit.audit_log import AuditLog
from .backups.backup import back_up
from .credentials.credentials import Credentials
from .database.connection import Connection
from .database.connections import BUSY_SECONDS, DatabaseServer, Primary, Timed, untimed
from .database.engine import OpenedDatabase, open_database
from .database.postgresql.shared_keys import shared_keys
from .database.sqlite.opening import FILE
from .database.time_limit import LOCKED_MILLISECONDS, TimeLimit
from .elements.edits import Committed, Edit, StoredElement
from .elements.element_bodies import decode_body
from .elements.grant_sets import GrantSet, grant_set
from .elements.kinds import kind_named
from .elements.tables import TABLES
from .environment_ids import Bounds
from .environments import Environment, EnvironmentChange, all_environments, environment_by_id, environment_within
from .errors import ElementKey
from .expiring import ExpiryIndex
from .finding.finder import Finder
from .finding.keeping import ensure_blocks
from .finding.listing import ElementPage, list_page
from .gateway_settings import read_gateway
from .gathered_writes import write_gathered
from .history import change_log
from .history.change_log import ChangeEntry, Revision
from .history.element_past import RevisionFilter
from .history.history import History
from .history.registered_attributes import StoredRegistry
from .history.revision_updates import Unbuilt, Updates, record_bundle, updates_since
from .insight.insight import Insight
from .models.extent import Extent, put_documents, replacement
from .models.reading import KnownModel, ModelStream, StreamedModel, model_of, streamed_model
from .models.replacing import ReplacementResult
from .models.submitted_model import SubmittedModel
from .pages import MAX_PAGE
from .policy_tests import PolicyTests
from .promotions.promotion import Promotion
from .promotions.promotions import Promotions
from .search.candidates import Candidates, resource_candidates, subject_candidates
from .sign_ins.sign_ins import SignIns
from .trials.changed_models import ChangedModels
from .trials.trial import Trial, read_tests, trial_limit, try_write
from .upgrades.contraction import Contraction
from .writing import Write, Writes

_MILLISECOND = 10**6
_AS_NEW = EnvironmentChange()

Clock = Callable[[], float]
"""Returns epoch seconds."""


class Store:
    """A store in a directory. Safe for threads and forks: each thread of each process has its own connection.

    Every method raises StoreUnavailable if the database can't be read or written now, and NotFound for the id of an
    unknown environment. A change takes its `actor`. A read for a credential takes its `bounds`: it raises OutOfBounds
    for an environment outside them, existing or not. Without `now`, the time is that of `clock`.
    """

    def __init__(self, database: OpenedDatabase, clock: Clock, locked_milliseconds: int, limits: Limits):
        """Use `Store.open`."""
        connections = self._connections = database.connections
        self._clock, self.limits = clock, limits
        """The limits of models."""
        self.upgraded_from = database.upgraded_from
        """The copy of the store as it was before this process upgraded it, or None."""
        self.watch, self.signal, self.unbuilt = database.watch, connections.signal, Unbuilt(connections)
        self.writes = Writes(connections, self._time, locked_milliseconds)
        self.credentials = Credentials(connections, lambda: self._time(None))
        self.sign_ins = SignIns(connections, lambda: self._time(None))
        self.audit = AuditLog(connections, self._time)
        self.promotions = Promotions(connections, lambda: self._time(None))
        self.policy_tests = PolicyTests(connections)
        self.expiring = ExpiryIndex(connections, self._time)
        self.insight, self.finder = Insight(connections), Finder(connections)
        self.history, self.registry = History(connections), StoredRegistry(connections)
        self.shared_keys = shared_keys(connections)
        self.changed_models = ChangedModels(connections, clock, limits)
        self.possible_loss, self.exposures = connections.possible_loss, connections.exposures
        self.identity = connections.identity
        self.contraction = Contraction(connections, lambda: self._time(None))

    @classmethod
    def open(
        cls,
        directory: Path,
        synchronous: str = "FULL",
        busy_seconds: float = BUSY_SECONDS,
        clock: Clock = time.time,
        create: bool = True,
        timed: Timed = untimed,
        upgrade: bool = False,
        locked_milliseconds: int = LOCKED_MILLISECONDS,
        limits: Limits = DEFAULTS,
        server: DatabaseServer | None = None,
    ) -> "Store":
        """Opens the store in `directory`, and creates it with the environment `default` if there is none.

        With a `server`, the store is in its database, and its own files are in `directory`. `timed` hears of each
        transaction. `synchronous` is SQLite's setting: with `FULL`, every acknowledged write survives a power failure,
        with `NORMAL` only the end of the process. `locked_milliseconds` is that of `Writes`, `limits` are of models.
        Raises StoreUnavailable, also for a newer store, a file that is none, without `create` for no file, and without
        `upgrade` for an older store.
        """
        assert synchronous in SYNCHRONOUS
        database = open_database(directory, server, synchronous, busy_seconds, timed, create, upgrade)
        store = cls(database, clock, locked_milliseconds, limits)
        environment_changes.ensure_default(database.connections, store._time)
        ensure_blocks(database.connections)
        return store

    @property
    def directory(self) -> Path:
        """The folder of the store's own files."""
        return self._connections.directory

    @property
    def path(self) -> Path:
        """The database file of SQLite."""
        return self.directory / FILE

    def primary(self) -> Primary | None:
        """See `StoreConnections`."""
        return self._connections.primary()

    def sizes(self) -> Mapping[str, int]:
        """Returns the bytes of the `database` and of its `log`, as far as they can be told."""
        return self._connections.sizes()

    def close(self) -> None:
        """Close all connections of this process."""
        self._connections.close()

    def environments(self) -> tuple[Environment, ...]:
        """Returns all environments, by id."""
        with self._connections.reading() as db:
            return all_environments(db)

    def environment(self, id: str, bounds: Bounds = None) -> Environment:
        """Returns the environment of that id."""
        with self._connections.reading() as db:
            return environment_within(db, id, bounds)

    def create_environment(self, actor: Actor, id: str, settings: EnvironmentChange = _AS_NEW) -> Environment:
        """Create an environment without a model. Raises what `environment_changes.create` raises."""
        with self._connections.writing() as db:
            return environment_changes.create(db, actor, id, settings, self._time(None))

    def change_environment(self, actor: Actor, id: str, change: EnvironmentChange) -> Environment:
        """Change the settings of an environment. Raises what `environment_changes.change` raises."""
        with self._connections.writing() as db:
            return environment_changes.change(db, actor, id, change, self._time(None))

    def delete_environment(self, actor: Actor, id: str) -> None:
        """Delete an environment and everything in it. Raises what `environment_changes.delete` raises."""
        with self._connections.writing() as db:
            environment_changes.delete(db, actor, id, self._time(None))

    def gateway(self, env: str, bounds: Bounds = None) -> GatewaySettings | None:
        """Returns the gateway settings of an environment, or None if it has none."""
        with self._connections.reading() as db:
            return read_gateway(environment_within(db, env, bounds))

    def change_gateway(self, actor: Actor, env: str, settings: GatewaySettings | None) -> Environment | Promotion:
        """Replace the gateway settings, or remove them with None. Raises what `Promotions.change_gateway` raises."""
        return self.promotions.change_gateway(env, actor, settings)

    def get(self, env: str, kind: str, key: ElementKey, bounds: Bounds = None) -> StoredElement:
        """Returns an element of `kind`, a list of the model document, by its key. Raises NotFound, BadQuery."""
        known = kind_named(kind)
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            fits = len(key) == len(known.key) and all(map(is_text, key))
            found = TABLES[known.name].find(db, environment.number, key) if fits else None
        if found is None:
            raise known.absent(key, env)
        return StoredElement(decode_body(found.body), environment.etag_of(found.version))

    def grants_on(self, env: str, resource: tuple[str, str], bounds: Bounds = None) -> GrantSet:
        """Returns the grants on a resource, given by the id of its type and its id. Raises Rejected for too many."""
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            return grant_set(db, environment, resource)

    def list(
        self,
        env: str,
        kind: str,
        filters: Mapping[str, str] | None = None,
        limit: int = MAX_PAGE,
        cursor: str | None = None,
        bounds: Bounds = None,
    ) -> ElementPage:
        """Returns elements by key that pass all `filters` (see `listing.FILTERS`). Raises BadQuery."""
        known = kind_named(kind)
        with self._connections.reading() as db:
            return list_page(db, environment_within(db, env, bounds), known, filters or {}, limit, cursor)

    def write(self, env: str, actor: Actor, edits: Sequence[Edit], now: float | None = None) -> Committed:
        """Apply edits in order, all or none, as one revision. Edits that change nothing make no revision.

        Raises Rejected for the faults that `writ check` finds, and for a write that takes too long, NotFound, Conflict
        and PreconditionFailed. Writes nothing then.
        """
        return self.writes.write(Write(env, actor, edits, now, self.limits))

    def write_gathered(self, writes: Sequence[Write]) -> Sequence[Committed | Exception]:
        """Apply the first of several writes, one at least, in one transaction. Returns each one's result or failure.

        Each is a separate revision, and an error that `write` raises is its failure (see `gathered_writes`).
        """
        return write_gathered(self._connections, writes, self._time)

    def try_write(
        self, env: str, actor: Actor, edits: Sequence[Edit], since: int, limit: TimeLimit | None = None
    ) -> Trial:
        """Find out what a write would do, and write nothing; see `trial.try_write`."""
        return try_write(self._connections, Write(env, actor, edits, limits=self.limits), since, limit or trial_limit())

    def read_tests(self, env: str, since: int, bounds: Bounds = None) -> Trial:
        """Returns the stored policy tests with the state that they ask; see `trial.read_tests`."""
        return read_tests(self._connections, env, since, bounds)

    def put_model(
        self,
        env: str,
        actor: Actor,
        sources: Sequence[Source],
        dry_run: bool = False,
        now: float | None = None,
        if_match: Collection[str] | None = None,
        extent: Extent = Extent.MODEL,
    ) -> ReplacementResult:
        """Replace the whole model, or what `extent` says, by the documents together. A dry run changes nothing.

        Raises Rejected with all faults of the documents, whose paths start at their document. Raises PreconditionFailed
        if the model's entity tag is not in `if_match`, and Conflict if a fact that stays refers to what goes.
        """
        submitted = SubmittedModel.read(sources, self._clock() if now is None else now, self.limits)
        if dry_run:
            with self._connections.reading() as db:
                environment = environment_within(db, env, actor.bounds)
                return replacement(db, environment, submitted, extent).preview()
        return self.put_submitted(env, actor, submitted, now, if_match, extent)

    def put_submitted(
        self,
        env: str,
        actor: Actor,
        submitted: SubmittedModel,
        now: float | None = None,
        if_match: Collection[str] | None = None,
        extent: Extent = Extent.MODEL,
    ) -> ReplacementResult:
        """Replace the model by documents that were checked already; see `put_model` and `put_documents`."""
        return put_documents(self._connections, env, actor, submitted, extent, if_match, lambda: self._time(now))

    def model(self, env: str, bounds: Bounds = None, form: str = "json") -> ModelStream:
        """Returns the model as one document, in pieces, from one state of the database, in constant memory.

        `form` is a name in `FORMS`.
        """
        db = self._connections.fresh()
        try:
            with self._connections.translated():
                return ModelStream(db, env, self._connections.translated, bounds, form)
        except BaseException:
            db.close()
            raise

    def read_model(self, env: str) -> tuple[Environment, Model]:
        """Returns the environment and its model at the same revision, for the compiler."""
        with self._connections.reading() as db:
            environment = environment_by_id(db, env)
            return environment, model_of(db, environment)

    @contextmanager
    def streamed_model(self, env: str, known: KnownModel | None = None) -> Iterator[StreamedModel]:
        """Yields what `read_model` returns, but the grants are read as they are iterated; see `StreamedModel`."""
        with self._connections.reading() as db:
            yield streamed_model(db, environment_by_id(db, env), known)

    def revision_of(self, env: str) -> int:
        """Returns the number of the newest revision, or 0 before the first write."""
        return self.environment(env).revision

    def revisions(
        self, env: str, limit: int = MAX_PAGE, cursor: str | None = None, bounds: Bounds = None
    ) -> tuple[tuple[Revision, ...], str | None]:
        """Returns revisions, newest first, and the cursor of the next page, or None at the end. Raises BadQuery."""
        found, cursor = self.history.find(env, RevisionFilter(), limit, cursor, bounds=bounds)
        return tuple(one.revision for one in found), cursor

    def revision(self, env: str, number: int, bounds: Bounds = None) -> tuple[Revision, Iterator[ChangeEntry]]:
        """Returns a revision and its change of each element, read on demand. Raises NotFound."""
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            found = change_log.revision_numbered(db, environment, number)
        return found, self._entries(environment.number, number)

    def updates(self, env: str, since: int | None = None, most_bytes: int | None = None) -> Updates:
        """Returns the updates after the revision `since`, or after that of the newest bundle, up to `most_bytes`."""
        with self._connections.reading() as db:
            return updates_since(db, env, since, most_bytes, self._connections.folder)

    def resource_candidates(
        self,
        env: str,
        type: str,
        after: str,
        count: int,
        where: FilterTree,
        granted_to: tuple[str, str] | None,
        bounds: Bounds = None,
    ) -> Candidates:
        """Returns about `count` registered resources after the id `after`, by id. `type` is the id of their type.

        Leaves out a resource if `where` certainly does not hold for it, and the subject `granted_to` has no direct
        grant on it, expired or not. `granted_to` is a type and an id.
        """
        with self._connections.deciding(), self._connections.reading() as db:
            number = environment_within(db, env, bounds).number
            return resource_candidates(db, number, type, after, count, where, granted_to)

    def subject_candidates(
        self,
        env: str,
        type: str,
        after: str,
        count: int,
        rules: Sequence[SubjectRule],
        granted_on: tuple[str, str] | None,
        bounds: Bounds = None,
    ) -> Candidates:
        """Returns about `count` registered subjects of a type after the id `after`, by id.

        Leaves out a subject if certainly no rule applies to it, expired assignments included, and it has no direct
        grant on the resource `granted_on`, expired or not. `granted_on` is the type's id and the resource's id.
        """
        with self._connections.deciding(), self._connections.reading() as db:
            number = environment_within(db, env, bounds).number
            return subject_candidates(db, number, type, after, count, rules, granted_on)

    def record_bundle(self, env: Environment, revision: int, file: str) -> None:
        """Record that the bundle of `revision` is published as `file`, and forget earlier bundles. Raises NotFound."""
        with self._connections.writing() as db:
            record_bundle(db, env, revision, file, self._connections.folder)

    def backup(self, file: Path) -> None:
        """Copy the store at one instant to a new file. Reads and writes go on meanwhile.

        Raises StoreUnavailable if `file` exists or can't be written.
        """
        back_up(self._connections, file)

    def deciding(self) -> AbstractContextManager[None]:
        """Lets decisions wait for what this thread reads in the block. See `StoreConnections.deciding`."""
        return self._connections.deciding()

    def new_connection(self) -> Connection:
        """Returns a new connection, which the caller must close."""
        return self._connections.fresh()

    def translated(self) -> AbstractContextManager[None]:
        """Turns SQLite's errors about the file into StoreUnavailable, inside the block."""
        return self._connections.translated()

    def _entries(self, environment: int, revision: int) -> Iterator[ChangeEntry]:
        chunk = 0
        while True:
            with self._connections.reading() as db:
                entries = change_log.entries_chunk(db, environment, revision, chunk)
            if entries is None:
                return
            yield from entries
            chunk += 1

    def _time(self, now: float | None) -> str:
        """Returns RFC 3339, in whole milliseconds."""
        instant = from_seconds(self._clock() if now is None else now)
        return show_instant(instant - instant % _MILLISECOND)
