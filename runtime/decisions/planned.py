"""The shortest way of a decision: a known subject without grants on the resource, and a plan."""

from collections.abc import Callable

from ..requests.members import Attributes
from ..rules.reasons import Answer
from ..snapshot import Holder, Snapshot, may_be_granted


def planned(
    snapshot: Snapshot,
    stype: str,
    sid: str,
    s: Attributes,
    action: str,
    a: Attributes,
    rtype: str,
    rid: str,
    r: Attributes,
    c: Attributes,
    now: float | None,
    clock: Callable[[], float],
) -> Answer | None:
    """Returns the shared answer at `now` or by the clock, in epoch seconds, or None if it takes the careful way.

    The names may be anything but for `rid`, which is a checked id: a name that is found in a dictionary of checked
    names needs no separate check. `s` to `c` are dictionaries. The answer is None for every strict request (E8).
    """
    try:
        holder = snapshot.holders[stype][sid]
        plan = snapshot.plans[rtype][action][holder.roles]
    except (KeyError, TypeError):
        return None
    if holder.plain or is_as_good_as_plain(snapshot, holder, rtype, rid, clock() if now is None else now):
        answer: Answer = plan[plan[0](plan, stype, sid, s, rid, r, a, c, holder)]
        return answer
    return None


def is_as_good_as_plain(snapshot: Snapshot, holder: Holder, rtype: str, rid: str, now: float) -> bool:
    """Returns whether a holder has no grants on the resource, and is valid now."""
    if not holder.since <= now < holder.until:
        return False
    return not may_have_grants(snapshot, holder, rtype, rid)


def may_have_grants(snapshot: Snapshot, holder: Holder, rtype: str, rid: str) -> bool:
    """Returns whether a holder may have grants on a resource of a declared type, in force or not."""
    return bool(holder.grants) and may_be_granted(holder, snapshot.rules.types[rtype].number, rid)
