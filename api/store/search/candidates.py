"""Candidates of a search: registered entities by id, without those that certainly do not qualify (rules E3, S4).

The design's index table of attributes would cost each write a row per attribute. To ask it entity by entity is no
faster than to ask the bodies: one index has them side by side, in the order of ids.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from ....bundles.conditions.trees.normalise import normal_or
from ....bundles.conditions.trees.tree import FALSE, FilterTree
from ....bundles.conditions.values import Json, is_text
from ....runtime.searches.subjects import SubjectRule
from ..database.connection import Connection
from .search_rows import RESOURCES, SUBJECTS, IdRange, Search, SpanRows

MOST_ROLES = 1_000
"""The most roles of a condition whose holders are looked up. With more, every subject is tested."""
MOST_CONDITIONS = 8
"""The most different conditions on holders of roles.

With more, holders of any of the roles are tested for all of them.
"""


class Registered(NamedTuple):
    """A registered entity (E3). One that the model does not list has no other identifiers and no attributes."""

    id: str
    external_id: str | None
    name: str | None
    attributes: dict[str, Json]


class Candidates(NamedTuple):
    """The candidates, by id, among the `tried` entities up to the id `last`, or None if that is the end."""

    found: list[Registered]
    last: str | None
    tried: int


class _Body(msgspec.Struct, gc=False):
    external_id: str | None = None
    name: str | None = None
    attributes: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(_Body).decode


def resource_candidates(
    db: Connection,
    environment: int,
    type: str,
    after: str,
    count: int,
    where: FilterTree,
    granted_to: tuple[str, str] | None,
) -> Candidates:
    """See `Store.resource_candidates`."""
    if not _are_texts(type, after):
        return _NONE
    search = Search(db, RESOURCES, IdRange(environment, type, after, count))
    if granted_to is not None and _are_texts(*granted_to):
        search.add_granted_to(*granted_to)
    return _candidates(search.rows(where))


def subject_candidates(
    db: Connection,
    environment: int,
    type: str,
    after: str,
    count: int,
    rules: Sequence[SubjectRule],
    granted_on: tuple[str, str] | None,
) -> Candidates:
    """See `Store.subject_candidates`."""
    if not _are_texts(type, after):
        return _NONE
    search = Search(db, SUBJECTS, IdRange(environment, type, after, count))
    if granted_on is not None and _are_texts(*granted_on):
        search.add_granted_on(*granted_on)
    everyone = [rule.where for rule in rules if rule.roles is None]
    for where, roles in _holders(rules).items():
        if len(roles) > MOST_ROLES:
            everyone.append(where)
        else:
            search.add_holders(roles, where)
    return _candidates(search.rows(normal_or(everyone)))


def _holders(rules: Sequence[SubjectRule]) -> dict[FilterTree, list[str]]:
    """Returns the roles of each condition."""
    found: dict[FilterTree, dict[str, None]] = {}
    for roles, where in rules:
        if roles is not None and where != FALSE:
            found.setdefault(where, {}).update(dict.fromkeys(filter(is_text, roles)))
    if len(found) > MOST_CONDITIONS:
        found = {normal_or(found): {role: None for roles in found.values() for role in roles}}
    return {where: list(roles) for where, roles in found.items() if roles}


def _are_texts(*values: str) -> bool:
    """Returns whether no value has a lone surrogate: SQLite takes none, and no key has one."""
    return all(map(is_text, values))


def _candidates(rows: SpanRows) -> Candidates:
    read = ((id, _decode(rows.found[id])) for id in sorted(rows.found))
    found = [Registered(id, body.external_id, body.name, body.attributes or {}) for id, body in read]
    return Candidates(found, rows.last, rows.tried)


_NONE = Candidates([], None, 0)
