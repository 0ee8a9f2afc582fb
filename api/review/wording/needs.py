"""Says what an ALLOW that did not hold still lacks, from the proof of a denial (D10).

It says only what the proof shows: it does not look for the least change that would allow.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ....bundles.conditions.operators import TAKES_LIST, Operator
from ....bundles.wording import quoted
from .comparison_words import Predicate, predicate, predicate_of_cut
from .now_words import is_of_now, predicate_of_now
from .plain_values import OWNERS, counted, listed
from .prose import decisive_proof, roles_words
from .referred_words import fits, found_value, predicate_of_reference
from .window_words import window_words

UNTRIED: Final = "and then its conditions, which are not tried without the role"
"""The text that follows the missing roles of a policy with conditions."""


class Need(NamedTuple):
    """An ALLOW policy, and what all must come true for it to hold."""

    id: str
    missing: tuple[str, ...]


def needs(answer: Mapping[str, Any], conditional: Collection[str]) -> Iterator[Need]:
    """Yields what each ALLOW policy lacks that did not hold, first those for roles of the subject. None if allowed.

    `answer` is a decision with its explanation, and `conditional` has the ids of the ALLOWs with conditions. The proof
    does not show the conditions of a policy whose roles the subject lacks, so `UNTRIED` stands for them. Of a proof
    that was cut, something may be missing.
    """
    if answer["decision"]:
        return
    proof = decisive_proof(answer)
    assert proof is not None, "the answer has its explanation"
    for candidate in proof["candidates"]:
        if candidate["effect"] == "ALLOW" and not candidate["holds"]:
            yield Need(candidate["id"], tuple(_needed(one) for one in candidate["conditions"] if not one["holds"]))
    for lacking in proof["lacking"]:
        untried = (UNTRIED,) if lacking["id"] in conditional else ()
        yield Need(lacking["id"], (roles_words(lacking["roles"]), *untried))


def overridden_by(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the ids of the DENY policies that hold. While one does, nothing else helps (D7)."""
    proof = decisive_proof(answer)
    assert proof is not None, "the answer has its explanation"
    candidates = proof["candidates"]
    return tuple(one["id"] for one in candidates if one["effect"] == "DENY" and one["holds"])


def _needed(condition: Mapping[str, Any]) -> str:
    """Returns what must come true for a condition to hold.

    >>> _needed({"section": "context_attrs", "key": "mfa", "op": "eq", "value": True, "missing": True})
    '`context.mfa` must be true'
    >>> _needed({"section": "resource_attrs", "key": "owner", "op": "eq", "value_of": "subject.id", "value": "u5"})
    '`resource.owner` must be `subject.id` ("u5")'
    >>> _needed({"section": "context_attrs", "key": "team", "op": "nin", "value_of": "subject.id", "value": "u5"})
    '`context.team` must have a value that is none of `subject.id` ("u5"), which is no list'
    """
    value: Any = condition.get("value")
    match condition["section"]:
        case "time_window":
            return f"a time {window_words(value)}" if isinstance(value, Mapping) else f"a time in {value}…"
        case "ip_allowlist":
            blocks = value if isinstance(value, list) else [f"{value}…"]
            return f"an IP address within {'one of ' if len(blocks) > 1 else ''}{listed(blocks, 'or')}"
        case "rate_limit":
            times = counted(value["limit"], "evaluation")
            return f"a time at which the rate limit of {times} in {counted(value['window_seconds'], 'second')} has room"
        case section:
            attribute = quoted(f"{OWNERS[section]}.{condition['key']}")
            return f"{attribute} {_compared(condition, Operator(condition['op'])).required}"


def _compared(condition: Mapping[str, Any], op: Operator) -> Predicate:
    value: Any = condition.get("value")
    if is_of_now(condition):
        return predicate_of_now(op, found_value(condition))
    if "value_of" in condition:
        unfit = ", which is no list" if TAKES_LIST[op] and value is not None and not fits(condition) else ""
        return predicate_of_reference(op, f"{quoted(condition['value_of'])} ({found_value(condition)}){unfit}")
    return predicate_of_cut(op, value) if condition.get("value_cut") else predicate(op, value)
