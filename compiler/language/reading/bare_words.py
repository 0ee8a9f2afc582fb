"""Checks words without quotes in conditions: one that could mean more than a text is no constant."""

import re
from collections.abc import Mapping

from ....bundles.conditions.operators import Operator
from ....bundles.wording import quoted
from ..advising.comparing import ABSENCE
from ..advising.meant_attributes import PEOPLE
from ..advising.timing import PASSES
from ..placed import Placed
from ..syntax_fault import SyntaxFault

_PRESENCE = f"write `is present` for presence; {ABSENCE}"
_COMPARES = "another value of the request has its part before a dot, such as {}"
_MEANINGS: Mapping[str, str] = {
    **dict.fromkeys(("missing", "absent", "unset", "undefined"), _PRESENCE),
    **dict.fromkeys(("none", "nil", "null", "nothing", "exists", "set", "present", "defined"), _PRESENCE),
    **dict.fromkeys(("empty", "blank"), 'an empty text is `""`, and an empty array `[]`'),
    **dict.fromkeys(("now", "today"), "for the moment of the request, write `has passed` or `is still to come`"),
}
"""Advice for the author, by the words that could mean more than a text."""

_ENTITIES = PEOPLE | {"resource", "action", "context"}
"""Words that could mean an entity. As the type of one, each is a plain text."""

_OF_GROUPS = (Operator.IN, Operator.NIN, Operator.HAS_ANY, Operator.HAS_NONE)
_ORDERED = (Operator.LT, Operator.LTE, Operator.GT, Operator.GTE)
_WORD = re.compile(r"[^\W\d][\w-]*")


def check_passing(operator: Placed, constant: Placed, attribute: str) -> None:
    """Raises SyntaxFault for `has expired`, which would search an element: an instant never has one."""
    if operator.value == Operator.HAS and constant.type == "text" and constant.text in PASSES:
        message = f"{quoted(f'has {constant.text}')} could mean more than an element of an array"
        help_text = f"write {quoted(f'{attribute} has passed')}; an element is in quotes"
        raise SyntaxFault(message, operator.start, constant.end, help_text)


def check_bare_words(operator: Placed, constant: Placed, key: str) -> None:
    """Raises SyntaxFault for a word without quotes in a constant that is compared with the attribute `key`.

    Such a word is one of other languages for an absent value, a time or an entity, or it is the attribute's own name.
    """
    if constant.type == "text":
        _check_word(constant, key, operator.value)
        return
    rest = [constant] if constant.parts else []
    while rest:
        found = rest.pop()
        if found.type == "text":
            _check_word(found, key, operator.value)
        elif isinstance(found.parts, dict):
            rest += (value for _, value in found.parts.values())
        elif found.parts:
            rest += found.parts


def _check_word(constant: Placed, key: str, op: str = "") -> None:
    word: str = constant.value
    known = _MEANINGS.get(word.casefold(), "")
    if op in _OF_GROUPS and word == "groups":
        known = "for the groups of the subject, write `subject.groups`"
    elif op in _ORDERED and constant.parts is None and _WORD.fullmatch(constant.text):
        known = _COMPARES.format(quoted("subject.limit" if word in _ENTITIES else f"subject.{word}"))
    elif word in (key, key.rpartition(".")[2]) or (word in _ENTITIES and key != "type"):
        meant = "subject.id" if word in PEOPLE else f"subject.{key.rpartition('.')[2]}"
        known = (
            "a pattern is in quotes, such as `'^draft'`" if op == Operator.REGEX else _COMPARES.format(quoted(meant))
        )
    if known and constant.text[0] not in "\"'":
        in_quotes = quoted(f'"{word}"')
        message = f"{quoted(word)} without quotes could mean more than a text"
        raise SyntaxFault(message, constant.start, constant.end, f"{known}; a text is in quotes: {in_quotes}")
