"""The environments of a store. Each has a number for its rows, a UUID for callers, and its own revision."""

from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from ...bundles.wording import quoted
from .database.connection import Connection
from .environment_ids import DEFAULT, is_environment_id, refuse_outside
from .errors import BodyFault, Conflict, NotFound, Protected, Rejected

_COLUMNS = """number, uuid, id, protected, epoch, revision, created,
    description, promotion_only, tests_must_pass, approvals, baseline, provenance, gateway"""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment. `number` is the key of its rows.

    A restored backup raises `epoch`, every change raises `revision`. `created` is RFC 3339.

    If it is `promotion_only`, its policy model changes by promotions and restorations alone. With `approvals`, these
    wait until another credential approves them. If `tests_must_pass`, no promotion is made whose stored tests fail.
    `baseline` is the revision of the promotion that its policy model comes
    from, and `provenance` the JSON that its bundles carry. Both are None before the first promotion. `gateway` is the
    JSON of its gateway settings, or None.
    """

    number: int
    uuid: str
    id: str
    protected: bool
    epoch: int
    revision: int
    created: str
    description: str = ""
    promotion_only: bool = False
    tests_must_pass: bool = False
    approvals: int = 0
    baseline: int | None = None
    provenance: str | None = None
    gateway: str | None = None

    @property
    def etag(self) -> str:
        """The entity tag of its whole model, without quotes."""
        return self.etag_of(self.revision)

    def etag_of(self, version: int) -> str:
        """Returns the entity tag of the state at a revision, without quotes.

        Other environments and epochs have other tags.
        """
        return f"{self.uuid}.{self.epoch}.{version}"


def all_environments(db: Connection) -> tuple[Environment, ...]:
    """Returns all environments, by id."""
    return tuple(_environment(row) for row in db.execute(f"SELECT {_COLUMNS} FROM environments ORDER BY id"))


def environment_by_id(db: Connection, id: str) -> Environment:
    """Returns the environment of that id. Raises NotFound."""
    query = f"SELECT {_COLUMNS} FROM environments WHERE id = ?"
    # SQLite takes no lone surrogates.
    found = db.execute(query, (id,)).fetchone() if is_environment_id(id) else None
    if found is None:
        raise NotFound(f"there is no environment {quoted(id)}")
    return _environment(found)


def environment_within(db: Connection, id: str, bounds: frozenset[str] | None) -> Environment:
    """Returns the environment of that id, if its UUID is within `bounds`. The bounds None are unlimited.

    Raises NotFound. With bounds, raises OutOfBounds instead if the environment is outside them or does not exist.
    """
    try:
        found = environment_by_id(db, id)
    except NotFound:
        refuse_outside(None, bounds)
        raise
    refuse_outside(found.uuid, bounds)
    return found


class EnvironmentChange(NamedTuple):
    """A change of an environment's settings. None keeps a setting."""

    protected: bool | None = None
    promotion_only: bool | None = None
    tests_must_pass: bool | None = None
    approvals: int | None = None
    description: str | None = None

    def given(self) -> dict[str, bool | int | str]:
        """Returns what is to be set."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def add_environment(db: Connection, id: str, created: str, settings: EnvironmentChange) -> Environment:
    """Add an environment without a model, at revision 0. Raises Rejected for a bad id, Conflict if the id exists."""
    if not is_environment_id(id):
        message = "an environment's id is 1 to 64 letters, digits, `.`, `_` and `-`, the first a letter or digit"
        raise Rejected((BodyFault("bad-id", "$.id", message),))
    if db.execute("SELECT 1 FROM environments WHERE id = ?", (id,)).fetchone():
        raise Conflict(f"there is an environment `{id}` already")
    db.execute(
        "INSERT INTO environments (uuid, id, protected, epoch, revision, created) VALUES (?, ?, 0, 1, 0, ?)",
        (str(uuid4()), id, created),
    )
    return change_environment(db, id, settings)


def change_environment(db: Connection, id: str, change: EnvironmentChange) -> Environment:
    """Change the settings of an environment. Raises NotFound, Protected if the default would lose its protection."""
    environment = environment_by_id(db, id)
    if id == DEFAULT and change.protected is False:
        raise Protected("the default environment can't be deleted, and stays protected")
    for name, value in change.given().items():
        db.execute(f"UPDATE environments SET {name} = ? WHERE number = ?", (value, environment.number))
    return environment_by_id(db, id)


def loosens(before: Environment, change: EnvironmentChange) -> bool:
    """Returns whether a change takes away that an environment changes by promotion only, that promotions are approved,
    or that their tests pass.
    """
    fewer = change.approvals is not None and change.approvals < before.approvals
    flags = ("promotion_only", "tests_must_pass")
    return fewer or any(getattr(before, one) and getattr(change, one) is False for one in flags)


def remove_environment(db: Connection, id: str) -> None:
    """Remove an environment and everything in it. Raises NotFound, Protected."""
    environment = environment_by_id(db, id)
    if id == DEFAULT:
        raise Protected("the default environment can't be deleted")
    if environment.protected:
        raise Protected(
            f"the environment `{id}` is protected and can't be deleted; first PATCH it with `protected` false"
        )
    db.execute("DELETE FROM environments WHERE number = ?", (environment.number,))


def _environment(row: tuple[Any, ...]) -> Environment:
    number, uuid, id, protected, epoch, revision, created, description, promotion_only, tests, *rest = row
    return Environment(
        number,
        uuid,
        id,
        bool(protected),
        epoch,
        revision,
        created,
        description,
        bool(promotion_only),
        bool(tests),
        *rest,
    )
