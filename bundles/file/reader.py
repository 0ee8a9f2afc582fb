"""Reads a bundle file in place: a bundle of any size opens in milliseconds, and facts are looked up in the mapped file.

`open_bundle` checks the structure of the file, the manifest and the checksums of the rules. A clause is checked against
the laws when it is read. A fact is checked by checksum and form when it is looked up. A damaged bundle raises
BundleError, and never grants.
"""

import mmap
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from datetime import tzinfo
from functools import cached_property
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ..declarations.declarations import Declarations, decode_declarations
from ..errors import UNREADABLE, BundleError
from ..manifest import Manifest, decode_manifest
from ..program.clauses import Clause, During, Program, ResourceType
from ..program.demands import Demands
from ..program.laws import check_clause, check_program
from ..routing.routing import NO_ROUTING, Routing, check_routing
from ..zones import decode_zone
from .bucket_table import BucketTable
from .clause_codec import decode_clause
from .fact_records import (
    GrantRecord,
    GroupRecord,
    HoldingRecord,
    Names,
    SubjectRecord,
    grants_key,
    read_subject_key,
    resource_alias_key,
    resource_key,
    subject_alias_key,
    subject_key,
)
from .header import Extent, SectionTable, check_section, decode_header
from .record_list import RecordList
from .rule_index import AllowIndex, RuleIndex, allows_key, decode_allows, decode_rules, rules_key
from .sections import CHECKED_AT_OPENING, Section, Shape, bare_decoder, record_decoder, signature_extent
from .verify import verify_facts, verify_rules

NO_RULES = RuleIndex((), {})
NO_ALLOWS = AllowIndex(False, (), ())


def open_bundle(path: str | Path) -> "Bundle":
    """Returns the bundle in a file, which is mapped into memory and not read.

    Raises BundleError for a damaged, foreign or newer file, and OSError for a file that can't be read.
    """
    with open(path, "rb") as file:
        return Bundle(mapped(file))


def mapped(file: BinaryIO) -> mmap.mmap:
    """Returns an open file as read-only memory. Raises BundleError if it is empty."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:
        raise BundleError("this is not a Writ bundle: the file is empty") from None


class Bundle:
    """A bundle in a mapped file. It is immutable, and safe to share between threads and across a fork.

    `types` and `roles` are in the order of their numbers. `sections` has the extents of the sections by name.
    """

    def __init__(self, data: mmap.mmap):
        """Raises BundleError for a damaged, foreign or newer file."""
        self._data = data
        with memoryview(data) as view:
            self.sections: SectionTable = decode_header(view, len(data))
            self._signature = signature_extent(self.sections)
            for section in CHECKED_AT_OPENING:
                check_section(view, section, self._extent(section))
        self.manifest: Manifest = decode_manifest(self._blob(Section.MANIFEST))
        self._read_names(record_decoder(Section.NAMES)(self._blob(Section.NAMES)))
        self._lists = {s: RecordList(data, s, self._extent(s)) for s in Section if s.shape is Shape.RECORD_LIST}
        self._tables = {s: BucketTable(data, s, self._extent(s)) for s in Section if s.shape is Shape.BUCKET_TABLE}
        self._routing = self._extent(Section.ROUTING)
        self._declarations = self._extent(Section.DECLARATIONS)
        self._clauses, self._rules = self._lists[Section.CLAUSES], self._tables[Section.RULES]
        self._prepare_lookups()

    def _extent(self, section: Section) -> Extent:
        try:
            return self.sections[section]
        except KeyError:
            raise BundleError(f"the bundle is damaged: it has no section `{section}`") from None

    def _blob(self, section: Section) -> bytes:
        extent = self._extent(section)
        return self._data[extent.offset : extent.offset + extent.size]

    def _read_names(self, names: Names) -> None:
        self.types = tuple(ResourceType(*type) for type in names.types)
        self.roles, self.required = names.roles, names.required
        _check_law(check_program, Program(self.types, self.roles, ()))
        self.action_sets = tuple(frozenset(actions) for actions in names.action_sets)
        self._zones = {name: decode_zone(name, data) for name, data in names.zones.items()}
        self._types_by_id = {type.id: type for type in self.types}
        self._type_ids = tuple(self._types_by_id)

    def _prepare_lookups(self) -> None:
        """Prepares a function for each look-up. PERF: naming a member of an enumeration takes 130 ns."""
        self._groups: Callable[[int], GroupRecord] = self._numbered(Section.GROUPS)
        self._subjects: Callable[[bytes], SubjectRecord | None] = self._keyed(Section.SUBJECTS)
        self._grants = self._tables[Section.GRANTS].get
        self._decode_grants: Callable[[bytes], tuple[GrantRecord, ...]] = bare_decoder(Section.GRANTS)
        self._aliases: Callable[[bytes], str | None] = self._keyed(Section.ALIASES)
        self._closed = self._tables[Section.CLOSED].get
        self._granted: Callable[[bytes], tuple[str, ...] | None] = self._keyed(Section.GRANTED)

    def _numbered(self, section: Section) -> Callable[[int], Any]:
        """Returns the function that reads the record of a number from a record list."""
        records, decode = self._lists[section], record_decoder(section)
        return lambda number: decode(records[number])

    def _keyed(self, section: Section) -> Callable[[bytes], Any]:
        """Returns the function that reads the record of a key from a bucket table, or None for an unknown key."""
        get, decode = self._tables[section].get, record_decoder(section)

        def record(key: bytes) -> Any:
            found = get(key)
            return None if found is None else decode(found)

        return record

    def role_id(self, number: int) -> str:
        """Returns the id of a role."""
        return self.roles[number]

    def zone(self, name: str) -> tzinfo:
        """Returns a time zone that a clause names. Raises BundleError if the bundle lacks it."""
        try:
            return self._zones[name]
        except KeyError:
            raise BundleError(f"the bundle is damaged: it lacks the time zone `{name}`") from None

    def clause(self, number: int) -> Clause:
        """Returns the clause of a number, checked against the laws. Raises BundleError."""
        clause = self._decoded(number)
        _check_law(check_clause, clause, self._types_by_id)
        return clause

    def _decoded(self, number: int) -> Clause:
        return decode_clause(self._clauses[number], self._type_ids, self.roles)

    @property
    def revision(self) -> int:
        """The revision of the model in the bundle."""
        return self.manifest.revision

    @property
    def clause_count(self) -> int:
        """The number of clauses."""
        return len(self._clauses)

    @property
    def group_count(self) -> int:
        """The number of groups."""
        return len(self._lists[Section.GROUPS])

    def clause_numbers(self, policy: str) -> tuple[int, ...]:
        """Returns the numbers of a policy's clauses, which are consecutive, since clauses are sorted by policy."""
        numbers = range(self.clause_count)
        first = bisect_left(numbers, policy, key=lambda number: self.clause(number).policy)
        return tuple(takewhile(lambda number: self.clause(number).policy == policy, numbers[first:]))

    def group_number(self, id: str) -> int | None:
        """Returns the number of a group, or None if the bundle doesn't have it. Groups are sorted by id."""
        count = self.group_count
        number = bisect_left(range(count), id, key=lambda number: self.group(number).id)
        return number if number < count and self.group(number).id == id else None

    def rules(self, type: int, action: str) -> RuleIndex:
        """Returns the numbers of the clauses on one (type, action)."""
        found = self._rules.get(rules_key(type, action))
        return NO_RULES if found is None else decode_rules(found)

    def allows(self, type: int) -> AllowIndex:
        """Returns who has some ALLOW on the type."""
        found = self._rules.get(allows_key(type))
        return NO_ALLOWS if found is None else decode_allows(found)

    def program(self) -> Program:
        """Returns the whole program, as the compiler wrote it, checked against the laws."""
        program = Program(
            self.types,
            self.roles,
            tuple(map(self._decoded, range(self.clause_count))),
            self.required,
            self.declarations(),
        )
        _check_law(check_program, program)
        return program

    def subject(self, type: str, id: str) -> SubjectRecord | None:
        """Returns a subject's groups, roles and resources with grants, or None if the subject is not registered."""
        found = self._subjects(subject_key(type, id))
        if found is not None:
            self._check_roles(found.holdings)
        return found

    def all_subjects(self) -> Iterator[tuple[str, str, SubjectRecord]]:
        """Yields the type and the id of each registered subject, with its record. Raises BundleError."""
        decode = record_decoder(Section.SUBJECTS)
        for key, found in self._tables[Section.SUBJECTS].items():
            type, id = read_subject_key(key)
            record: SubjectRecord = decode(found)
            self._check_roles(record.holdings)
            yield type, id, record

    def closed_resources(self) -> Iterator[tuple[int, str]]:
        """Yields the registered resources of closed types, by the number of the type and the id (E7)."""
        for key, _ in self._tables[Section.CLOSED].items():  # noqa: PERF102 - a table is no dictionary
            number, _, id = key.decode("utf-8", "surrogatepass").partition(":")
            yield int(number), id

    def aliases(self) -> Iterator[tuple[str, str]]:
        """Yields the key of each alias, as `subject_alias_key` and `resource_alias_key` make it, and the id (E3)."""
        decode = record_decoder(Section.ALIASES)
        for key, found in self._tables[Section.ALIASES].items():
            yield key.decode("utf-8", "surrogatepass"), decode(found)

    def _check_roles(self, holdings: Iterable[HoldingRecord]) -> None:
        """Raises BundleError for a number that is not the number of a role, because no DENY could name that role."""
        for holding in holdings:
            if holding.role >= len(self.roles):
                raise BundleError(f"the bundle is damaged: it has no role {holding.role}")

    def group(self, number: int) -> GroupRecord:
        """Returns the group of a number. Raises BundleError."""
        record = self._groups(number)
        self._check_roles(record.holdings)
        return record

    def grants(self, prefix: str, type: int, resource_id: str) -> tuple[GrantRecord, ...]:
        """Returns the grants of one subject or group on one resource, sorted by id, with the expired ones.

        `prefix` is the holder's `prefix_of`. Raises BundleError.
        """
        found = self._grants(grants_key(prefix, type, resource_id))
        if found is None:
            return ()
        try:
            grants = self._decode_grants(found)  # PERF: `_keyed` would add a call, a tenth of the look-up
        except (msgspec.MsgspecError, *UNREADABLE) as ex:
            raise BundleError(f"the bundle is damaged: a grant can't be read: {ex}") from None
        for grant in grants:
            if grant.actions >= len(self.action_sets):
                raise BundleError(f"the bundle is damaged: it has no set of actions {grant.actions}")
        return grants

    def all_grants(self) -> Iterator[tuple[bytes, tuple[GrantRecord, ...]]]:
        """Yields the grants of each holder on each resource, with their key. Raises BundleError."""
        for key, found in self._tables[Section.GRANTS].items():
            try:
                yield key, self._decode_grants(found)
            except (msgspec.MsgspecError, *UNREADABLE) as ex:
                raise BundleError(f"the bundle is damaged: a grant can't be read: {ex}") from None

    def granted(self, prefix: str, type: int) -> tuple[str, ...]:
        """Returns the ids of a type's resources on which a subject or a group has grants, in order.

        `prefix` is the holder's `prefix_of`. The result is empty if the holder's record lists the resources.
        """
        return self._granted(grants_key(prefix, type, "")) or ()

    def is_registered(self, type: int, id: str) -> bool:
        """Returns whether a resource of a closed type is registered (E7)."""
        return self._closed(resource_key(type, id)) is not None

    def subject_id(self, type: str, external_id: str) -> str | None:
        """Returns the id of the subject with this external id, or None if there is none (E3)."""
        return self._aliases(subject_alias_key(type, external_id))

    def resource_id(self, type: int, kind: str, alias: str) -> str | None:
        """Returns the id of the resource with this alias, or None. `kind` is `external_id` or `name` (E3)."""
        return self._aliases(resource_alias_key(kind, type, alias))

    def routing(self) -> Routing:
        """Returns the routes and the gateway settings, checked. It reads them each time. Raises BundleError."""
        if self._routing.size == 0:
            return NO_ROUTING
        with memoryview(self._data) as view:
            check_section(view, Section.ROUTING, self._routing)
        found: Routing = record_decoder(Section.ROUTING)(self._blob(Section.ROUTING))
        check_routing(found)
        return found

    def declarations(self) -> Declarations:
        """Returns the declared attributes, checked. It reads them each time. Raises BundleError."""
        with memoryview(self._data) as view:
            check_section(view, Section.DECLARATIONS, self._declarations)
        return decode_declarations(self._blob(Section.DECLARATIONS), self._types_by_id)

    @cached_property
    def demands(self) -> Demands:
        """The demands of its declarations (C12, C13). PERF: made at the first use, since most bundles have none."""
        return Demands(self.declarations(), self.required)

    @property
    def data(self) -> mmap.mmap:
        """The mapped file."""
        return self._data

    def digest(self) -> str:
        """Returns the hexadecimal SHA-256 of every byte before the signature. It reads the whole file."""
        end = len(self._data) if self._signature is None else self._signature.offset
        with memoryview(self._data) as view, view[:end] as covered:
            return sha256(covered).hexdigest()

    def verify(self) -> None:
        """Reads everything: all checksums, the clauses, their time zones, the rule index and every record of facts.

        Raises BundleError at the first fault.
        """
        with memoryview(self._data) as view:
            for name, extent in self.sections.items():
                check_section(view, name, extent)
        program = self.program()
        for clause in program.clauses:
            for atom in clause.body:
                if isinstance(atom, During):
                    self.zone(atom.window.timezone)
        verify_rules(program, self._rules)
        routes = len(self.routing().routes)
        verify_facts(program, len(self.action_sets), routes, {**self._lists, **self._tables}, self.manifest)


def _check_law(check: Callable[..., None], *program: object) -> None:
    """Raises BundleError for a program or a clause that breaks a law."""
    try:
        check(*program)
    except UNREADABLE as ex:  # IllegalProgram among them
        raise BundleError(f"the bundle is damaged: {ex}") from None
