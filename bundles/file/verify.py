"""Verifies a bundle: reads every record, so that a fault is found before a decision reads it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

from ..errors import BundleError
from ..manifest import Manifest
from ..program.clauses import Program
from .bucket_table import BucketTable
from .fact_records import GrantRecord, GroupRecord, HoldingRecord, SubjectRecord
from .record_list import RecordList
from .rule_index import index_entries
from .sections import FACTS, Section, Shape, record_decoder

Stored: TypeAlias = Mapping[Section, RecordList | BucketTable]
"""The record lists and bucket tables of a bundle, by section."""


def verify_rules(program: Program, rules: BucketTable) -> None:
    """Raises BundleError if the rule index does not match the clauses of the program.

    People read the clauses, but decisions follow the index.
    """
    if dict(rules.items()) != dict(index_entries(program)):
        raise BundleError("the bundle is damaged: its rule index does not match its clauses")


def verify_facts(program: Program, action_sets: int, routes: int, stored: Stored, manifest: Manifest) -> None:
    """Raises BundleError for an unreadable record, a number that nothing has, or a wrong count in the manifest.

    `action_sets` is the number of sets of actions, `routes` that of routes.
    """
    known = {
        "role": len(program.roles),
        "group": len(stored[Section.GROUPS]),
        "type": len(program.types),
        "set of actions": action_sets,
    }
    grants = 0
    for section, record in _records(stored):
        for kind, number in _references(record):
            if number >= known[kind]:
                raise BundleError(f"the bundle is damaged: `{section}` names {kind} {number}, which does not exist")
        grants += len(record) if section is Section.GRANTS else 0
    found = {
        "clauses": len(program.clauses),
        "grants": grants,
        "groups": known["group"],
        "roles": known["role"],
        "routes": routes,
        "subjects": len(stored[Section.SUBJECTS]),
        "types": known["type"],
    }
    if {name: count for name, count in manifest.counts.items() if name != "resources"} != found:
        raise BundleError("the bundle is damaged: the counts in its manifest are wrong")


def _records(stored: Stored) -> Iterator[tuple[Section, Any]]:
    """Yields every record of facts, decoded, with its section."""
    for section in FACTS:
        if section.record is not None:
            records = map(record_decoder(section), stored[section].records())
            yield from ((section, record) for record in _checked(section, records))
    for section in FACTS:
        if section.record is None and any(stored[section].records()):
            raise BundleError(f"the bundle is damaged: `{section}` has values")


def _checked(section: Section, records: Iterable[Any]) -> Iterator[Any]:
    """Yields the records. Raises BundleError if they are out of order."""
    if section.shape is Shape.RECORD_LIST:
        records = list(records)
    if section is Section.GROUPS:
        _check_order(section, (group.id for group in records))
    for record in records:
        if section is Section.GRANTS:
            _check_order(section, (grant.id for grant in record))
        elif isinstance(record, SubjectRecord | GroupRecord):
            _check_holdings(section, record.holdings)
        yield record


def _check_order(section: Section, ids: Iterable[str]) -> None:
    """Raises BundleError if ids are not sorted. Bisection relies on their order, and so do reports of grants (D8)."""
    if any(low >= high for low, high in pairwise(ids)):
        raise BundleError(f"the bundle is damaged: the ids of `{section}` are out of order")


def _check_holdings(section: Section, holdings: Iterable[HoldingRecord]) -> None:
    """Raises BundleError unless holdings are sorted, and those of one role are apart and not empty (P4)."""
    edges = [(held.role, edge) for held in holdings for edge in (held.starts, held.expires)]
    if any(low >= high for low, high in pairwise(edges)):
        raise BundleError(f"the bundle is damaged: the times of roles in `{section}` are out of order")


def _references(record: Any) -> Iterator[tuple[str, int]]:
    """Yields the numbers of other things that a record contains, as (kind, number)."""
    match record:
        case SubjectRecord(groups, holdings, granted):
            yield from (("group", number) for number in groups)
            yield from (("role", holding.role) for holding in holdings)
            yield from (("type", type) for type, _ in granted or ())
        case GroupRecord(_, ancestors, holdings, granted):
            yield from (("group", number) for number in ancestors)
            yield from (("role", holding.role) for holding in holdings)
            yield from (("type", type) for type, _ in granted or ())
        case [GrantRecord(), *_]:
            yield from (("set of actions", grant.actions) for grant in record)
