"""Tests the rules of a specialised program that has rate limits, and counts the evaluation (C10, D1 to D8).

Every ALLOW whose other conditions hold counts, whatever decides in the end. So all of them are tested here, while
`judge` stops at the first rule that holds. Nothing is counted before all that may fail is done.
"""

from collections.abc import Sequence

from ...bundles.event_loop import TakesLong
from ..rates.counted import counted_key
from ..rates.rate_table import RateTable
from ..rules.attribute_index import first_rule
from ..rules.attributes import Asked
from ..rules.reasons import NOT_REGISTERED, Answer, limit_reached
from ..rules.rule import Rule, is_within_limit
from ..rules.specialise import Specialised
from ..snapshot import Holder, Snapshot
from ..state.state import State
from .judge import by_grant, is_registered, refusal


class Counted:
    """Counts one evaluation of a subject, at `now` in epoch seconds.

    A subject is counted by its type and id, however the request names it. If its external id resolves to nothing, it
    has no id, and is counted by its external id `name`.
    """

    def __init__(self, counters: RateTable, state: State, type: str, id: str | None, name: str, now: float):
        environment = state.manifest.environment
        self._environment = "" if environment is None else environment.uuid
        self._subject = (type, "external_id", name) if id is None else (type, "id", id)
        self._counters, self._now = counters, now

    def number(self, rule: Rule) -> int:
        """Counts for the rate limit of a rule. Returns the evaluation's number; see `RateTable.count`."""
        return self._counters.count(*self._limit_of(rule), self._now)

    def wait(self, rule: Rule) -> int:
        """Returns the seconds until the rate limit of a rule is reached no longer."""
        return self._counters.wait(*self._limit_of(rule), self._now)

    def _limit_of(self, rule: Rule) -> tuple[bytes, int, int]:
        rate = rule.body.rate
        assert rate is not None, "the rule has a rate limit"
        return counted_key(self._environment, rule.clause.policy, *self._subject), rate.limit, rate.window_seconds


def judge_limited(
    snapshot: Snapshot,
    holder: Holder,
    specialised: Specialised,
    action: str,
    asked: Asked,
    counted: Counted | None,
) -> Answer:
    """Returns the answer once subject, program and resource are known (E7, D1 to D6).

    Raises TakesLong if the evaluation counts and `counted` is None.
    """
    rid, now = asked[3], asked[-1]
    if specialised.closed and not is_registered(snapshot, specialised.type, rid):
        return NOT_REGISTERED
    grants = snapshot.grants(holder, specialised.type, rid, now)
    denial = first_rule(specialised.deny_indexes, *asked)
    allow = first_rule(specialised.allow_indexes, *asked)
    limited = [rule for index in specialised.limited_indexes for rule in index.to_count(asked)]
    numbers: dict[str, int] = {}
    for rule in limited:
        if counted is None:
            raise TakesLong
        numbers[rule.clause.policy] = counted.number(rule)
        if is_within_limit(rule, numbers) and (allow is None or rule.rank < allow.rank):
            allow = rule
    permission = by_grant(snapshot, grants, action)
    if permission is None and allow is not None:
        permission = allow.explicit
    if denial is not None:
        answer = denial.explicit if permission is None else denial.override
    elif permission is not None:
        answer = permission
    elif limited and counted is not None:
        answer = _limit_reached(specialised, limited, counted)
    else:
        answer = refusal(specialised) if grants else specialised.otherwise
    return Answer(answer.allowed, answer.context, numbers)


def _limit_reached(specialised: Specialised, limited: Sequence[Rule], counted: Counted) -> Answer:
    """Returns the answer if all of the `limited` rules fail by their rate limits alone (D4)."""
    seconds, _, place = min((counted.wait(rule), rule.rank, place) for place, rule in enumerate(limited))
    others = sum(len(part.allows) for part in specialised.parts) - 1
    return limit_reached(limited[place].clause, others, seconds)
