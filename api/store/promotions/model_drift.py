"""The drift of an environment: what was edited in place since its last promotion, by whom and when."""

from collections.abc import Iterator
from itertools import islice

from ....compiler.model.elements import ElementKind
from ....compiler.model.same_element import same_element
from ..database.connection import Connection
from ..elements.element_bodies import Body, change_text, decode_body, element_of, encode_body
from ..elements.kinds import Reference
from ..elements.tables import TABLES
from ..environments import Environment
from ..history.change_log import Revision, change_of, revision_numbered
from ..history.origin import Origin
from ..history.route_orders import last_move, moved, order_at
from .differences import shown
from .policy_changes import PolicyElementChange, policy_changes_since
from .promotion import Change, Drift, DriftChange


def drift_of(db: Connection, environment: Environment) -> Drift:
    """Returns the drift. An environment that took over no policy model yet has none."""
    origin = baseline(db, environment)
    if environment.baseline is None:
        return Drift(False, None, ())
    changes, truncated = shown(_drifted(db, environment, environment.baseline))
    return Drift(bool(changes), origin, changes, truncated)


def drift_size(db: Connection, environment: Environment, most: int) -> int | None:
    """Returns how many elements have drifted, up to `most`, or None if nothing was promoted to the environment yet."""
    if environment.baseline is None:
        return None
    edited = sum(1 for _ in islice(_edited(db, environment, environment.baseline), most))
    return edited + sum(1 for _ in islice(_moved_routes(db, environment, environment.baseline), most - edited))


def baseline(db: Connection, environment: Environment, revision: int | None = None) -> Origin | None:
    """Returns the origin of the policy model at a revision, or at the newest one: that of its last promotion."""
    query = """SELECT max(revision) FROM changes INDEXED BY changes_by_promotion
        WHERE environment = ? AND revision <= ? AND origin IS NOT NULL"""
    until = environment.revision if revision is None else revision
    (found,) = db.execute(query, (environment.number, until)).fetchone()
    return None if found is None else revision_numbered(db, environment, found).promotion


def _drifted(db: Connection, environment: Environment, since: int) -> Iterator[DriftChange]:
    """Yields the elements that differ in meaning from those at the revision `since`."""
    for reference, change, after in _edited(db, environment, since):
        yield _shown(reference, change, after)
    yield from _moved_routes(db, environment, since)


def _edited(
    db: Connection, environment: Environment, since: int
) -> Iterator[tuple[Reference, PolicyElementChange, Body | None]]:
    """Yields the same without the moved routes: each with what was written since, and its body now."""
    for reference, change in policy_changes_since(db, environment, since).items():
        kind, key = reference
        row = TABLES[kind].find(db, environment.number, key)
        after = None if row is None else decode_body(row.body)
        if not _mean_the_same(reference, change.before, after):
            yield reference, change, after


def _moved_routes(db: Connection, environment: Environment, since: int) -> Iterator[DriftChange]:
    """Yields the routes that come earlier or later among the others than at the revision `since`."""
    last = last_move(db, environment.number, since)
    if last is None:
        return
    now = TABLES[ElementKind.ROUTES].ids(db, environment.number)
    revision = revision_numbered(db, environment, last)
    for id in sorted(moved(order_at(db, environment.number, since), now)):
        row = TABLES[ElementKind.ROUTES].find(db, environment.number, (id,))
        body = None if row is None else decode_body(row.body)
        yield _change((ElementKind.ROUTES, (id,)), "moved", body, body, revision)


def _shown(reference: Reference, change: PolicyElementChange, after: Body | None) -> DriftChange:
    return _change(reference, change_of(change.before, after), change.before, after, change)


def _change(
    reference: Reference, what: Change, before: Body | None, after: Body | None, by: PolicyElementChange | Revision
) -> DriftChange:
    kind, key = reference
    text = change_text(kind, before, after)
    return DriftChange(kind, key[-1], what, before, after, text, revision=by.revision, by=by.by, time=by.time)


def _mean_the_same(reference: Reference, before: Body | None, after: Body | None) -> bool:
    if before is None or after is None:
        return before is after
    old, new = (element_of(reference[0], encode_body(body)) for body in (before, after))
    return same_element(old, new)
