"""Advice for whole phrases of English that a newcomer writes: each is read up to a word that can't stand there."""

import re
from collections.abc import Callable, Sequence

from ...bundles.wording import quoted
from ..diagnostics.synonyms import suggest
from .fault_place import FaultPlace

_AFTER_IS = {
    ("one", "of"): 'write `in` and the list, such as `in "a", "b"`',
    ("any", "of"): 'write `in` and the list, such as `in "a", "b"`',
    ("at", "least"): "write `>=` in the place of `is at least`",
    ("at", "most"): "write `<=` in the place of `is at most`",
    ("greater", "than"): "write `>` in the place of `is greater than`",
    ("more", "than"): "write `>` in the place of `is more than`",
    ("less", "than"): "write `<` in the place of `is less than`",
    ("equal", "to"): "write `is` alone",
}
"""The advice for two words after `is`, of which the first is read as a text."""

_IDS = ("policy", "role", "type", "group")
"""The statements in which one word is the id."""

_SWITCHES = ("enabled", "not", "effect")
"""Words after an id that go on with no id."""

_SECTION_NEXT = re.compile(r"\s*(?:resource|subject|action|context)\.")


def _compared(place: FaultPlace) -> str:
    """Comparisons of several words, and `is` before several constants."""
    if "MATCHES" in place.accepted and place.word.casefold() in ("isnt", "isnot", "aint"):
        return "write `is not`"
    if place.accepted == {"IN"} and place.said(1) == "not":
        return "write `is not` for one value, or `not in` for several"
    if "AND" not in place.accepted or place.found is None:
        return ""
    is_not = place.said(2) == "not" and place.said(3) == "is"
    if is_not and place.said(1) == "in" and place.before[-1].text == "in":
        return "write `not in` without `is`"
    if place.said(2) == "is" and (place.said(1), place.word) in _AFTER_IS:
        return _AFTER_IS[place.said(1), place.word]
    if (
        place.kind == "COMMA"
        and not _SECTION_NEXT.match(place.text, place.found.end)
        and (is_not or place.said(2) == "is")
    ):
        return "write `not in` for several values" if is_not else "write `in` for several values"
    return ""


def _condition(place: FaultPlace) -> str:
    """A constant where a condition starts, and a condition without `when`."""
    if place.accepted == {"ATTRIBUTE"} and place.kind in ("STRING", "NUMBER"):
        if place.said(1) == "and" and place.said(3) == "not":
            return "write `not in` for several values of one attribute, or repeat the attribute after `and`"
        if place.said(1) == "and" and place.said(3) == "is":
            return "write `in` for several values of one attribute, or repeat the attribute after `and`"
        return 'write the attribute first, such as `resource.tag is "x"`'
    if place.word == "and" and "WHEN" in place.accepted and "AND" not in place.accepted and place.found is not None:
        return "write `when` before the first condition" if _SECTION_NEXT.match(place.text, place.found.end) else ""
    return ""


def _glob(place: FaultPlace) -> str:
    if place.said(1) != "matches" or place.kind != "HOSTS":
        return ""
    pattern = place.word[1:].replace(".", r"\.")
    in_quotes = quoted(f"'{pattern}$'")
    return f"`matches` takes a pattern and not a glob: write {in_quotes}"


def _id_of_words(place: FaultPlace) -> str:
    """An id of two words, and a word before the name."""
    on_head = place.statement in _IDS and len(place.before) == 2 and "STRING" in place.accepted
    if not on_head or place.kind != "NAME" or place.found is None:
        return ""
    same_line = "\n" not in place.text[place.before[-1].end : place.found.start]
    if not same_line or place.said(1) in ("allow", "deny") or place.word in _SWITCHES:
        return ""
    if place.word in ("name", "named", "called", "label", "title"):
        return f"leave {quoted(place.word)} out: the name in quotes follows the id"
    if suggest(place.word, place.keywords()):
        return ""
    one, both = f"{place.said(1)}-{place.word}", f"{place.said(1)} {place.word}"
    in_quotes = quoted(f'"{both}"')
    return f"an id is one word, or in quotes: write {quoted(one)} or {in_quotes}; a name after the id is in quotes too"


def _actions(place: FaultPlace) -> str:
    """Words of English among actions: they are read as actions or types."""
    if place.statement != "policy" or place.kind != "NAME" or "WHEN" not in place.accepted:
        return ""
    if place.said(1) in ("all", "every", "each", "any"):
        return f"leave {quoted(place.said(1))} out: a policy is about all resources of the type"
    if place.said(2) in ("and", "or") and place.said(3) == ",":
        return f"leave {quoted(place.said(2))} out: a comma stands between actions"
    return ""


def _gates(place: FaultPlace) -> str:
    """Times, rates and the priority without their keywords."""
    if place.statement != "policy":
        return ""
    if place.accepted == {"NUMBER"} and place.said(1) == "priority":
        return "a priority is a whole number, such as `priority 10`: the higher one is reported first"
    if place.kind == "CLOCK" and "FROM" in place.accepted:
        return f"write `from` before it, such as {quoted(f'from {place.word} until 17:00 in Europe/Oslo')}"
    if (
        place.kind == "NUMBER"
        and "AT" in place.accepted
        and "times" in place.text[place.found_end : place.found_end + 8]
    ):
        return f"write {quoted(f'at most {place.word} times in 1 hour')}"
    if place.kind == "NAME" and "/" in place.word and place.before[-1].type == "CLOCK":
        return f"write `in` before the zone: {quoted(f'in {place.word}')}"
    return ""


def _declared_subject(place: FaultPlace) -> str:
    if place.statement != "declare" or len(place.before) != 1 or place.kind != "NAME":
        return ""
    if place.word in ("user", "users", "service", "person", "employee"):
        return f"write {quoted(f'declare subject {place.word}')}, and then the attributes"
    return ""


PHRASES: Sequence[Callable[[FaultPlace], str]] = (
    _compared,
    _condition,
    _glob,
    _id_of_words,
    _actions,
    _gates,
    _declared_subject,
)
"""The rules about phrases. Each returns its advice, or "" if it has none."""
