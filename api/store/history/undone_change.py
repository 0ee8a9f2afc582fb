"""The undo of one element's change: the edits that take it back, and the conflict if it was changed again."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ....bundles.wording import quoted
from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.edits import CreateAt, Delete, Edit, Replace
from ..elements.element_bodies import Body, change_text, decode_body, encode_body, same_body
from ..elements.kinds import KINDS
from ..elements.tables import TABLES, StoredRow
from ..environments import Environment
from ..errors import ElementKey
from .change_log import ChangeEntry
from .element_past import last_change

_UNIQUE: Final[Mapping[ElementKind, tuple[str, ...]]] = {
    ElementKind.RESOURCE_TYPES: ("name",),
    ElementKind.SUBJECTS: ("external_id",),
    ElementKind.RESOURCES: ("external_id", "name"),
}
"""The members that only one element may have alike."""

_NAMED: Final = (ElementKind.SUBJECTS, ElementKind.RESOURCES)
"""The kinds that facts may name without an entry (E3), so that there need be none before it was added."""

ABSENT: Final = 0
"""The version of an element that is not there."""


class ChosenChange(NamedTuple):
    """An element whose change is to be undone. `seen` is the version that the caller has seen, or None.

    The version of an element is the revision that changed it last.
    """

    kind: ElementKind
    key: ElementKey
    seen: int | None = None


class UndoConflict(Struct, frozen=True, omit_defaults=True):
    """An element that was changed again after the revision that is to be undone.

    `stored` is the element now, or null, and `wanted` what the undo would make of it. `text` has this difference in the
    language. Give the `version` as `seen` to undo the change all the same. The `revision` that changed it last was made
    `by` an actor at a `time`; the three are left out if they are not known.
    """

    kind: str
    id: str
    version: int
    stored: dict[str, Any] | None
    wanted: dict[str, Any] | None
    text: tuple[str, ...]
    type: str | None = None
    revision: int | None = None
    by: str | None = None
    time: str | None = None

    @property
    def sentence(self) -> str:
        """The conflict in words."""
        noun, id = KINDS[ElementKind(self.kind)].noun, quoted(self.id)
        who = "" if self.by is None else f" by `{self.by}` in revision {self.revision}"
        return f"the {noun} {id} was changed again{who}"


class UndoneChange:
    """The undo of the change of one element. Without `seen`, it must be as the revision left it."""

    def __init__(
        self, db: Connection, environment: Environment, revision: int, entry: ChangeEntry, seen: int | None
    ) -> None:
        self._db, self._environment, self._revision = db, environment, revision
        self.entry, self._seen = entry, seen
        self.row: StoredRow | None = TABLES[entry.kind].find(db, environment.number, entry.key)
        self._stored = None if self.row is None else decode_body(self.row.body)
        self.wanted = _without(entry, self._stored)

    @property
    def is_done(self) -> bool:
        """True if the element is already as the undo would make it."""
        return _is_same(self._stored, self.wanted)

    @property
    def is_contested(self) -> bool:
        """True if the element was changed again, and the caller has not seen that."""
        is_left = _is_same(self._stored, self.entry.after) or self.wanted is not self.entry.before
        return not (self.is_done or is_left or self._seen == self._version)

    @property
    def _version(self) -> int:
        return ABSENT if self.row is None else self.row.version

    def edits(self) -> Iterator[Edit]:
        """Yields the edits. Each is refused if the element has changed meanwhile."""
        kind, key = self.entry.kind, self.entry.key
        if self.is_done:
            return
        tag = None if self.row is None else self._environment.etag_of(self.row.version)
        if self.wanted is None:
            yield Delete(kind, key, if_match=tag, stays_named=kind in _NAMED)
        elif self.row is None:
            yield CreateAt(kind, key, self.wanted)
        elif _frees_a_name(kind, self._stored or {}, self.wanted):
            yield Delete(kind, key, if_match=tag)
            yield CreateAt(kind, key, self.wanted)
        else:
            yield Replace(kind, key, self.wanted, if_match=tag)

    def conflict(self) -> UndoConflict:
        """Returns what stands against the undo."""
        kind, key = self.entry.kind, self.entry.key
        last = last_change(self._db, self._environment, kind, key, self._revision)
        text = change_text(kind, self._stored, self.wanted)
        type = key[0] if len(key) > 1 else None
        found = UndoConflict(kind, key[-1], self._version, self._stored, self.wanted, text, type)
        return found if last is None else replace(found, revision=last.revision, by=last.by, time=last.time)


def _without(entry: ChangeEntry, stored: Body | None) -> Body | None:
    """Returns the body without the change of an entry. Other members of a group stay as they are."""
    before, after = entry.before, entry.after
    if entry.kind != ElementKind.GROUPS or before is None or after is None or stored is None:
        return before
    if _is_same(stored, after) or not _is_same(before | {"members": []}, after | {"members": []}):
        return before
    had, has = (one.get("members") or [] for one in (before, after))
    kept = [one for one in stored.get("members") or [] if one in had or one not in has]
    return stored | {"members": [*kept, *(one for one in had if one not in has and one not in kept)]}


def _is_same(one: Body | None, other: Body | None) -> bool:
    if one is None or other is None:
        return one is other
    return same_body(encode_body(one), encode_body(other))


def _frees_a_name(kind: ElementKind, stored: Body, wanted: Body) -> bool:
    """Returns whether another element of the same undo may need a name that the element has now."""
    return any(stored.get(name) != wanted.get(name) for name in _UNIQUE.get(kind, ()))
