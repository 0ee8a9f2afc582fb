"""Names the required attributes of the context that a denied request lacks (C12)."""

from dataclasses import replace
from typing import Final

from ...bundles.wording import joined, quoted
from ..requests.members import Attributes
from ..rules.conditions import lacks
from ..rules.reasons import Answer, ReasonCode
from ..rules.specialise import Specialised

MOST_NAMED: Final = 8
"""The attributes that a reason names. It counts the others."""


def naming_lack(answer: Answer, specialised: Specialised, c: Attributes) -> Answer:
    """Returns the same answer. If the rule that denied, or an ALLOW that failed, lacks attributes, its reason says so.

    `c` is the context of the request.
    """
    denied_by, code = answer.context.get("denied_by"), answer.context["reason_code"]
    if denied_by is not None:
        rules = [rule for rule in specialised.denies if rule.clause.policy == denied_by]
    else:
        rules = [*specialised.allows] if code == ReasonCode.CONDITION_FAILED else []
    keys = sorted({key for rule in rules for key in rule.body.required if lacks(c, key)})
    if not keys:
        return answer
    names = [quoted(f"context.{key}") for key in keys[:MOST_NAMED]]
    if len(keys) > MOST_NAMED:
        names.append(f"{len(keys) - MOST_NAMED} more")
    reason = f"{answer.context['reason']}; the request lacks {joined(names, 'and')}, which the model requires"
    return replace(answer, context=answer.context | {"reason": reason})
