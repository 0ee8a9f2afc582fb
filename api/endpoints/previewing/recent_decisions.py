"""Answers the newest requests in the decision log again, without and with changes."""

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from ....bundles.conditions.instants import parse_instant
from ....runtime import Engine
from ...review.effects import effect_counts
from ...review.replaying.replayed_record import ChangedAnswer, NotCompared, compared_engines
from ...review.replaying.report import ordered
from ...review.replaying.tally import ChangeGroup, Tally
from ...store.environments import Environment
from ...telemetry.decision_log.record import ReadRecord
from ...telemetry.decision_log.tail import newest_lines
from .preview_shapes import DecisionGroup, LoggedRequest, PreviewedDecisions

MOST_RECORDS: Final = 1_000
"""The records of the environment that are answered again."""

REPLAY_SECONDS: Final = 5.0
"""The time after which no further record is answered."""

_RECORD: Final = msgspec.json.Decoder(ReadRecord)


_OF_CONSOLE: Final = re.compile(r"console-[0-9a-f]{16}")
"""The request ids that the console makes.

Everyone may send such an id. So it decides nothing but the sample: the record stays in the log, `writ replay` asks it
again, the comparison of people does not look at the log, and the preview says how many records it left out.
"""

SentenceOf: TypeAlias = Callable[[str], str]
"""Returns a direct grant as a sentence, by its id."""

SENTENCES: Final = 20
"""The groups whose direct grants are sentences. For each one, the store is read."""

A_GRANT: Final = "a direct grant"
"""The words for a grant whose sentence is not known."""


def replayed(
    before: Engine,
    after: Engine,
    log: Path,
    environment: Environment,
    is_left: Callable[[], bool],
    sentence_of: SentenceOf,
    at_this_server: bool,
) -> PreviewedDecisions | None:
    """Returns how two engines answer the newest requests to an environment, or None if the log can't be read.

    Once `is_left` returns true, no further record is answered. `at_this_server` is a member of the result.

    Both have counters for rate limits, which have counted nothing. Raises BundleError.
    """
    deadline, found, asked, by_console = time.monotonic() + REPLAY_SECONDS, Tally(), 0, 0
    try:
        for record in _records(log, environment):
            if asked == MOST_RECORDS or time.monotonic() > deadline or is_left():
                break
            if _is_of_console(record):
                by_console += 1
                continue
            _count(found, (before, after), record, asked)
            asked += 1
    except OSError:
        return None
    return PreviewedDecisions(
        found.same + found.changed,
        found.changed,
        found.apart[NotCompared.MASKED],
        found.apart[NotCompared.RATE_LIMITED],
        found.apart[NotCompared.NOT_COMPARED],
        effect_counts(found.effects),
        tuple(
            _group(change, group, sentence_of if place < SENTENCES else lambda _: A_GRANT)
            for place, (change, group) in enumerate(ordered(found))
        ),
        at_this_server,
        by_console,
    )


def _is_of_console(record: ReadRecord) -> bool:
    """Returns whether a person asked in the console. What people try out says nothing of what applications need."""
    return record.request_id is not None and _OF_CONSOLE.fullmatch(record.request_id) is not None


def _records(log: Path, environment: Environment) -> Iterator[ReadRecord]:
    """Yields the records of an environment, the newest first. Those of an earlier one of its id are left out."""
    created = parse_instant(environment.created)
    for line in newest_lines(log):
        try:
            record = _RECORD.decode(line)
            is_its_own = record.environment == environment.id and parse_instant(record.time) >= created
        except (ValueError, RecursionError):  # no record, such as a line of another program
            continue
        if is_its_own:
            yield record


def _count(found: Tally, engines: tuple[Engine, Engine], record: ReadRecord, number: int) -> None:
    try:
        outcome = compared_engines(*engines, record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # it is no record after all
        return
    found.count(outcome, number, {"time": record.time, "request": record.request})


def _group(change: ChangedAnswer, group: ChangeGroup, sentence_of: SentenceOf) -> DecisionGroup:
    grant_before, grant = (
        sentence_of(one.policy) if one.is_granted and one.policy else None for one in (change.before, change.after)
    )
    return DecisionGroup(
        change.before.reason,
        change.after.reason,
        change.after.policy or change.before.policy,
        change.before.policy,
        group.count,
        LoggedRequest(**group.example),
        grant,
        grant_before,
    )
