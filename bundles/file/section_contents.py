"""The contents of a bundle's sections: records and entries of tables, made from a program and its facts."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, assert_never

import msgspec

from ..declarations.declarations import encode_declarations
from ..manifest import Manifest, encode_manifest
from ..program import closure
from ..program.clauses import Program
from ..program.facts import Facts, GrantHolder, Holding, PackedGrant, united_holdings
from ..routing.routing import NO_ROUTING, Routing
from .bucket_table import Entry
from .clause_codec import encode_clause
from .fact_records import (
    LISTED_GRANTS,
    Granted,
    GroupRecord,
    HoldingRecord,
    Names,
    SubjectRecord,
    encode_record,
    grants_key,
    prefix_of,
    resource_alias_key,
    resource_key,
    subject_alias_key,
    subject_key,
)
from .rule_index import index_entries
from .sections import Section


class SectionContents:
    """The contents of all sections. Types, roles, groups and sets of actions are numbered in sorted order."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        zones: Mapping[str, bytes],
        manifest: Manifest,
        routing: Routing = NO_ROUTING,
    ):
        """`zones` are TZif files by the name of the zone. `manifest` lacks only the counts."""
        self.program, self.facts, self.zones, self.manifest = program, facts, zones, manifest
        self.routing = routing
        self.types = {type.id: number for number, type in enumerate(program.types)}
        self.roles = {role: number for number, role in enumerate(program.roles)}
        self.groups = {group: number for number, group in enumerate(sorted(facts.groups))}
        scopes = facts.grants.scopes
        action_sets = sorted({actions for _, actions in scopes})
        self.action_sets = {actions: number for number, actions in enumerate(action_sets)}
        self.scopes = [(self.types[type], self.action_sets[actions]) for type, actions in scopes]

    def contents(self, section: Section) -> Iterable[Any]:
        """Returns the contents of a section: the one record of a blob, the records of a list, or a table's entries."""
        match section:
            case Section.MANIFEST:
                return (encode_manifest(msgspec.structs.replace(self.manifest, counts=self._counts())),)
            case Section.NAMES:
                return (encode_record(self._names()),)
            case Section.CLAUSES:
                return (encode_clause(clause, self.types, self.roles) for clause in self.program.clauses)
            case Section.GROUPS:
                return self._group_records()
            case Section.RULES:
                return index_entries(self.program)
            case Section.SUBJECTS:
                return self._subjects()
            case Section.GRANTS:
                return self._grants()
            case Section.ALIASES:
                return self._aliases()
            case Section.CLOSED:
                return self._closed()
            case Section.GRANTED:
                return self._unlisted()
            case Section.ROUTING:
                return () if self.routing.is_empty else (encode_record(self.routing.as_written()),)
            case Section.DECLARATIONS:
                return filter(None, (encode_declarations(self.program.declarations),))
            case _:
                assert_never(section)

    def _names(self) -> Names:
        types = tuple((type.id, type.name, type.actions, type.closed) for type in self.program.types)
        return Names(types, self.program.roles, tuple(self.action_sets), dict(self.zones), self.program.required)

    def _counts(self) -> dict[str, int]:
        facts = self.facts
        return {
            "clauses": len(self.program.clauses),
            "grants": len(facts.grants),
            "groups": len(facts.groups),
            "resources": sum(map(len, facts.registered_ids().values())),
            "roles": len(self.roles),
            "routes": len(self.routing.routes),
            "subjects": len(facts.subjects),
            "types": len(self.types),
        }

    def _held(self, holdings: Iterable[Holding]) -> tuple[HoldingRecord, ...]:
        """Returns holdings by the number of their role, which has the order of the ids, and by start."""
        return tuple(
            HoldingRecord(self.roles[role], expires, starts) for role, expires, starts in united_holdings(holdings)
        )

    def _numbered(self, groups: Iterable[str]) -> tuple[int, ...]:
        return tuple(sorted(self.groups[group] for group in groups))

    def _group_records(self) -> Iterator[bytes]:
        above = closure.ancestors({id: group.parents for id, group in self.facts.groups.items()})
        for id in self.groups:
            holdings = self._held(self.facts.groups[id].holdings)
            yield encode_record(GroupRecord(id, self._numbered(above[id]), holdings, self._listed(id)))

    def _subjects(self) -> Iterator[Entry]:
        for key, subject in self.facts.subjects.items():
            record = SubjectRecord(self._numbered(subject.groups), self._held(subject.holdings), self._listed(key))
            yield subject_key(*key), encode_record(record)

    def _listed(self, holder: GrantHolder) -> Granted:
        resources = self._granted(self.facts.grants.of(holder))
        return tuple(resources) if len(resources) <= LISTED_GRANTS else None

    def _granted(self, grants: Iterable[PackedGrant]) -> list[tuple[int, str]]:
        """Returns the resources of grants in order, each once, by the number of their type and their id."""
        scopes = self.scopes
        return sorted({(scopes[scope][0], resource) for _, scope, resource, _, _ in grants})

    def _grants(self) -> Iterator[Entry]:
        """Yields the grants of each holder on each resource, by id. Their fields are those of GrantRecord."""
        scopes = self.scopes
        for holder, grants in self.facts.grants.by_holder():
            prefix = prefix_of(holder)
            records: dict[bytes, list[tuple[str, int, float, float]]] = {}
            for id, scope, resource, expires, starts in grants:
                type, actions = scopes[scope]
                key = grants_key(prefix, type, resource)
                records.setdefault(key, []).append((id, actions, expires, starts))
            for key, several in records.items():
                several.sort()
                yield key, encode_record(several)

    def _unlisted(self) -> Iterator[Entry]:
        """Yields the resources, by type, of holders with grants on more resources than a record lists."""
        for holder, grants in self.facts.grants.by_holder():
            resources = self._granted(grants) if len(grants) > LISTED_GRANTS else ()
            if len(resources) > LISTED_GRANTS:  # several grants may be on one resource
                for type, found in groupby(resources, key=itemgetter(0)):
                    key = grants_key(prefix_of(holder), type, "")
                    yield key, encode_record([id for _, id in found])

    def _aliases(self) -> Iterator[Entry]:
        for key, subject in self.facts.subjects.items():
            if subject.external_id is not None:
                alias = subject_alias_key(key.type, subject.external_id)
                yield alias, encode_record(key.id)
        for key, resource in self.facts.resources.items():
            for kind, alias_text in (("external_id", resource.external_id), ("name", resource.name)):
                if alias_text is not None:
                    alias = resource_alias_key(kind, self.types[key.type], alias_text)
                    yield alias, encode_record(key.id)

    def _closed(self) -> Iterator[Entry]:
        """Yields the registered instances of closed types (E7)."""
        closed = {type.id for type in self.program.types if type.closed}
        ids = self.facts.registered_ids() if closed else {}
        return ((resource_key(self.types[type], id), b"") for type in closed for id in ids.get(type, ()))
