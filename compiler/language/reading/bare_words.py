"""Checks words without quotes in conditions: one that could mean more than a text is no constant."""

from collections.abc import Mapping

from ....bundles.wording import quoted
from ..placed import Placed
from ..syntax_fault import SyntaxFault

_PRESENCE = "a comparison with an absent attribute is false, and `is present` alone tests for presence"
_COMPARES = "a condition compares with a constant, never with an attribute"
_MEANINGS: Mapping[str, str] = {
    **dict.fromkeys(("missing", "absent", "present", "unset", "set", "defined", "undefined"), _PRESENCE),
    **dict.fromkeys(("none", "nil", "null", "nothing", "exists"), _PRESENCE),
    **dict.fromkeys(("empty", "blank"), 'an empty text is `""`, and an empty array `[]`'),
    **dict.fromkeys(("now", "today"), "times are in `from` and `until`, or the application sends the outcome"),
}
"""Advice for the author, by the words that could mean more than a text."""

_ENTITIES = frozenset(("subject", "resource", "action", "context", "principal", "user"))
"""Words that could mean an entity. As the type of one, each is a plain text."""


def check_bare_words(constant: Placed, key: str) -> None:
    """Raises SyntaxFault for a word without quotes in a constant that is compared with the attribute `key`.

    Such a word is one of other languages for an absent value, a time or an entity, or it is the attribute's own name.
    """
    if constant.type == "text":
        _check_word(constant, key)
        return
    rest = [constant] if constant.parts else []
    while rest:
        found = rest.pop()
        if found.type == "text":
            _check_word(found, key)
        elif isinstance(found.parts, dict):
            rest += (value for _, value in found.parts.values())
        elif found.parts:
            rest += found.parts


def _check_word(constant: Placed, key: str) -> None:
    word: str = constant.value
    known = _MEANINGS.get(word.casefold(), "")
    if word in (key, key.rpartition(".")[2]) or (word in _ENTITIES and key != "type"):
        known = _COMPARES
    if known and constant.text[0] not in "\"'":
        in_quotes = quoted(f'"{word}"')
        message = f"{quoted(word)} without quotes could mean more than a text"
        raise SyntaxFault(message, constant.start, constant.end, f"write {in_quotes} for the text; {known}")
