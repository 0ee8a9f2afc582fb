"""The changes of a policy model since a revision: what each element was then, and who changed it last."""

from collections.abc import Iterator
from typing import NamedTuple

from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.element_bodies import Body
from ..elements.kinds import Reference
from ..environments import Environment
from ..errors import ElementKey
from ..history.change_log import entries_chunk
from ..history.origin import POLICY_KINDS

_TOUCHED = " OR ".join(f"json_type(summary, '$.{kind}') IS NOT NULL" for kind in POLICY_KINDS)
"""The condition of the index `changes_of_policies`."""


class PolicyElementChange(NamedTuple):
    """The change of an element since a revision. `before` is None if it was not there then.

    `by` changed it last, in `revision`, at `time` (RFC 3339).
    """

    before: Body | None
    revision: int
    by: str
    time: str


def policy_changes_since(db: Connection, environment: Environment, since: int) -> dict[Reference, PolicyElementChange]:
    """Returns the change of each element of the policy model that was written after the revision `since`.

    PERF: reads only the revisions that changed the policy model, by their index.
    """
    query = f"""SELECT revision, actor, time FROM changes INDEXED BY changes_of_policies
        WHERE environment = ? AND revision > ? AND ({_TOUCHED}) ORDER BY revision"""
    found: dict[Reference, PolicyElementChange] = {}
    for revision, by, time in db.execute(query, (environment.number, since)).fetchall():
        for kind, key, before in _entries(db, environment, revision):
            known = found.get((kind, key))
            found[kind, key] = PolicyElementChange(before if known is None else known.before, revision, by, time)
    return found


def policy_revisions_since(db: Connection, environment: Environment, since: int, most: int) -> int:
    """Returns how many revisions after `since` changed the policy model, up to `most`."""
    query = f"""SELECT count(*) FROM (SELECT 1 AS found FROM changes INDEXED BY changes_of_policies
        WHERE environment = ? AND revision > ? AND ({_TOUCHED}) LIMIT ?) AS revisions"""
    (number,) = db.execute(query, (environment.number, since, most)).fetchone()
    return int(number)


def _entries(
    db: Connection, environment: Environment, revision: int
) -> Iterator[tuple[ElementKind, ElementKey, Body | None]]:
    chunk = 0
    while (entries := entries_chunk(db, environment.number, revision, chunk)) is not None:
        yield from ((one.kind, one.key, one.before) for one in entries if one.kind in POLICY_KINDS)
        chunk += 1
