"""A model of servers, writers and their database around the state machines of `api/store/leases`, tried exhaustively.

`find_stale` walks through every order of the steps of a small world, breadth first: steps of keepers, workers and
writers, messages that are late or lost, pauses of any length (a process that makes no step while the others do), ticks
of the clocks, a fail-over to a replica, the return of a dump, and the death of a writer before it has a ticket. Time is
unbounded: all times are kept relative to now.

The world is right if no worker gives an answer from a revision that is older than one that was acknowledged before the
worker looked at the commit signal. The revision of a writer that died counts as acknowledged one lease later.
"""

import gc
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from writ.api.store.leases.confirming import Confirmation, ServerRow
from writ.api.store.leases.holding import Holding, Reading

NOW: Final = 0
"""Every clock shows it. Its ticks move all the times that a process remembers into the past."""

MOST_WORLDS: Final = 2_000_000

Revision: TypeAlias = tuple[int, int]
"""Epoch and revision."""


class Database(NamedTuple):
    """The newest revision, the last ticket, the last number of a lease, and the rows of the servers.

    `past` differs after a dump was restored. The first connection after that notes it, and begins an epoch.
    """

    newest: Revision = (1, 0)
    ticket: int = 0
    lease: int = 0
    rows: tuple[ServerRow, ...] = ()
    past: int = 0
    is_noted: bool = True


class Server(NamedTuple):
    """A server: its keeper's `step` and the `read` reading that is on its way to it, and one worker.

    `is_raised` says that the commit signal changed since the worker looked. `rounds` is how often the keeper may still
    ask. `past` is that of its connection. The worker keeps the end of the lease for its request, and a stale revision
    with which it decided.
    """

    id: str
    holding: Holding
    step: str = "idle"
    read: Reading = Reading(0, None)
    is_raised: bool = True
    engine: Revision = (0, 0)
    rounds: int = 0
    is_connected: bool = True
    past: int = 0
    kept: int | None = None
    decided: Revision | None = None


class Writer(NamedTuple):
    """A writer of one revision: its step, the revision, its wait, and the rows that are on their way to it.

    `past` is that of its connection, and `made_in` that of the database at its commit.
    """

    own: str | None = None
    step: str = "start"
    made: Revision = (0, 0)
    made_in: int = 0
    wait: Confirmation = Confirmation(0)
    rows: tuple[ServerRow, ...] = ()
    is_connected: bool = True
    past: int = 0


class World(NamedTuple):
    """All of it. `replica` is what the replica has, or None if there is none or it was promoted.

    `dump` may be restored, and `deaths` writers may die after their commit.
    """

    servers: tuple[Server, ...]
    writers: tuple[Writer, ...]
    database: Database = Database()
    replica: Database | None = None
    dump: Database | None = None
    deaths: int = 0
    acknowledged: Revision = (1, 0)
    losses: int = 0


@dataclass(frozen=True, eq=False)  # a key of caches: holdings of two scopes can look alike
class Scope:
    """The size of a world, in ticks, and the behaviour of its processes. `broken` names the rules that they ignore."""

    servers: tuple[str, ...] = ("b",)
    writers: tuple[str | None, ...] = (None, None)
    rounds: tuple[int, ...] = (2,)
    held: int = 1
    lease: int = 1
    server_rate: int = 1
    writer_rate: int = 1
    losses: int = 0
    has_replica: bool = False
    has_dump: bool = False
    deaths: int = 0
    has_leases: bool = False
    holding: type[Holding] = Holding
    confirmation: type[Confirmation] = Confirmation
    broken: frozenset[str] = frozenset()

    def first(self) -> World:
        """Returns the world before any step."""
        rounds = zip(self.servers, self.rounds, strict=True)
        servers = tuple(Server(id, self.holding(self.held), rounds=number) for id, number in rounds)
        writers = tuple(Writer(own, wait=self.confirmation(0, own)) for own in self.writers)
        replica, dump = (Database() if has else None for has in (self.has_replica, self.has_dump))
        world = World(servers, writers, replica=replica, dump=dump, deaths=self.deaths, losses=self.losses)
        return self._with_leases(world) if self.has_leases else world

    def _with_leases(self, world: World) -> World:
        """Returns the world in which each server has just got its first lease."""
        rows = tuple(ServerRow(id, number, 0, self.lease) for number, id in enumerate(self.servers, 1))
        servers = tuple(
            one._replace(holding=one.holding._replace(deadline=self.held, number=row.number, known=0, confirmed=0))
            for one, row in zip(world.servers, rows, strict=True)
        )
        return world._replace(servers=servers, database=Database(lease=len(rows), rows=rows))

    def reading(self, database: Database) -> Reading:
        """Returns what a keeper reads. The content is left out where it shows nothing that the tickets do not show."""
        is_known = self.deaths and "the content is not read" not in self.broken
        return Reading(database.ticket, database.newest if is_known else None)


class StaleAnswer(Exception):
    """An answer from a revision that is older than an acknowledged one."""


Step: TypeAlias = tuple[str, World]


def find_stale(scope: Scope) -> tuple[int, list[str] | None]:
    """Returns the number of worlds, and the shortest list of steps to a stale answer, or None if there is none."""
    with _without_collector():
        return _find_stale(scope, scope.first())


@contextmanager
def _without_collector() -> Iterator[None]:
    """All worlds stay, and none refers to itself: the garbage collector would read them again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _find_stale(scope: Scope, first: World) -> tuple[int, list[str] | None]:
    came: dict[World, tuple[World, str] | None] = {first: None}
    open_worlds = deque([first])
    while open_worlds:
        world = open_worlds.popleft()
        try:
            for name, following in _steps(scope, world):
                following = _without_irrelevant(scope, following)
                if following not in came:
                    came[following] = world, name
                    open_worlds.append(following)
        except StaleAnswer as ex:
            return len(came), [*_path(came, world), str(ex)]
        assert len(came) < MOST_WORLDS, "the scope is too large"
    return len(came), None


def _without_irrelevant(scope: Scope, world: World) -> World:
    """Returns the world without what no further step depends on. Writers that may do the same have no order."""
    servers = tuple(_at_its_end(scope, one) for one in world.servers)
    writers = tuple(sorted(world.writers, key=_progress)) if len(world.writers) > 1 else world.writers
    if servers == world.servers and writers == world.writers:
        return world
    return world._replace(servers=servers, writers=writers)


def _progress(writer: Writer) -> tuple[str, str, int]:
    return writer.own or "", writer.step, writer.wait.ticket


@cache
def _at_its_end(_scope: Scope, server: Server) -> Server:
    """Returns a server, and a plain one if it can get no lease any more."""
    is_over = server.step == "idle" and not server.rounds and server.kept is None
    if is_over and server.holding.deadline <= NOW:
        return Server(server.id, server.holding._replace(number=0, known=-1, content=None, confirmed=-1))
    return server


def follow(scope: Scope, names: Sequence[str]) -> World:
    """Returns the world after the steps of these names. Raises StaleAnswer, and KeyError if there is no such step."""
    world = scope.first()
    for name in names:
        world = dict(_steps(scope, world))[name]
    return world


def _path(came: dict[World, tuple[World, str] | None], world: World) -> list[str]:
    names = []
    while (before := came[world]) is not None:
        world, name = before
        names.append(name)
    return names[::-1]


def _steps(scope: Scope, world: World) -> Iterator[Step]:
    for place, server in enumerate(world.servers):
        for name, changed, database in _of_server(scope, world.database, world.acknowledged, world.losses, server):
            servers = (*world.servers[:place], changed, *world.servers[place + 1 :])
            losses = world.losses - (name == "loses its connection" and server.is_connected)
            kept = world.replica, world.dump, world.deaths, world.acknowledged  # `_replace` would take thrice the time
            yield f"{server.id} {name}", World(servers, world.writers, database, *kept, losses)
    for place, writer in enumerate(world.writers):
        for name, changed, following in _writer(scope, world, writer):
            writers = (*world.writers[:place], changed, *world.writers[place + 1 :])
            yield f"writer {place} {name}", following._replace(writers=writers)
    yield from _nature(scope, world)


@cache
def _of_server(
    scope: Scope, database: Database, acknowledged: Revision, losses: int, server: Server
) -> tuple[tuple[str, Server, Database], ...]:
    """Returns the steps of a server. Most worlds differ only in what is no concern of it."""
    return (*_keeper(scope, database, losses, server), *_worker(scope, database, acknowledged, server))


def _keeper(scope: Scope, database: Database, losses: int, server: Server) -> Iterator[tuple[str, Server, Database]]:
    """The steps of the process that keeps a server's lease. A message is on its way between two of them."""
    holding, broken = server.holding, scope.broken
    is_early = "the ticket is read before the row is written" in broken
    # Nothing is left out: a ticket that is no news changes nothing.
    reading, is_over = scope.reading(database), server.past != database.past
    is_over = is_over and "a keeper does not see that a dump was restored" not in broken
    if is_over and server.step in ("idle", "written"):
        noted = _noted(scope, database)
        yield "finds another past", _without_connection(server)._replace(past=noted.past), noted
    elif server.step == "idle" and server.rounds and server.is_connected and holding.is_news(reading):
        yield "reads the ticket", server._replace(step="observing", read=reading), database
        if "a hint is taken for a reading" in broken:
            for ticket in range(holding.known + 1, database.ticket + 1):
                hinted = holding.observed(Reading(ticket, holding.content))
                yield f"gets the hint {ticket}", server._replace(holding=hinted), database
    if server.step == "observing":
        if "it confirms before it raises its signal" in broken:
            yield "notes the ticket", server._replace(step="noted", holding=holding.observed(server.read)), database
        else:
            yield "raises its signal", _raised(server)._replace(step="observed"), database
    if server.step in ("idle", "observed", "noted") and server.rounds and server.is_connected:
        yield "asks", server._replace(step="asked", holding=holding.asked(NOW), rounds=server.rounds - 1), database
    if server.step == "asked" and is_early:
        yield "reads the ticket at once", server._replace(step="early", read=reading), database
    elif server.step in ("asked", "early"):
        yield _write_row(scope, server, database)
    elif server.step == "written" and not is_over:
        read = server.read if is_early else reading
        yield "reads the newest ticket", server._replace(step="reading", read=read), database
    if server.step == "reading":
        renewed = holding.renewed(server.read)
        if "its lease counts before it raises its signal" in broken:
            yield "has a lease too soon", server._replace(step="late", holding=renewed), database
        else:
            is_raised = server.is_raised or holding.is_news(server.read)
            yield "has a lease", server._replace(step="idle", is_raised=is_raised, holding=renewed), database
    if server.step in ("late", "noted"):
        yield "raises its signal late", server._replace(step="idle", is_raised=True), database
    is_lost = not server.is_connected and server.step in ("idle", "observed", "noted")
    if is_lost or (losses and server.step != "idle"):
        noted = _noted(scope, database)
        yield "loses its connection", _without_connection(server)._replace(past=noted.past), noted


def _raised(server: Server) -> Server:
    """The server knows the ticket that it has read, and has raised its signal before."""
    is_raised = server.is_raised or server.holding.is_news(server.read)
    return server._replace(is_raised=is_raised, holding=server.holding.observed(server.read))


def _write_row(scope: Scope, server: Server, database: Database) -> tuple[str, Server, Database]:
    """The database executes the statement of a keeper."""
    holding = server.holding
    if "a lease needs no row" in scope.broken:
        return "writes no row", server._replace(step="written", holding=holding.written(1)), database
    others = tuple(row for row in database.rows if row.id != server.id)
    numbers = {row.id: row.number for row in database.rows}
    if not holding.is_registering() and numbers.get(server.id) != holding.number:
        return "finds its row gone", server._replace(step="idle", holding=holding.lost()), database
    number = database.lease + 1
    if "leases of a server count from 1" in scope.broken:
        number = holding.number + 1
    row = ServerRow(server.id, number, holding.known, scope.lease)
    changed = server._replace(step="written", holding=holding.written(number))
    return "writes its row", changed, database._replace(lease=number, rows=tuple(sorted((*others, row))))


def _worker(
    scope: Scope, database: Database, acknowledged: Revision, server: Server
) -> Iterator[tuple[str, Server, Database]]:
    """The steps of a worker. It may stop between any two of them.

    A request that will surely be refused, or is decided from a revision that is new enough, is left out from there on.
    """
    end, broken = server.holding.deadline, scope.broken
    is_early = "it checks before it looks at the signal" in broken
    kept = server.kept
    if server.decided is None and server.is_raised:
        yield "looks", server._replace(is_raised=False, engine=database.newest), database
    if kept is None and end > NOW:
        yield "takes a request", server._replace(kept=end), database
    if kept is not None and server.decided is None:
        engine = database.newest if server.is_raised else server.engine
        decided = engine if engine < acknowledged else None
        changed = server._replace(is_raised=False, engine=engine, decided=decided, kept=decided and kept)
        yield f"decides with {engine}", changed, database
    if server.decided is not None and kept is not None:
        last = end if "it looks at the newest lease" in broken else kept
        if is_early or last > NOW:
            raise StaleAnswer(f"{server.id} answers from {server.decided}")
        yield "refuses", server._replace(kept=None, decided=None), database


def _writer(scope: Scope, world: World, writer: Writer) -> Iterator[tuple[str, Writer, World]]:
    """The steps of a writer."""
    database, wait = world.database, writer.wait
    if writer.step == "start":
        if "the ticket is drawn before the commit" in scope.broken and not wait.ticket:
            world, wait = _drawn(world, writer)
            yield "draws a ticket early", writer._replace(wait=wait), world
            return
        yield "commits", *_committed(world, writer)
        if writer.past != database.past:
            noted = _noted(scope, database)
            yield "commits anew", *_committed(world._replace(database=noted), writer._replace(past=noted.past))
    elif writer.step == "committed":
        if world.deaths and not wait.ticket:
            dead = writer._replace(step="dead", wait=wait._replace(until=NOW + scope.lease))
            yield "dies", dead, world._replace(deaths=world.deaths - 1)
        if not wait.ticket:
            world, wait = _drawn(world, writer)
        if "it counts from before it reads the rows" in scope.broken:
            wait = wait._replace(until=NOW + scope.lease)
        yield "draws a ticket", writer._replace(step="drawn", wait=wait), world
    elif writer.step == "dead" and wait.until == NOW:
        yield "is taken for answered", _ended(writer), _acknowledged(world, writer)
    elif writer.step in ("drawn", "waiting") and _is_deceived(scope, world, writer):
        yield "finds another past", _ended(writer), world
    elif writer.step == "drawn":
        yield "reads the rows", writer._replace(step="listing", rows=database.rows), world
    elif writer.step == "listing":
        listed = wait.listed(writer.rows, NOW)
        if wait.until is not None:
            listed = listed._replace(pending=writer.rows)
        yield "gets the rows", writer._replace(step="waiting", wait=listed, rows=()), world
    elif writer.step == "waiting":
        if wait.is_done(NOW):  # also if its connection is lost by now
            answered = writer._replace(step="answered") if wait.pending else _ended(writer)
            yield "acknowledges", answered, _acknowledged(world, writer)
        elif writer.is_connected:
            yield "reads the rows again", writer._replace(wait=wait.listed(database.rows, NOW)), world
    elif writer.step == "answered" and (lapsed := wait.lapsed(NOW)):
        yield "removes lapsed rows", _ended(writer), _removed(scope, world, lapsed)


def _committed(world: World, writer: Writer) -> tuple[Writer, World]:
    database = world.database
    made = database.newest[0], database.newest[1] + 1
    committed = writer._replace(step="committed", made=made, made_in=database.past)
    return committed, world._replace(database=database._replace(newest=made))


def _acknowledged(world: World, writer: Writer) -> World:
    """The writer's caller knows its revision, unless a restored dump lacks that."""
    is_lost = writer.made_in != world.database.past
    return world if is_lost else world._replace(acknowledged=max(world.acknowledged, writer.made))


def _is_deceived(scope: Scope, world: World, writer: Writer) -> bool:
    """Returns whether the writer finds, as it reads the rows, that a dump was restored."""
    return writer.past != world.database.past and "a writer does not see that a dump was restored" not in scope.broken


def _drawn(world: World, writer: Writer) -> tuple[World, Confirmation]:
    """The writer raises the signal of its own server, and draws a ticket."""
    servers = tuple(one._replace(is_raised=True) if one.id == writer.own else one for one in world.servers)
    ticket = world.database.ticket + 1
    database = world.database._replace(ticket=ticket)
    return world._replace(servers=servers, database=database), writer.wait._replace(ticket=ticket)


def _removed(scope: Scope, world: World, lapsed: tuple[ServerRow, ...]) -> World:
    gone = {(row.id, row.number) for row in lapsed}
    if "renewed rows are removed too" in scope.broken:
        ids = {row.id for row in lapsed}
        gone = {(row.id, row.number) for row in world.database.rows if row.id in ids}
    rows = tuple(row for row in world.database.rows if (row.id, row.number) not in gone)
    return world._replace(database=world.database._replace(rows=rows))


def _nature(scope: Scope, world: World) -> Iterator[Step]:
    """Time goes on, the replica catches up, and it is promoted while the primary is lost. A dump is restored."""
    yield "tick", _ticked(scope, world)
    if world.dump is not None:
        restored = world.dump._replace(past=world.database.past + 1, is_noted=False)
        yield "a dump is restored", world._replace(database=restored, dump=None, acknowledged=restored.newest)
    if world.replica is not None:
        caught_up = world.database._replace(rows=())  # they count for the old primary only
        if world.replica != caught_up:
            yield "the replica catches up", world._replace(replica=caught_up)
        yield "fail-over", _promoted(scope, world, world.replica)


def _ticked(scope: Scope, world: World) -> World:
    keeps_late = (
        "it checks before it looks at the signal" in scope.broken or "it looks at the newest lease" in scope.broken
    )
    servers = tuple(_older_server(scope, one, keeps_late) for one in world.servers)
    writers = tuple(_older_writer(scope, one) for one in world.writers)
    return world._replace(servers=servers, writers=writers)


@cache
def _older_server(scope: Scope, server: Server, keeps_late: bool) -> Server:
    holding, ticks = server.holding, scope.server_rate
    sent = None if holding.sent is None else max(holding.sent - ticks, -holding.length)
    holding = holding._replace(deadline=max(holding.deadline - ticks, NOW), sent=sent)
    kept = None if server.kept is None else server.kept - ticks
    if kept is not None and kept <= NOW and server.decided is None and not keeps_late:
        kept = None
    return server._replace(holding=holding, kept=kept and max(kept, NOW))


@cache
def _older_writer(scope: Scope, writer: Writer) -> Writer:
    until, ticks = writer.wait.until, scope.writer_rate
    if until is None:
        return writer
    return writer._replace(wait=writer.wait._replace(until=max(until - ticks, NOW)))


def _promoted(scope: Scope, world: World, replica: Database) -> World:
    """The replica takes writes from now on, the primary none. The first connection to it raises the epoch."""
    promoted = _with_epoch(scope, replica)
    servers = tuple(_disconnected(one) for one in world.servers)
    writers = tuple(_failed(one) for one in world.writers)
    return world._replace(database=promoted, replica=None, servers=servers, writers=writers)


def _with_epoch(scope: Scope, database: Database) -> Database:
    unknown = ServerRow("unknown", 0, -1, scope.lease)
    rows = () if "a new primary does not wait" in scope.broken else (unknown,)
    return database._replace(newest=(database.newest[0] + 1, database.newest[1]), rows=rows)


def _noted(scope: Scope, database: Database) -> Database:
    """Returns the database after a new connection: the first one after a restore begins an epoch."""
    return database if database.is_noted else _with_epoch(scope, database)._replace(is_noted=True)


def _disconnected(server: Server) -> Server:
    """Deliver what was sent to the keeper. Its statements of this connection fail from now on."""
    if server.step in ("reading", "observing"):
        return server._replace(is_connected=False)
    return _without_connection(server)


def _without_connection(server: Server) -> Server:
    return server._replace(step="idle", holding=server.holding.lost(), is_connected=True)


def _failed(writer: Writer) -> Writer:
    """A writer that has not heard from all servers can't ask any more."""
    if writer.step in ("listing", "waiting"):
        return writer._replace(is_connected=False)
    return writer if writer.step == "start" else _ended(writer)


def _ended(writer: Writer) -> Writer:
    return Writer(writer.own, "end")
