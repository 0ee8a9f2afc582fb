"""The direct grants on one resource as a set: its rows, its entity tag, and its difference to a wanted set."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NamedTuple

from ....bundles.conditions.instants import parse_instant
from ....bundles.conditions.values import is_text
from ....bundles.wording import quoted
from ....compiler.model.elements import ElementKind, Grant
from ..database.connection import Connection
from ..environments import Environment
from ..errors import BodyFault, Rejected
from .element_bodies import Body, decode_body, element_of
from .tables import StoredRow

MOST_GRANTS: Final = 10_000
"""The most grants on one resource that are read or set together."""

_ON_RESOURCE: Final = """SELECT place, version, body, id FROM grants
    WHERE environment = ? AND resource_type = ? AND resource_id = ? LIMIT ?"""
"""PERF: the index `grants_on_resource` finds them. With `ORDER BY place`, SQLite would read the whole list."""


class HeldGrant(NamedTuple):
    """A stored grant on a resource, and its id."""

    id: str
    row: StoredRow

    @property
    def grant(self) -> Grant:
        """The grant itself."""
        found = element_of(ElementKind.GRANTS, self.row.body)
        assert isinstance(found, Grant)
        return found


def grants_on(db: Connection, environment: int, resource: tuple[str, str]) -> list[HeldGrant]:
    """Returns the grants on a resource, given by the id of its type and its id, in the order of the list.

    `environment` is the number. Raises Rejected if there are more than `MOST_GRANTS`.
    """
    if not all(map(is_text, resource)):  # SQLite takes no lone surrogates
        return []
    rows = db.execute(_ON_RESOURCE, (environment, *resource, MOST_GRANTS + 1)).fetchall()
    if len(rows) > MOST_GRANTS:
        message = f"there are more than {MOST_GRANTS} grants on {quoted(':'.join(resource))}"
        raise Rejected((BodyFault("too-many-grants", "$", message, "share it with a group instead"),))
    return [HeldGrant(id, StoredRow(place, version, body)) for place, version, body, id in sorted(rows)]


class GrantSet(NamedTuple):
    """The grants on a resource, in the order of the list, and the entity tag of the set."""

    items: tuple[Body, ...]
    etag: str


def grant_set(db: Connection, environment: Environment, resource: tuple[str, str]) -> GrantSet:
    """Returns the grants on a resource. Raises Rejected if there are more than `MOST_GRANTS`."""
    held = grants_on(db, environment.number, resource)
    tag = tag_of(environment, ((one.id, one.row.version) for one in held))
    return GrantSet(tuple(decode_body(one.row.body) for one in held), tag)


def tag_of(environment: Environment, held: Iterable[tuple[str, int]]) -> str:
    """Returns the entity tag of a set of grants, each given by its id and the revision that last changed it.

    Other environments and epochs have other tags.
    """
    digest = sha256(f"{environment.uuid}.{environment.epoch}".encode())
    for id, version in sorted(held):
        digest.update(f"\n{version} {id}".encode())
    return digest.hexdigest()[:32]


def content_of(grant: Grant) -> tuple[object, ...]:
    """Returns all of a grant on a known resource except its id. Equal grants have equal contents (P8)."""
    subject = None if grant.subject is None else (grant.subject.type, grant.subject.id)
    return subject, grant.group, frozenset(grant.actions), _instant(grant.starts_at), _instant(grant.expires_at)


def _instant(text: str | None) -> object:
    """Returns an instant that is equal for all its spellings. A text that is none equals itself alone."""
    try:
        return None if text is None else parse_instant(text)
    except ValueError:
        return text
