"""The filters of the history, and the shapes of what they find."""

from collections.abc import Mapping
from typing import Final

from msgspec import UNSET, convert

from ....bundles.conditions.instants import show_instant
from ....compiler.model.elements import ElementKind
from ...http.openapi.operation import Parameter, Schema
from ...http.queries import instant
from ...store.elements.element_bodies import change_text, fact_text
from ...store.elements.kinds import KINDS
from ...store.errors import BadQuery, ElementKey
from ...store.history.change_log import GATEWAY, ChangeEntry, change_of
from ...store.history.element_past import FoundRevision, RevisionFilter
from .management_shapes import EntryAnswer, ListChanges, ListedRevision, NamedChange

MOST_NAMED: Final = 20
"""The most changes that the list names of each revision."""

_INSTANT: Final[Schema] = {"type": "string", "format": "date-time"}
_KINDS: Final = (*map(str, ElementKind), GATEWAY)

FILTERS: Final = (
    Parameter(
        "kind", "Only revisions that changed this member of the document.", {"type": "string", "enum": list(_KINDS)}
    ),
    Parameter("id", "Only revisions that changed the element of this id. It needs `kind`."),
    Parameter("type", "The type of the element, if it is a subject or a resource."),
    Parameter("by", "Only revisions of this actor, by the name that revisions have."),
    Parameter("since", "Only revisions from this instant on (RFC 3339).", _INSTANT),
    Parameter("until", "Only revisions before this instant (RFC 3339).", _INSTANT),
    Parameter(
        "elements",
        "The number of changes that are named of each revision. The default is 0.",
        {"type": "integer", "minimum": 0, "maximum": MOST_NAMED},
    ),
)
"""The query of the list of revisions, but for its page."""


def revision_filter(asked: Mapping[str, str]) -> RevisionFilter:
    """Returns the filter of a query. Raises BadQuery."""
    kind = asked.get("kind")
    if kind is not None and kind not in _KINDS:
        raise BadQuery(f"there is no kind `{kind}`, only {', '.join(_KINDS)}")
    return RevisionFilter(kind, _key(kind, asked), asked.get("by"), _time(asked, "since"), _time(asked, "until"))


def _key(kind: str | None, asked: Mapping[str, str]) -> ElementKey | None:
    if "id" not in asked and "type" not in asked:
        return None
    names = None if kind is None or kind == GATEWAY else KINDS[ElementKind(kind)].key
    given = tuple(name for name in ("type", "id") if name in asked)
    if names is None or given != names:
        needed = "`kind`, and the members of its key" if names is None else " and ".join(f"`{one}`" for one in names)
        raise BadQuery(f"to find an element, give {needed}")
    return tuple(asked[name] for name in names)


def _time(asked: Mapping[str, str], name: str) -> str | None:
    found = instant(asked, name)
    return None if found is None else show_instant(found)


def listed(found: FoundRevision, where: RevisionFilter, named: int) -> ListedRevision:
    """Returns a revision in the shape of the list, with the first changes if some are to be `named`."""
    one = found.revision
    entry = shown_entry(found.entries[0]) if where.key is not None and found.entries else UNSET
    elements = tuple(map(_named, found.entries[:named])) if named and where.key is None else UNSET
    changes = convert(one.changes, dict[str, ListChanges])
    return ListedRevision(one.revision, one.by, one.time, changes, one.promotion, elements, entry)


def shown_entry(entry: ChangeEntry) -> EntryAnswer:
    """Returns the change of an element in the shape of answers."""
    type, id = entry.key if len(entry.key) > 1 else (None, entry.key[0])
    before, after = entry.before, entry.after
    text = change_text(entry.kind, before, after)
    return EntryAnswer(entry.kind, id, change_of(before, after), before, after, type, text)


def _named(entry: ChangeEntry) -> NamedChange:
    type, id = entry.key if len(entry.key) > 1 else (None, entry.key[0])
    body = entry.after or entry.before or {}
    name, text = body.get("name"), fact_text(entry.kind, body)
    return NamedChange(entry.kind, id, change_of(entry.before, entry.after), type, name, text)
