"""The rows that a search reads: spans of ids from indexes, in order, at a cost that does not grow with the store.

A search first finds the end of the span, so that no index has more rows in it than requested. Then it reads the rows in
the span, in any order. It merges and sorts nothing larger than a span.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....bundles.conditions.trees.tree import FALSE, TRUE, FilterTree
from ....bundles.program.laws import MAX_NAME_CHARACTERS
from ..database.connection import Connection
from .candidate_sql import CandidateSql, may_hold_without_attributes

MENTIONS = 8
"""The rows that mention entities, per requested entity: an entity may be mentioned any number of times."""
LEAST_SHARE = 8
"""The members of each group that a span may have at least."""
FEW = 4
"""If a span has less than a quarter of the requested entities, the search makes it longer."""

_BEHIND_ALL = "\U0010ffff" * (MAX_NAME_CHARACTERS + 1)
"""A text behind every id."""
_NOTHING = b"{}"


class IdRange(NamedTuple):
    """The ids to read: about `entities` of them after `after`, never more than twice as many."""

    environment: int
    type: str
    after: str
    entities: int


class SpanRows(NamedTuple):
    """Bodies by id, the last id of the span or None for the end, and the number of entities in the span."""

    found: dict[str, bytes]
    last: str | None
    tried: int


class IdSource(NamedTuple):
    """Ids in the order of an index. With `of`, the ids of each `named` thing in that table."""

    table: str
    column: str
    where: str
    of: str = ""

    def between(self) -> str:
        """Returns SQL for the ids of the span, in any order, perhaps with repetitions."""
        of = f"{self.of} CROSS JOIN " if self.of else ""
        return f"SELECT {self.column} AS this FROM {of}{self._span}"

    def nth(self, row: str) -> str:
        """Returns SQL for the id in that row of the span, counted from 0, or NULL. With `of`, one for each thing."""
        nth = f"(SELECT {self.column} FROM {self._span} ORDER BY {self.column} LIMIT 1 OFFSET :{row}) AS this"
        return f"SELECT {nth} FROM {self.of}" if self.of else f"SELECT {nth}"

    @property
    def _span(self) -> str:
        between = f"{self.column} > :after AND {self.column} <= :end"
        return f"{self.table} WHERE environment = :env AND {self.where} AND {between}"


class Registry(NamedTuple):
    """The list of the entities, and the tables that mention entities and so register them too (E3)."""

    listed: IdSource
    mentions: tuple[IdSource, ...]


RESOURCES = Registry(
    IdSource("resources", "id", "type = :type"),
    (IdSource("grants", "resource_id", "resource_type = :type"),),
)
SUBJECTS = Registry(
    IdSource("subjects", "id", "type = :type"),
    (
        IdSource("assignments", "subject_id", "subject_type = :type"),
        IdSource("grants", "subject_id", "subject_type = :type"),
        IdSource("group_subjects", "id", "type = :type"),
    ),
)
GRANTED_TO = (
    IdSource("grants", "resource_id", "subject_type = :by_type AND subject_id = :by_id AND resource_type = :type"),
    IdSource("grants", "resource_id", "group_id = named AND resource_type = :type", "granted"),
)
"""The resources on which a subject, or one of its groups in `granted`, has grants (P4, P7)."""
GROUPS_GRANTED_TO = """granted(named) AS (SELECT group_id FROM group_subjects
    WHERE environment = :env AND type = :by_type AND id = :by_id
    UNION SELECT group_id FROM granted CROSS JOIN group_groups WHERE environment = :env AND member = named)"""
GRANTED_ON = (
    IdSource("grants", "subject_id", "resource_type = :by_type AND resource_id = :by_id AND subject_type = :type"),
    IdSource("group_subjects", "id", "group_id = named AND type = :type", "granted"),
)
"""The subjects that have grants on a resource, themselves or by one of the groups in `granted` (P4, P7)."""
GROUPS_GRANTED_ON = """granted(named) AS (SELECT group_id FROM grants
    WHERE environment = :env AND resource_type = :by_type AND resource_id = :by_id AND subject_type IS NULL
    UNION SELECT member FROM granted CROSS JOIN group_groups WHERE environment = :env AND group_id = named)"""


class Search:
    """The search of one span."""

    def __init__(self, db: Connection, registry: Registry, span: IdRange):
        self._db, self._registry, self._count = db, registry, span.entities
        self._values: dict[str, Any] = {
            "env": span.environment,
            "type": span.type,
            "after": span.after,
            "end": _BEHIND_ALL,
            "nothing": _NOTHING,
        }
        self._with: list[str] = []
        self._sources: list[IdSource] = []
        self._arms: list[str] = []

    def add_granted_to(self, type: str, id: str) -> None:
        """Add the resources on which a subject or one of its groups has a grant. Their attributes do not matter."""
        self._add_granted(GRANTED_TO, GROUPS_GRANTED_TO, type, id)

    def add_granted_on(self, type: str, id: str) -> None:
        """Add the subjects that have a grant on a resource, themselves or by a group."""
        self._add_granted(GRANTED_ON, GROUPS_GRANTED_ON, type, id)

    def _add_granted(self, ids: Sequence[IdSource], groups: str, type: str, id: str) -> None:
        self._values |= {"by_type": type, "by_id": id}
        self._with.append(groups)
        self._add(ids, TRUE, CandidateSql(TRUE))

    def add_holders(self, roles: Sequence[str], where: FilterTree) -> None:
        """Add subjects that hold one of the roles, if the condition may hold for them (P2, P3)."""
        number = len(self._with)
        names = {f"role{number}_{place}": role for place, role in enumerate(roles)}
        self._values |= names
        holding, groups = f"roles{number}", f"groups{number}"
        self._with.append(
            f"{holding}(named) AS (VALUES {', '.join(f'(:{name})' for name in names)}),"
            f" {groups}(named) AS (SELECT group_id FROM {holding} CROSS JOIN assignments"
            " WHERE environment = :env AND role = named AND subject_type IS NULL"
            f" UNION SELECT member FROM {groups} CROSS JOIN group_groups"
            " WHERE environment = :env AND group_id = named)"
        )
        by_role = IdSource("assignments", "subject_id", "role = named AND subject_type = :type", holding)
        by_group = IdSource("group_subjects", "id", "group_id = named AND type = :type", groups)
        self._add([by_role, by_group], where, CandidateSql(where, f"where{number}_", self._db.compares_json))

    def rows(self, everyone: FilterTree) -> SpanRows:
        """Returns the added entities, and all registered ones for which `everyone` may hold."""
        return self._added() if everyone == FALSE else self._registered(everyone)

    def _registered(self, everyone: FilterTree) -> SpanRows:
        listed, mentions = self._registry
        self._values |= {"row": self._count - 1, "mention": self._count * MENTIONS - 1, "count": self._count}
        self._end([listed.nth("row")])
        end = self._end([mention.nth("mention") for mention in mentions])
        unlisted = self._unlisted()
        if len(unlisted) > self._count:
            unlisted = unlisted[: self._count]
            end = self._values["end"] = unlisted[-1]
        ((tried,),) = self._rows(f"SELECT count(*) FROM ({listed.between()}) AS listed")
        found: dict[str, bytes] = dict(self._rows(self._listed(everyone)))
        if may_hold_without_attributes(everyone):
            found |= dict.fromkeys(unlisted, _NOTHING)
        if everyone != TRUE:
            found |= self._added_between()
        return SpanRows(found, end, tried + len(unlisted))

    def _unlisted(self) -> list[str]:
        """Returns the first entities of the span that are only mentioned, by id, with one more than fits if there are
        too many.

        PERF: if the results are in order, SQLite merges the indexes, which takes a quarter of the time.
        """
        listed, mentions = self._registry
        first = "SELECT * FROM ({} EXCEPT {} ORDER BY 1) AS unlisted LIMIT :count + 1"
        found = [self._rows(first.format(mention.between(), listed.between())) for mention in mentions]
        return sorted({id for some in found for (id,) in some})

    def _listed(self, everyone: FilterTree) -> str:
        """Returns SQL for the listed entities for which the condition may hold."""
        sql, table = CandidateSql(everyone, compares_json=self._db.compares_json), self._registry.listed.table
        self._values |= sql.parameters
        where = "environment = :env AND type = :type AND id > :after AND id <= :end"
        condition = "" if sql.condition is None else f" AND {sql.condition}"
        return f"SELECT id, body FROM {table} INDEXED BY {table}_searched WHERE {where}{condition}"

    def _added(self) -> SpanRows:
        """Returns the added entities alone.

        PERF: each of many groups gets a share of the span, since its end is not known before. The largest groups end a
        span with small shares early, so the shares grow until there are enough entities.
        """
        if not self._sources:
            return SpanRows({}, None, 0)
        things = (f"SELECT count(*) AS many FROM {of}" if of else "SELECT 1 AS many" for *_, of in self._sources)
        ((many,),) = self._rows(f"SELECT sum(many) FROM ({' UNION ALL '.join(things)}) AS counted")
        share = max(LEAST_SHARE, self._count // int(many))
        added = _any_of(self._sources)
        while True:
            self._values |= {"row": share - 1, "end": _BEHIND_ALL}
            end = self._end([source.nth("row") for source in self._sources])
            ((tried,),) = self._rows(f"SELECT count(*) FROM ({added}) AS added")
            if end is None or share >= self._count or tried * FEW >= self._count:
                break
            share *= FEW
        if tried > 2 * self._count:
            self._values["row"] = self._count - 1
            end, tried = self._end([f"SELECT * FROM ({added} ORDER BY 1 LIMIT 1 OFFSET :row) AS added"]), self._count
        return SpanRows(self._added_between(), end, tried)

    def _added_between(self) -> dict[str, bytes]:
        return dict(self._rows(" UNION ALL ".join(self._arms))) if self._arms else {}

    def _add(self, sources: Sequence[IdSource], where: FilterTree, sql: CandidateSql) -> None:
        """Add a source of entities for which the condition may hold."""
        self._sources += sources
        self._values |= sql.parameters
        table = self._registry.listed.table
        same = "environment = :env AND type = :type AND id = this"
        condition = "" if sql.condition is None else f" WHERE {sql.condition}"
        if condition and may_hold_without_attributes(where):
            condition += " OR body IS NULL"
        self._arms.append(
            f"SELECT this, coalesce(body, :nothing) FROM ({_any_of(sources)}) AS added"
            f" LEFT JOIN {table} INDEXED BY {table}_searched ON {same}{condition}"
        )

    def _end(self, ends: Sequence[str]) -> str | None:
        """Returns the end of the span, or None if there is none: the first of these ids, if there is any."""
        ((first,),) = self._rows(f"SELECT min(this) FROM ({' UNION ALL '.join(ends)}) AS ends")
        if first is not None:
            self._values["end"] = first
        end: str = self._values["end"]
        return None if end == _BEHIND_ALL else end

    def _rows(self, query: str) -> list[Any]:
        return self._db.execute(self._whole(query), self._values).fetchall()

    def _whole(self, query: str) -> str:
        return f"WITH RECURSIVE {', '.join(self._with)} {query}" if self._with else query


def _any_of(sources: Sequence[IdSource]) -> str:
    """Returns SQL for the ids of the span, each once."""
    between = [source.between() for source in sources]
    return " UNION ".join(between) if len(between) > 1 else f"SELECT DISTINCT this FROM ({between[0]}) AS every"
