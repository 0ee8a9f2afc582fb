"""Reads a bundle file in place: opened in milliseconds at any size, facts looked up in the mapping when asked for.

What `open_bundle` checks at once is the structure and everything small; rules are checked against the laws when they
are first read, facts by checksum and form when they are first touched. A damaged bundle raises, and never grants.
"""

import mmap
from bisect import bisect_left
from collections.abc import Callable, Iterable
from datetime import tzinfo
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from ..errors import UNREADABLE, BundleError
from ..manifest import Manifest, decode_manifest
from ..program.clauses import Clause, During, Program, ResourceType
from ..program.laws import check_clause, check_program
from ..zones import decode_zone
from . import fact_codec, rule_codec
from .bucket_table import BucketTable
from .fact_codec import EntityRecord, GrantRecord, GroupRecord, Held, HolderRecord, Names, SubjectRecord
from .format import Section, Sections, check_section, decode_header
from .record_list import RecordList
from .rule_codec import AllowIndex, RuleIndex
from .verify import verify_facts, verify_rules

LISTS = ("clauses", "groups", "role-holders", "group-members")
TABLES = (
    "rules",
    "subjects",
    "grants",
    "aliases",
    "closed",
    "subject-grants",
    "resource-grants",
    "subject-registry",
    "resource-registry",
)
CHECKED_AT_OPENING = ("manifest", "names", "clauses", "rules")

NO_RULES = RuleIndex((), {})
NO_ALLOWS = AllowIndex(False, ())


def open_bundle(path: str | Path) -> "Bundle":
    """Map a bundle file.

    Raises BundleError for one that is damaged, foreign or newer, OSError for one that can't be read.
    """
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise BundleError("this is not a Writ bundle: the file is empty") from None
        return Bundle(data)


class Bundle:
    """A mapped bundle. Immutable, safe to share between threads and across a fork.

    `types` and `roles` are in the order of their numbers.
    """

    def __init__(self, data: mmap.mmap):
        self._data = data
        with memoryview(data) as view:
            self.sections: Sections = decode_header(view, len(data))
            for name in CHECKED_AT_OPENING:
                check_section(view, name, self._section(name))
        self.manifest: Manifest = decode_manifest(self._bytes("manifest"))
        names: Names = fact_codec.decode_record(Names, self._bytes("names"))
        self.types = tuple(ResourceType(*type) for type in names.types)
        self.roles = names.roles
        _hold_to(check_program, Program(self.types, self.roles, ()))
        self.action_sets = tuple(frozenset(actions) for actions in names.action_sets)
        self._zones = {name: decode_zone(name, data) for name, data in names.zones.items()}
        self._types_by_id = {type.id: type for type in self.types}
        self._type_ids = tuple(self._types_by_id)
        self._lists = {name: RecordList(data, name, self._section(name)) for name in LISTS}
        self._tables = {name: BucketTable(data, name, self._section(name)) for name in TABLES}
        self._get_grants: Callable[[bytes], bytes | None] = self._tables["grants"].get

    def _section(self, name: str) -> Section:
        try:
            return self.sections[name]
        except KeyError:
            raise BundleError(f"the bundle is damaged: it has no section `{name}`") from None

    def _bytes(self, name: str) -> bytes:
        section = self._section(name)
        return self._data[section.offset : section.offset + section.size]

    def _record(self, table: str, key: bytes, kind: Any) -> Any:
        found = self._tables[table].get(key)
        return None if found is None else fact_codec.decode_record(kind, found)

    def role_id(self, number: int) -> str:
        """The id of a role."""
        return self.roles[number]

    def zone(self, name: str) -> tzinfo:
        """A time zone that a clause names."""
        try:
            return self._zones[name]
        except KeyError:
            raise BundleError(f"the bundle is damaged: it lacks the time zone `{name}`") from None

    def clause(self, number: int) -> Clause:
        """The clause of that number, checked against the laws."""
        clause = self._decoded(number)
        _hold_to(check_clause, clause, self._types_by_id)
        return clause

    def _decoded(self, number: int) -> Clause:
        return rule_codec.decode_clause(self._lists["clauses"][number], self._type_ids, self.roles)

    @property
    def revision(self) -> int:
        """The revision of the model that the bundle is of."""
        return self.manifest.revision

    @property
    def clause_count(self) -> int:
        """How many clauses there are."""
        return len(self._lists["clauses"])

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return len(self._lists["groups"])

    def clause_numbers(self, policy: str) -> tuple[int, ...]:
        """The clauses of a policy; they stand together, since clauses are sorted by policy."""
        numbers = range(self.clause_count)
        first = bisect_left(numbers, policy, key=lambda number: self.clause(number).policy)
        return tuple(takewhile(lambda number: self.clause(number).policy == policy, numbers[first:]))

    def group_number(self, id: str) -> int | None:
        """The number of a group, None where there is none; groups are sorted by id."""
        numbers = range(self.group_count)
        number = bisect_left(numbers, id, key=lambda number: self.group(number).id)
        return number if number < self.group_count and self.group(number).id == id else None

    def rules(self, type: int, action: str) -> RuleIndex:
        """The numbers of the clauses on one (type, action)."""
        found = self._tables["rules"].get(rule_codec.rules_key(type, action))
        return NO_RULES if found is None else rule_codec.decode_rules(found)

    def allows(self, type: int) -> AllowIndex:
        """Who has some ALLOW on the type."""
        found = self._tables["rules"].get(rule_codec.allows_key(type))
        return NO_ALLOWS if found is None else rule_codec.decode_allows(found)

    def program(self) -> Program:
        """The whole program, as the compiler wrote it, checked against the laws."""
        program = Program(self.types, self.roles, tuple(map(self._decoded, range(self.clause_count))))
        _hold_to(check_program, program)
        return program

    def subject(self, type: str, id: str) -> SubjectRecord | None:
        """The roles and groups of a registered subject."""
        found: SubjectRecord | None = self._record("subjects", fact_codec.subject_key(type, id), SubjectRecord)
        if found is not None:
            self._check_roles(found.holdings)
        return found

    def _check_roles(self, holdings: Iterable[Held]) -> None:
        """Raise BundleError for a role that there is none of: what no DENY can name must not stand for one."""
        for held in holdings:
            if held.role >= len(self.roles):
                raise BundleError(f"the bundle is damaged: it has no role {held.role}")

    def group(self, number: int) -> GroupRecord:
        """The group of that number."""
        record: GroupRecord = fact_codec.decode_record(GroupRecord, self._lists["groups"][number])
        self._check_roles(record.holdings)
        return record

    def grants(self, prefix: str, type: int, resource_id: str) -> tuple[GrantRecord, ...]:
        """The direct grants of one subject (see `grants_prefix`) on one resource, by id, expired ones too."""
        found = self._get_grants(fact_codec.grants_key(prefix, type, resource_id))
        if found is None:
            return ()
        try:
            grants = fact_codec.decode_grants(found)
        except (msgspec.MsgspecError, *UNREADABLE) as ex:
            raise BundleError(f"the bundle is damaged: a grant can't be read: {ex}") from None
        for grant in grants:
            if grant.actions >= len(self.action_sets):
                raise BundleError(f"the bundle is damaged: it has no set of actions {grant.actions}")
        return grants

    def granted(self, prefix: str, type: int) -> tuple[str, ...]:
        """The ids of the resources of a type on which a subject has grants, in order, if too many to be listed."""
        found: tuple[str, ...] | None = self._record(
            "subject-grants", fact_codec.grants_key(prefix, type, ""), tuple[str, ...]
        )
        return found or ()

    def is_registered(self, type: int, id: str) -> bool:
        """Whether a closed type has this instance (E7)."""
        return self._tables["closed"].get(fact_codec.resource_key(type, id)) is not None

    def subject_id(self, type: str, external_id: str) -> str | None:
        """The id behind a subject's external id (E3)."""
        found: str | None = self._record("aliases", fact_codec.subject_alias_key(type, external_id), str)
        return found

    def resource_id(self, type: int, kind: str, alias: str) -> str | None:
        """The id behind a resource's `external_id` or `name` (`kind`) (E3)."""
        found: str | None = self._record("aliases", fact_codec.resource_alias_key(kind, type, alias), str)
        return found

    def role_holders(self, role: int) -> HolderRecord:
        """Who is assigned a role directly."""
        record: HolderRecord = fact_codec.decode_record(HolderRecord, self._lists["role-holders"][role])
        return record

    def group_members(self, group: int) -> HolderRecord:
        """Who is in a group directly."""
        record: HolderRecord = fact_codec.decode_record(HolderRecord, self._lists["group-members"][group])
        return record

    def resource_grantees(self, type: int, id: str) -> tuple[tuple[str, str], ...]:
        """The subjects with a direct grant on a resource, by key."""
        kind = tuple[tuple[str, str], ...]
        found = self._record("resource-grants", fact_codec.resource_key(type, id), kind)
        return found or ()

    def registered_subject(self, type: str, id: str) -> EntityRecord | None:
        """What the registry says of a subject."""
        key = fact_codec.subject_key(type, id)
        found: EntityRecord | None = self._record("subject-registry", key, EntityRecord)
        return found

    def registered_resource(self, type: int, id: str) -> EntityRecord | None:
        """What the registry says of a resource."""
        key = fact_codec.resource_key(type, id)
        found: EntityRecord | None = self._record("resource-registry", key, EntityRecord)
        return found

    def digest(self) -> str:
        """Hexadecimal SHA-256 over every byte. Reads the whole file."""
        with memoryview(self._data) as view:
            return sha256(view).hexdigest()

    def verify(self) -> None:
        """Read everything: all checksums, clauses by the laws, the zones they name, their index, every record of facts.

        Raises BundleError at the first fault.
        """
        with memoryview(self._data) as view:
            for name, section in self.sections.items():
                check_section(view, name, section)
        program = self.program()
        for clause in program.clauses:
            for atom in clause.body:
                if isinstance(atom, During):
                    self.zone(atom.window.timezone)
        verify_rules(program, self._tables["rules"])
        verify_facts(program, len(self.action_sets), self._lists, self._tables, self.manifest)


def _hold_to(check: Callable[..., None], *program: object) -> None:
    """Raises BundleError for a program or a clause that breaks a law."""
    try:
        check(*program)
    except UNREADABLE as ex:  # IllegalProgram among them
        raise BundleError(f"the bundle is damaged: {ex}") from None
