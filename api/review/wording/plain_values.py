"""Shows names and values of a model or a request as data: quoted, and without characters that change the text."""

import json
import re
from collections.abc import Sequence
from typing import Final

from ....bundles.conditions.values import Json
from ....bundles.wording import joined, quoted

OWNERS: Final = {
    "subject_attrs": "subject",
    "resource_attrs": "resource",
    "action_attrs": "action",
    "context_attrs": "context",
}
"""The owner of the attributes, in words, by the section of a condition."""

_WORD: Final = re.compile(r"[\w.:/-]{1,80}")

MOST_LISTED: Final = 10
"""The names or values of a list that a sentence has."""

MOST_CHARACTERS: Final = 200
"""The characters of a value that a sentence has."""


def typed(type: str, id: str) -> str:
    """Returns the words for an entity. A type that is no plain word is quoted, so that it says nothing else.

    >>> print(typed("user", "ann"), typed("everyone else", "ann"))
    user `ann` `everyone else` `ann`
    """
    return f"{type if _WORD.fullmatch(type) else quoted(type)} {quoted(id)}"


def shown_value(value: Json) -> str:
    r"""Returns a value as JSON. What an editor might hide is an escape in it.

    >>> print(shown_value("draft"), shown_value([1, True]), shown_value("\u202edraft"))
    "draft" [1, true] "\u202edraft"
    """
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


def short_value(value: Json) -> str:
    """Returns as `shown_value`, or only the start of it, which ends with an ellipsis.

    >>> short_value("a" * 300)[-3:], len(short_value("a" * 300))
    ('aa…', 201)
    """
    text = shown_value(value)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def short_pattern(pattern: str) -> str:
    r"""Returns a pattern as it is written, between quotes that it does not have, or as JSON.

    >>> print(short_pattern(r"^INC-\d{5,}$"), short_pattern("‮"))
    "^INC-\d{5,}$" "\u202e"
    """
    quote = next((one for one in "\"'" if one not in pattern), None)
    if quote is None or not pattern.isprintable() or len(pattern) > MOST_CHARACTERS:
        return short_value(pattern)
    return f"{quote}{pattern}{quote}"


def listed(words: Sequence[str], conjunction: str) -> str:
    """Returns words as a list for a sentence. Of a long list, it says how many more there are.

    >>> listed(["1", "2"], "or"), listed([str(number) for number in range(12)], "or")
    ('1 or 2', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 or 2 more')
    """
    more = len(words) - MOST_LISTED
    return joined([*words[:MOST_LISTED], f"{more} more"] if more > 0 else words, conjunction)


def counted(number: int, noun: str) -> str:
    """Returns a number with its noun, in the plural unless it is one.

    >>> counted(1, "second"), counted(2, "second")
    ('1 second', '2 seconds')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
