"""Tells the result of a replay: changes in groups, flips of decisions before changes of the reason."""

from typing import Any

import msgspec

from ..effects import effect_counts
from .replayed_record import ChangedAnswer, NotCompared
from .tally import ChangeGroup, Tally


def ordered(found: Tally) -> list[tuple[ChangedAnswer, ChangeGroup]]:
    """Returns the groups by effect, flips first. Of one effect, the largest comes first, then the earliest example."""
    return sorted(found.groups.items(), key=lambda one: (one[0].effect.rank, -one[1].count, one[1].line))


def as_json(found: Tally) -> dict[str, Any]:
    """Returns the result of a replay as JSON has it."""
    return {
        "records": found.records,
        "same": found.same,
        "changed": found.changed,
        "effects": msgspec.to_builtins(effect_counts(found.effects)),
        **{str(reason): found.apart[reason] for reason in NotCompared},
        "bad_lines": found.bad,
        "groups": [
            {
                "before": change.before.reason,
                "after": change.after.reason,
                "policy_id": change.after.policy or change.before.policy,
                "policy_before": change.before.policy,
                "count": group.count,
                "example": group.example,
            }
            for change, group in ordered(found)
        ],
    }
