"""Reads every record of a bundle once, so that what a decision would stumble over is told beforehand."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from ..errors import UNREADABLE, BundleError
from ..manifest import Manifest
from ..program.clauses import Program
from .bucket_table import BucketTable
from .fact_codec import EntityRecord, GrantRecord, GroupRecord, HolderRecord, SubjectRecord, decode_record
from .record_list import RecordList
from .rule_index import index_entries

_LISTS = {"groups": GroupRecord, "role-holders": HolderRecord, "group-members": HolderRecord}
_TABLES: dict[str, Any] = {
    "subjects": SubjectRecord,
    "grants": tuple[GrantRecord, ...],
    "aliases": str,
    "subject-grants": tuple[str, ...],
    "resource-grants": tuple[tuple[str, str], ...],
    "subject-registry": EntityRecord,
    "resource-registry": EntityRecord,
}
_PRESENCE = "closed"
"""The table whose keys are all that it says."""


def verify_rules(program: Program, rules: BucketTable) -> None:
    """Raise BundleError where the index leads to other clauses than those of the program, which is what people read."""
    if dict(rules.items()) != dict(index_entries(program)):
        raise BundleError("the bundle is damaged: the index of its clauses is not that of its clauses")


def verify_facts(
    program: Program,
    action_sets: int,
    lists: Mapping[str, RecordList],
    tables: Mapping[str, BucketTable],
    manifest: Manifest,
) -> None:
    """Raise BundleError for a record that can't be read or names what there is none of, or for a wrong count."""
    known = {
        "role": len(program.roles),
        "group": len(lists["groups"]),
        "type": len(program.types),
        "set of actions": action_sets,
    }
    searched = manifest.profile == "full"
    holders = (known["role"], known["group"]) if searched else (0, 0)
    if (len(lists["role-holders"]), len(lists["group-members"])) != holders:
        raise BundleError("the bundle is damaged: a role or a group has no list of holders")
    grants = 0
    for name, record in _records(lists, tables):
        for kind, number in _references(record):
            if number >= known[kind]:
                raise BundleError(f"the bundle is damaged: `{name}` names {kind} {number}, and there is none")
        grants += len(record) if name == "grants" else 0
    found = {
        "clauses": len(program.clauses),
        "grants": grants,
        "groups": known["group"],
        "resources": tables["resource-registry"].entries if searched else manifest.counts.get("resources"),
        "roles": known["role"],
        "subjects": tables["subjects"].entries,
        "types": known["type"],
    }
    if manifest.counts != found:
        raise BundleError("the bundle is damaged: its manifest counts something else than it has")


def _records(lists: Mapping[str, RecordList], tables: Mapping[str, BucketTable]) -> Iterator[tuple[str, Any]]:
    """Every record of facts, decoded, with the name of its section."""
    for name, kind in _LISTS.items():
        records = [decode_record(kind, lists[name][number]) for number in range(len(lists[name]))]
        if kind is GroupRecord:
            _check_order(name, (group.id for group in records))
        yield from ((name, record) for record in records)
    for name, kind in _TABLES.items():
        for _, value in tables[name].items():  # noqa: PERF102 - a table, no dictionary
            record = decode_record(kind, value)
            if name == "grants":
                _check_order(name, (grant.id for grant in record))
            elif kind is EntityRecord:
                _check_attributes(record.attributes)
            yield name, record
    if any(value for _, value in tables[_PRESENCE].items()):
        raise BundleError(f"the bundle is damaged: `{_PRESENCE}` has values")


def _check_order(name: str, ids: Iterable[str]) -> None:
    """What is found by bisection or reported first relies on the order of ids (D8)."""
    if any(low >= high for low, high in pairwise(ids)):
        raise BundleError(f"the bundle is damaged: the ids of `{name}` are out of order")


def _check_attributes(attributes: bytes) -> None:
    try:
        if attributes:
            msgspec.json.decode(attributes, type=dict[str, Any])
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: attributes can't be read: {ex}") from None


def _references(record: Any) -> Iterator[tuple[str, int]]:
    """What a record names by number: kinds and numbers."""
    match record:
        case SubjectRecord(groups, holdings, granted):
            yield from (("group", number) for number in groups)
            yield from (("role", held.role) for held in holdings)
            yield from (("type", type) for type, _ in granted or ())
        case GroupRecord(_, ancestors, holdings):
            yield from (("group", number) for number in ancestors)
            yield from (("role", held.role) for held in holdings)
        case HolderRecord(_, groups):
            yield from (("group", number) for number in groups)
        case [GrantRecord(), *_]:
            yield from (("set of actions", grant.actions) for grant in record)
