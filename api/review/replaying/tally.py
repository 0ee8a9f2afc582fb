"""Counts compared records: by their outcome, and changes by reasons and policies."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import msgspec

from ...http.lines import TooLong
from ...telemetry.decision_log.record import ReadRecord
from ..effects import Effect
from .replayed_record import ChangedAnswer, NotCompared, Replayed, compared

SHOWN_LINES: Final = 10
"""The numbers of bad lines that are told."""

MOST_GROUPS: Final = 10_000
"""The groups that are kept apart. More changes are counted without a group."""

_RECORD: Final = msgspec.json.Decoder(ReadRecord)


@dataclass(slots=True)
class ChangeGroup:
    """Changes of one kind: their number, and the first of them with the number of its line."""

    count: int
    line: int
    example: dict[str, Any]


Lines: TypeAlias = list[bytes | TooLong]


@dataclass(slots=True)
class Tally:
    """Numbers of lines. `apart` has those that are not compared. `environments` are the names in the records.

    `effects` counts the changed answers, also those without a group.
    """

    records: int = 0
    same: int = 0
    changed: int = 0
    bad: int = 0
    bad_lines: list[int] = field(default_factory=list)
    apart: Counter[NotCompared] = field(default_factory=Counter)
    effects: Counter[Effect] = field(default_factory=Counter)
    groups: dict[ChangedAnswer, ChangeGroup] = field(default_factory=dict)
    environments: set[str | None] = field(default_factory=set)

    def add(self, other: "Tally") -> None:
        """Adds a tally of later lines."""
        self.records += other.records
        self.same += other.same
        self.changed += other.changed
        self.bad += other.bad
        self.bad_lines = (self.bad_lines + other.bad_lines)[:SHOWN_LINES]
        self.apart.update(other.apart)
        self.effects.update(other.effects)
        self.environments |= other.environments
        for change, group in other.groups.items():
            self._add_group(change, group)

    def _add_group(self, change: ChangedAnswer, group: ChangeGroup) -> None:
        known = self.groups.get(change)
        if known is not None:
            known.count += group.count
        elif len(self.groups) < MOST_GROUPS:
            self.groups[change] = group

    def count_bad(self, line: int) -> None:
        """Counts a line that is no record."""
        self.bad += 1
        if len(self.bad_lines) < SHOWN_LINES:
            self.bad_lines.append(line)

    def count(self, outcome: NotCompared | ChangedAnswer | None, line: int, example: dict[str, Any]) -> None:
        """Counts a record by how it compares."""
        self.records += 1
        match outcome:
            case None:
                self.same += 1
            case NotCompared():
                self.apart[outcome] += 1
            case ChangedAnswer():
                self.changed += 1
                self.effects[outcome.effect] += 1
                self._add_group(outcome, ChangeGroup(1, line, example))


def tally(replayed: Replayed, lines: Iterable[bytes | TooLong], first: int) -> Tally:
    """Returns the tally of lines, the first of which has the number `first`. See `compared`. Raises BundleError."""
    found = Tally()
    for number, line in enumerate(lines, first):
        if isinstance(line, TooLong):
            found.count_bad(number)
        elif line.strip():
            _count(found, replayed, line, number)
    return found


def _count(found: Tally, replayed: Replayed, line: bytes, number: int) -> None:
    try:
        record = _RECORD.decode(line)
        outcome = compared(replayed, record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        found.count_bad(number)
        return
    if outcome is not NotCompared.OTHER_ENVIRONMENT:
        found.environments.add(record.environment)
    example = (
        {"line": number, "time": record.time, "request": record.request} if isinstance(outcome, ChangedAnswer) else {}
    )
    found.count(outcome, number, example)
