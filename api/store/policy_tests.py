"""The stored policy tests of environments. They are not part of a model, and so of no revision."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from ...bundles.conditions.values import is_text
from ...bundles.wording import quoted
from .actor import Actor
from .credentials.credential_recheck import recheck_credential
from .database.connection import Connection
from .database.connections import StoreConnections
from .elements.element_bodies import Body, encode_body
from .environment_ids import Bounds
from .environments import Environment, environment_within
from .errors import BodyFault, Conflict, NotFound, PreconditionFailed, Rejected
from .finding.finding import read_part
from .finding.folding import fold
from .pages import cursor_after, read_cursor

MOST_SETS: Final = 1_000
"""The sets of policy tests of an environment."""

MOST_SET_BYTES: Final = 256 * 1024
"""The bytes of a set in JSON without white space."""

MOST_BYTES: Final = 16 * 1024 * 1024
"""The bytes of all sets of an environment together."""

MOST_SET_CHECKS: Final = 2_000
"""The checks of a set. A check is a request, a search or a cell of a table."""

MOST_CHECKS: Final = 5_000
"""The checks of all sets of an environment together.

PERF: with a million subjects, a run of so many takes 0.15 s of the processor, or 0.7 s if each asks for another subject
for the first time.
"""

_LIST: Final = "tests"
_DIGEST_CHARACTERS: Final = 32


@dataclass(frozen=True, slots=True)
class NewSet:
    """A set of tests to store. `body` has its `id`, and `checks` is the number of its checks.

    `refuse_long` took the body.
    """

    id: str
    body: Body
    checks: int


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A stored set as JSON, and its entity tag without quotes."""

    text: bytes
    etag: str


class PolicyTests:
    """The stored policy tests of a store.

    Every method raises StoreUnavailable, NotFound for an unknown environment, and OutOfBounds for one outside the
    bounds of the caller's credential.
    """

    def __init__(self, connections: StoreConnections) -> None:
        self._connections = connections

    def list(
        self, env: str, limit: int, cursor: str | None = None, bounds: Bounds = None, part: str = ""
    ) -> tuple[list[bytes], str | None]:
        """Returns sets as JSON by id, and the cursor of the next page, or None at the end. Raises BadQuery.

        With a `part`, only the sets whose id has it.
        """
        folded = read_part(part)
        after = "" if cursor is None else read_cursor(_LIST, cursor, 1)[0]
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            query = "SELECT id FROM policy_tests WHERE environment = ? AND id > ? ORDER BY id"
            ids = [id for (id,) in db.execute(query, (environment.number, after)).fetchall() if folded in fold(id)]
            bodies = [_found(db, environment, id).text for id in ids[:limit]]
        return bodies, cursor_after(_LIST, (ids[limit - 1],)) if len(ids) > limit else None

    def get(self, env: str, id: str, bounds: Bounds = None) -> StoredSet:
        """Returns a set. Raises NotFound."""
        with self._connections.reading() as db:
            return _found(db, environment_within(db, env, bounds), id)

    def texts(self, env: str, bounds: Bounds = None) -> tuple[bytes, ...]:
        """Returns all sets as JSON, by id."""
        with self._connections.reading() as db:
            return tuple(policy_tests_of(db, environment_within(db, env, bounds)))

    def create(self, env: str, actor: Actor, new: NewSet) -> StoredSet:
        """Store a set under a new id. Raises Conflict if the id exists, and Rejected above a limit."""

        def refuse(_: Environment, found: StoredSet | None) -> None:
            if found is not None:
                raise Conflict(f"there are tests {quoted(new.id)} already")

        return self._put(env, actor, new, refuse)

    def create_at(self, env: str, actor: Actor, new: NewSet) -> StoredSet:
        """Store a set if there is none of its id. Raises PreconditionFailed if there is one, and Rejected."""

        def refuse(_: Environment, found: StoredSet | None) -> None:
            if found is not None:
                raise PreconditionFailed(f"the tests {quoted(new.id)} exist already")

        return self._put(env, actor, new, refuse)

    def replace(self, env: str, actor: Actor, new: NewSet, if_match: str | None = None) -> StoredSet:
        """Replace a set. Raises NotFound, Rejected, and PreconditionFailed if its tag is not `if_match`."""

        def refuse(environment: Environment, found: StoredSet | None) -> None:
            if found is None:
                raise _absent(environment, new.id)
            _refuse_changed(found, if_match)

        return self._put(env, actor, new, refuse)

    def delete(self, env: str, actor: Actor, id: str, if_match: str | None = None) -> None:
        """Delete a set. Raises NotFound, and PreconditionFailed if its tag is not `if_match`."""
        with self._connections.writing() as db:
            recheck_credential(db, actor)
            environment = environment_within(db, env, actor.bounds)
            _refuse_changed(_found(db, environment, id), if_match)
            db.execute("DELETE FROM policy_tests WHERE environment = ? AND id = ?", (environment.number, id))

    def _put(
        self, env: str, actor: Actor, new: NewSet, refuse: Callable[[Environment, StoredSet | None], None]
    ) -> StoredSet:
        text = encode_body(new.body)
        _refuse_large(new.checks, MOST_SET_CHECKS, "checks")
        with self._connections.writing() as db:
            recheck_credential(db, actor)
            environment = environment_within(db, env, actor.bounds)
            refuse(environment, _find(db, environment, new.id))
            db.execute(
                "INSERT INTO policy_tests (environment, id, checks, bytes, body) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (environment, id) DO UPDATE SET checks = excluded.checks, bytes = excluded.bytes,"
                " body = excluded.body",
                (environment.number, new.id, new.checks, len(text), text),
            )
            _refuse_much(db, environment)
            return _stored(environment, text)


def policy_tests_of(db: Connection, environment: Environment) -> Iterator[bytes]:
    """Yields the sets of an environment as JSON, by id."""
    query = "SELECT body FROM policy_tests WHERE environment = ? ORDER BY id"
    return (body for (body,) in db.execute(query, (environment.number,)).fetchall())


def refuse_long(body: Body) -> None:
    """Raises Rejected for a set of too many bytes, before anything else is looked for in it."""
    _refuse_large(len(encode_body(body)), MOST_SET_BYTES, "bytes")


def _refuse_large(count: int, most: int, what: str) -> None:
    if count > most:
        message = f"the tests have {count} {what}, the limit is {most}"
        raise Rejected((BodyFault("too-many-tests", "$", message, "divide them"),))


def _find(db: Connection, environment: Environment, id: str) -> StoredSet | None:
    """Returns a set, or None. SQLite takes no lone surrogates."""
    query = "SELECT body FROM policy_tests WHERE environment = ? AND id = ?"
    row = db.execute(query, (environment.number, id)).fetchone() if is_text(id) else None
    return None if row is None else _stored(environment, row[0])


def _found(db: Connection, environment: Environment, id: str) -> StoredSet:
    found = _find(db, environment, id)
    if found is None:
        raise _absent(environment, id)
    return found


def _stored(environment: Environment, text: bytes) -> StoredSet:
    """The tag follows from the content: equal sets of one environment and epoch have equal tags."""
    digest = sha256(text).hexdigest()[:_DIGEST_CHARACTERS]
    return StoredSet(text, f"{environment.uuid}.{environment.epoch}.{digest}")


def _absent(environment: Environment, id: str) -> NotFound:
    return NotFound(f"there are no tests {quoted(id)} in environment {quoted(environment.id)}")


def _refuse_changed(found: StoredSet, if_match: str | None) -> None:
    if if_match is not None and if_match != found.etag:
        raise PreconditionFailed("the tests were changed since they were read; read them again")


def _refuse_much(db: Connection, environment: Environment) -> None:
    """Raises Rejected if the environment has too many tests now."""
    query = "SELECT count(*), coalesce(sum(checks), 0), coalesce(sum(bytes), 0) FROM policy_tests WHERE environment = ?"
    found = db.execute(query, (environment.number,)).fetchone()
    limits = (MOST_SETS, "sets of tests"), (MOST_CHECKS, "checks"), (MOST_BYTES, "bytes of tests")
    for count, (most, what) in zip(found, limits, strict=True):
        if count > most:
            message = f"the environment would have {int(count)} {what}, the limit is {most}"
            raise Rejected((BodyFault("too-many-tests", "$", message, "delete some first"),))
