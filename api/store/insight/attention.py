"""Counts what needs attention in an environment and among the credentials of its service."""

from typing import Final, NamedTuple

from ....bundles.signing.sign import DAY
from ..credentials.credential_states import numbers_by_state
from ..database.connection import Connection
from ..environment_ids import Bounds
from ..environments import Environment, environment_by_id
from ..errors import NotFound
from ..expiring import number_expiring
from ..promotions.model_drift import baseline, drift_size
from ..promotions.policy_changes import policy_revisions_since
from ..promotions.records import number_waiting

MOST_COUNTED: Final = 1_000
"""The highest number of a count: with it, there may be more."""

ENDING_DAYS: Final = 7
"""The days before the end of an assignment or a grant in which it needs attention."""

ENDED_DAYS: Final = 30
"""The days after that end in which it does, unless it is removed."""


class SourceChanges(NamedTuple):
    """The environment of which the last promotion took over `revision`, and its later changes of the policy model."""

    environment: str
    revision: int
    changes: int


class Attention(NamedTuple):
    """The counts of an environment, each up to `MOST_COUNTED`.

    `ending` and `ended` are assignments and grants. `edited` are elements that drifted, or None if nothing was promoted
    to the environment. `source` is None too if its changes since can't be told.
    """

    ending: int
    ended: int
    edited: int | None
    source: SourceChanges | None


class ToAdminister(NamedTuple):
    """The counts for administrators: promotions that wait, and clients and API keys by their states."""

    waiting: int
    clients: dict[str, int]
    api_keys: dict[str, int]


def attention(db: Connection, environment: Environment, now: float, bounds: Bounds) -> Attention:
    """Returns the counts of an environment at an instant in epoch seconds.

    PERF: each count reads an index, and not more than it may be. Drift reads the edits since the last promotion.
    """
    return Attention(
        number_expiring(db, environment, now, now + ENDING_DAYS * DAY, MOST_COUNTED),
        number_expiring(db, environment, now - ENDED_DAYS * DAY, now, MOST_COUNTED),
        drift_size(db, environment, MOST_COUNTED),
        _source(db, environment, bounds),
    )


def to_administer(db: Connection, environment: Environment, now: float, bounds: Bounds) -> ToAdminister:
    """Returns the counts for an administrator with these bounds, who sees the credentials within them."""
    clients, api_keys = (numbers_by_state(db, table, bounds, now, MOST_COUNTED) for table in ("clients", "api_keys"))
    return ToAdminister(number_waiting(db, environment), clients, api_keys)


def _source(db: Connection, environment: Environment, bounds: Bounds) -> SourceChanges | None:
    """Returns the changes in the environment that the policy model comes from.

    None if it was restored, or if that environment is outside the bounds, was deleted, or comes from a backup since.
    """
    origin = None if environment.baseline is None else baseline(db, environment)
    if origin is None or origin.restored or (bounds is not None and origin.uuid not in bounds):
        return None
    try:
        source = environment_by_id(db, origin.environment)
    except NotFound:
        return None
    if (source.uuid, source.epoch) != (origin.uuid, origin.epoch):
        return None
    changes = policy_revisions_since(db, source, origin.source_revision, MOST_COUNTED)
    return SourceChanges(source.id, origin.source_revision, changes)
