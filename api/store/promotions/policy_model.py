"""The policy model of an environment at one of its revisions: what a promotion carries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from ....compiler.model.elements import Element, ElementKind, Model
from ....compiler.model.source_digest import source_digest
from ..database.connection import Connection
from ..elements.element_bodies import element_of, encode_body
from ..elements.kinds import KINDS
from ..elements.tables import TABLES
from ..environments import Environment
from ..errors import BodyFault, ElementKey
from ..history.change_log import no_revision
from ..history.origin import POLICY_KINDS
from ..history.route_orders import order_at
from .policy_changes import policy_changes_since

POLICY_LISTS = tuple(KINDS[kind] for kind in POLICY_KINDS)
"""The lists of a policy model as tables."""

_stored = msgspec.json.Decoder(dict[ElementKind, list[msgspec.Raw]])


class Stored(NamedTuple):
    """An element and its text. PERF: decoded once, since 10,000 policies take a tenth of a second."""

    text: bytes
    element: Element


@dataclass(frozen=True)
class PolicyModel:
    """A policy model: each element and its stored text, by list and key, in order.

    `lists` are the lists that the environment that takes it over shows, empty ones too. It can be submitted to a
    `Replacement`.
    """

    stored: Mapping[ElementKind, Mapping[ElementKey, Stored]]
    lists: Sequence[ElementKind] = ()
    warnings: tuple[BodyFault, ...] = field(default=(), init=False)

    def elements(self, name: str) -> Sequence[Element]:
        """Returns the elements of a list."""
        return tuple(one.element for one in self.stored[ElementKind(name)].values())

    def texts(self, name: str) -> Sequence[bytes]:
        """Returns their texts, in the same order."""
        return tuple(one.text for one in self.stored[ElementKind(name)].values())

    @property
    def route_order(self) -> Sequence[str]:
        """The ids of its routes, in order."""
        return [id for (id,) in self.stored[ElementKind.ROUTES]]

    def by_key(self, name: ElementKind) -> Mapping[ElementKey, Element]:
        """Returns the elements of a list by key."""
        return {key: one.element for key, one in self.stored[name].items()}

    @cached_property
    def digest(self) -> str:
        """The hexadecimal SHA-256 of its meaning: two that differ only in an order without meaning have the same."""
        lists: dict[str, Any] = {name: self.elements(name) for name in POLICY_KINDS}
        return source_digest(Model(**lists))

    def packed(self) -> bytes:
        """Returns it as JSON."""
        return msgspec.json.encode({name: [*map(msgspec.Raw, self.texts(name))] for name in self.stored})


def unpacked(text: bytes) -> PolicyModel:
    """Returns the policy model that `packed` returned."""
    lists = {name: [bytes(one) for one in many] for name, many in _stored.decode(text).items()}
    return PolicyModel({kind.name: _by_key(kind.name, lists.get(kind.name, ())) for kind in POLICY_LISTS})


def policy_model(db: Connection, environment: Environment, revision: int | None = None) -> PolicyModel:
    """Returns the policy model at a revision, or at the newest one. Raises NotFound for an unknown revision.

    Elements have today's order. Those that were removed since come last in their list. Routes have that of the
    revision.
    """
    lists = {kind.name: _by_key(kind.name, TABLES[kind.name].bodies(db, environment.number)) for kind in POLICY_LISTS}
    if revision is None or revision == environment.revision:
        return PolicyModel(lists)
    if not 0 <= revision < environment.revision:
        raise no_revision(revision, environment.id)
    for (kind, key), change in policy_changes_since(db, environment, revision).items():
        if change.before is None:
            lists[kind].pop(key, None)
        else:
            text = encode_body(change.before)
            lists[kind][key] = Stored(text, element_of(kind, text))
    routes = lists[ElementKind.ROUTES]
    order = ((id,) for id in order_at(db, environment.number, revision))
    lists[ElementKind.ROUTES] = {key: routes[key] for key in order if key in routes}
    return PolicyModel(lists)


def _by_key(name: ElementKind, texts: Iterable[bytes]) -> dict[ElementKey, Stored]:
    key_of = KINDS[name].key_of
    found = (Stored(text, element_of(name, text)) for text in texts)
    return {key_of(one.element): one for one in found}
