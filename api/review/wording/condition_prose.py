"""Words one condition of a proof: the value that it compared, what the policy requires, and what was missing (D10)."""

from collections.abc import Mapping
from typing import Any, Final

from ....bundles.conditions.addresses import read_address
from ....bundles.conditions.attribute_keys import reads_own_key
from ....bundles.conditions.instants import read_instant
from ....bundles.conditions.operators import OPERATORS, TAKES_LIST, Operator, OperatorRow
from ....bundles.wording import quoted
from .comparison_words import consequence
from .now_words import is_of_now, now_sentence
from .plain_values import OWNERS, counted, listed, shown_value
from .referred_words import fits, found_value, referred
from .window_words import window_words

Proved = Mapping[str, Any]
"""A condition, or a candidate, as a proof shows it."""

_DEMANDED: Final = ("action_attrs", "context_attrs")
"""The sections whose declared attributes a request may send with other values (C13)."""

_AS_REQUIRED: Final = "as required"
"""The words for a value that equals its constant, which need not be repeated."""


def condition_sentence(condition: Proved, effect: str, others_hold: bool) -> str:
    """Returns one sentence or two about a condition.

    `effect` is that of its policy. `others_hold` says whether all other conditions of the policy hold: a rate limit is
    asked only then (C10).

    >>> condition_sentence({"section": "resource_attrs", "key": "status", "op": "eq", "value": "draft",
    ...                     "actual": "final", "holds": False}, "ALLOW", True)
    'The `status` of the resource is "final", but the policy requires it to be "draft".'
    """
    match condition["section"]:
        case "time_window":
            return _time(condition, effect)
        case "ip_allowlist":
            return _address(condition, effect)
        case "rate_limit":
            return _rate(condition, others_hold)
        case _:
            return _comparison(condition, effect)


def _comparison(condition: Proved, effect: str) -> str:
    section, key, op = condition["section"], condition["key"], condition["op"]
    owner, name = OWNERS.get(section, section), quoted(key)
    if condition.get("actual_hidden"):
        follows = consequence(condition["holds"], effect)
        return f"The {name} of the {owner} is a registered value that is not shown here; {follows}."
    if is_of_now(condition):
        actual = "" if condition.get("missing") else _value(condition, "actual")
        return now_sentence(condition, name, str(owner), actual, effect)
    row, constant = OPERATORS.get(op), _constant(condition)
    required = f"the policy requires it {op if row is None else f'to {row.short.infinitive}'} {constant}"
    if condition.get("missing") and condition.get("unreadable"):
        follows = consequence(condition["holds"], effect)
        return f"The request sends no {name} of the {owner} that can be read as the model declares it, so {follows}."
    if condition.get("missing"):
        known = reads_own_key(section, key)
        gone = f"The {name} of the {owner} is not known" if known else f"The request sends no {name} of the {owner}"
        return f"{gone}, {_lacking(condition, required)}."
    found = f"The {name} of the {owner} is {_value(condition, 'actual')}"
    if condition.get("unreadable"):
        follows = consequence(condition["holds"], effect)
        if "value_of" in condition and section not in _DEMANDED:
            return f"{found}, but {_constant(condition)} can't be read as the model declares it, so {follows}."
        return f"{found}, which can't be read as the type that it must have, so {follows}."
    if "value_of" in condition and not fits(condition):
        return f"{found}, but {_unfit(condition, effect)}."
    if condition["holds"]:
        return f"{found}, {_held(condition, row, constant)}."
    return f"{found}, but {required}."


def _lacking(condition: Proved, required: str) -> str:
    """Returns what follows if an attribute is missing. It holds only in a DENY, for a required one (C12)."""
    if not condition["holds"]:
        return f"and {required}"
    if condition["section"] == "context_attrs" or "value_of" not in condition:
        return "which the model requires, so the DENY holds"
    return f"and {referred(condition['value_of'])} is missing, which the model requires, so the DENY holds"


def _constant(condition: Proved) -> str:
    """Returns the words for what a comparison compares with."""
    if "value_of" in condition:
        return f"{referred(condition['value_of'])} ({found_value(condition)})"
    return _values(condition) if TAKES_LIST.get(condition["op"]) else _value(condition, "value")


def _unfit(condition: Proved, effect: str) -> str:
    """Returns the words for a referred value that can't be read. A DENY then holds, any other does not (X2)."""
    value = "missing" if condition["value"] is None else f"{found_value(condition)}, which does not fit"
    follows = consequence(condition["holds"], effect)
    return f"{referred(condition['value_of'])} is {value}, so {follows}"


def _held(condition: Proved, row: OperatorRow | None, constant: str) -> str:
    """Returns how a value fulfils a comparison. A newer service may have operators that this program has not."""
    op = condition["op"]
    if op == Operator.EQ:
        return f"which is {referred(condition['value_of'])}" if "value_of" in condition else _AS_REQUIRED
    return f"{op} {constant}" if row is None else f"which {row.short.states} {constant}"


def _time(condition: Proved, effect: str) -> str:
    window = condition["value"]
    words = window_words(window) if isinstance(window, Mapping) else _value(condition, "value")
    if condition.get("missing"):
        found = f"The service's clock shows {condition['clock']}" if "clock" in condition else "The clock can't be read"
    else:
        found = f"The time is {_value(condition, 'actual')}"
        if read_instant(condition["actual"]) is None:
            return _unreadable(found, f"a time {words}", condition["holds"] and effect == "DENY")
    return f"{found}, within: {words}." if condition["holds"] else f"{found}, but the policy requires a time {words}."


def _address(condition: Proved, effect: str) -> str:
    blocks, key = _values(condition), quoted(condition["key"])
    if condition.get("missing"):
        return f"The request sends no {key} of the context, and the policy requires an address in {blocks}."
    found = f"The address in {key} of the context is {_value(condition, 'actual')}"
    if read_address(condition["actual"]) is None:
        return _unreadable(found, f"an address in {blocks}", condition["holds"] and effect == "DENY")
    return f"{found}, within {blocks}." if condition["holds"] else f"{found}, but the policy requires one in {blocks}."


def _unreadable(found: str, required: str, holds: bool) -> str:
    """Returns the words for a gate whose input can't be read: that of a DENY holds, any other does not (C7)."""
    effect = "so the DENY holds as if it were" if holds else "so the condition does not hold"
    return f"{found}, which can't be read as {required}, {effect}."


def _rate(condition: Proved, others_hold: bool) -> str:
    limit = condition["value"]
    words = f"{counted(limit['limit'], 'evaluation')} in {counted(limit['window_seconds'], 'second')}"
    if condition.get("missing"):
        reason = "nothing counts here" if others_hold else "another condition does not hold"
        return f"The rate limit of {words} is not decided, because {reason}."
    found = f"This is evaluation {condition['actual']}, and the rate limit is {words}"
    return f"{found}." if condition["holds"] else f"{found}, so it is reached."


def _values(condition: Proved) -> str:
    """Returns the constants of a list, and how many more there are."""
    constants = condition["value"]
    if not isinstance(constants, list):
        return _value(condition, "value")
    return listed([shown_value(one) for one in constants], "or") if constants else "nothing"


def _value(condition: Proved, name: str) -> str:
    """Returns a value as JSON. Of a value that the proof cuts, it is the start."""
    value = condition[name]
    return f"{value}…" if condition.get(f"{name}_cut") else shown_value(value)
