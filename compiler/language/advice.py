"""Advice for the author of a statement that can't be read: rules that look at what was found, and where.

Each rule returns its advice, or "" if it has none. The first one that has some counts.
"""

import re
from collections.abc import Callable, Sequence

from ...bundles.wording import quoted
from ..diagnostics.synonyms import suggest
from .advising.attributes import attributes
from .advising.commas import NEGATIONS, and_as_type, comma, comma_too_much
from .advising.comparing import arithmetic, comparing
from .advising.declaring import declaring
from .advising.facts import facts
from .advising.gates import gates
from .advising.meant_numbers import meant_by_marks
from .advising.people import included_roles, people, scopes
from .advising.timing import timing, turned_round
from .fault_place import NAME_LIKE, FaultPlace
from .phrases import PHRASES
from .statements import BLANKS
from .words import STATEMENTS

UNINDENT = "remove the indentation: a statement starts at the beginning of a line"
COMMENT = "a comment starts with `#`"
CONSTANTS = frozenset(("STRING", "NUMBER", "TRUE", "FALSE", "NULL"))
"""The terminals that together mean that a constant may stand at a place."""

_NAMES = frozenset(("NAME", "STRING", "NUMBER"))
_ENTITIES = frozenset(("assign", "grant", "group", "subject", "resource"))
_OF_POLICIES = frozenset(("allow", "and", "at", "deny", "description", "disabled", "priority", "when"))
"""Words that only go on with a policy."""

_COMPARED = {
    "exists": "write `is present`",
    **dict.fromkeys(("contains", "includes"), "write `has` for an element of an array, or `matches` to search a text"),
    **dict.fromkeys(("overlaps", "intersects"), "write `has any of` for arrays with a common element"),
    "between": "write two comparisons, such as `resource.size >= 1 and resource.size <= 9`",
    **dict.fromkeys(("above", "over", "exceeds"), "write `>`"),
    **dict.fromkeys(("below", "under"), "write `<`"),
    **dict.fromkeys(("equals", "equal", "eq"), "write `is`"),
    **dict.fromkeys(("ne", "neq", "differs"), "write `is not`"),
    "starts": "write `matches` with a pattern such as `'^draft'`",
    "startswith": "write `matches` with a pattern such as `'^draft'`",
    "ends": "write `matches` with a pattern such as `'draft$'`",
    "endswith": "write `matches` with a pattern such as `'draft$'`",
}
"""The advice for words of other languages in the place of a comparison."""

_OTHERS = {
    "except": "write it after the roles: `deny everyone except editor to read document`",
    "or": "write a policy for each case, or `in` for several values of one attribute",
    "between": "write `from` and `until`, such as `from 09:00 until 17:00`",
    **dict.fromkeys(("external_id", "external-id", "externalid"), "write `external id`"),
    "limit": "write `at most 5 times in 1 hour`",
    "enabled": "leave it out, or write `disabled`",
    "only": "leave it out: what no policy allows is denied",
    "as": "write `when`",
    "provided": "write `when`",
    **dict.fromkeys(("never", "don", "must", "mustn"), "write a policy with `deny`"),
    "else": "leave it out: what no policy allows is denied",
    "effect": "write `allow` or `deny`",
    "conditions": "write `when`",
}
"""The advice for words of other languages elsewhere."""

_EXCEPTIONS = frozenset(("but", "excepting", "excluding", "minus", "not", "other", "unless", "without"))
"""Words for exceptions after those to whom a policy applies."""

_CONDITION = re.compile(r"\s+(?:(?:when|if)\b|[\w-]+\.)")
"""A condition in the place of roles, behind such a word."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_HOUR = re.compile(r"(?a:(\d{1,2})(?:[:.](\d\d))?\s?([ap])\.?m\.?)", re.IGNORECASE)


def advice(place: FaultPlace) -> str:
    """Returns what the author may do, or "" if no rule knows."""
    return next((text for rule in _RULES if (text := rule(place))), "")


def twelve_hours(word: str) -> str:
    """Returns the time of day that a time with `am` or `pm` means, or "".

    >>> twelve_hours("5pm"), twelve_hours("12:30am"), twelve_hours("17:00")
    ('17:00', '00:30', '')
    """
    found = _HOUR.fullmatch(word)
    if found is None:
        return ""
    hour = int(found[1]) % 12 + (12 if found[3] in "pP" else 0)
    return f"{hour:02}:{found[2] or '00'}"


def _comment(place: FaultPlace) -> str:
    return COMMENT if place.kind == "PATH" and place.word.startswith("//") else ""


def _indentation(place: FaultPlace) -> str:
    if place.found is None or place.word not in STATEMENTS:
        return ""
    line = place.text[: place.found.start].rpartition("\n")[2]
    return UNINDENT if line and not line.strip(BLANKS) else ""


def _policy_without_id(place: FaultPlace) -> str:
    is_effect = place.statement == "policy" and len(place.before) == 2 and place.said(1) in ("allow", "deny")
    return "a policy has an id: write `policy p1 allow editor to read document`" if is_effect else ""


def _braces(place: FaultPlace) -> str:
    if place.kind not in ("LBRACE", "RBRACE") or place.accepted >= CONSTANTS:
        return ""
    if "ATTRIBUTE" in place.accepted:
        return "leave the braces out, and write `and` between conditions"
    return "leave the braces out: a statement ends where the next line starts without indentation"


def _reference(place: FaultPlace) -> str:
    """The type of a subject or a resource without its id."""
    if place.statement not in _ENTITIES or place.kind not in ("$END", "COMMA") or place.accepted - {"$END"} != _NAMES:
        return ""
    if len(place.before) < 2 or place.before[-1].type not in NAME_LIKE:
        return ""
    kind = "document" if place.statement == "resource" else "user"
    has_group = place.statement in ("assign", "group") or place.said(2) == "to"
    group = f", or {quoted(f'group {place.said(1)}')} for a group" if has_group else ""
    return f"write the type and the id, such as {quoted(f'{kind} {place.said(1)}')}{group}"


def _colon(place: FaultPlace) -> str:
    found = place.found
    if found is None or found.type != "COLON":
        return ""
    if place.text[found.end : found.end + 1] in ("", *BLANKS):
        return "leave the colon out"
    if place.statement == "route":
        return "leave the port out"
    return "write a space in its place, or put a name that contains a colon in quotes"


def _anonymous(place: FaultPlace) -> str:
    """The mark of a route at another place than behind the path, where it reads as a method."""
    if place.statement != "route" or place.said(1) != "anonymous" or "PATH" not in place.accepted:
        return ""
    return "write `anonymous` behind the path, such as `GET /public/{id} anonymous`"


def _other_statement(place: FaultPlace) -> str:
    if place.statement == "policy" or place.word not in _OF_POLICIES:
        return ""
    return f"{quoted(place.word)} belongs to a policy, which starts with a line such as `policy p1`"


def _declared_resource(place: FaultPlace) -> str:
    if place.statement != "declare" or place.word != "resource":
        return ""
    return "write the attributes of resources in their type, such as `type document attributes size number`"


def _comparison(place: FaultPlace) -> str:
    if "MATCHES" not in place.accepted:
        return ""
    if place.found is None or place.word == "and":
        attribute = place.before[-1].text
        return f"for a truth value, write {quoted(f'{attribute} is true')}"
    known = _COMPARED.get(place.word.casefold()) or suggest(place.word, place.keywords())
    is_constant = place.kind in NAME_LIKE or place.word in ("true", "false")
    return known or (
        f"write `is` before {quoted(place.word)}" if is_constant and place.word not in NEGATIONS | {"of"} else ""
    )


def _constant(place: FaultPlace) -> str:
    if not place.accepted >= CONSTANTS:
        return ""
    if place.said(1) == "<" and place.word == ">":
        return "write `is not`"
    if place.said(1) == "is" and place.word in ("<", "<=", ">", ">=", "matches"):
        return "leave `is` out"
    if place.kind == "PATH" and place.said(1) == "matches":
        return f"a pattern is in quotes, without slashes: {_in_single_quotes(place.word.strip('/'))}"
    if place.kind in ("PATH", "HOSTS", "CAPTURE", "ADDRESS"):
        return f"put a text in quotes: {_in_quotes(place.word)}"
    if place.found is None and place.before[-1].type in NAME_LIKE:
        return "put a text of several words in quotes"
    return ""


def _after_constant(place: FaultPlace) -> str:
    if "AND" not in place.accepted:
        return ""
    if place.before[-1].type == "NUMBER" and (meant := meant_by_marks(place.text, place.before[-1].start)):
        return meant
    if place.kind == "COMMA":
        return "write `and` between conditions"
    if place.before[-1].type == "NUMBER" and place.kind == "NAME" and place.word.isupper():
        return f"leave the unit out: {quoted(place.said(1))}"
    if (
        place.found is not None
        and place.found.start == place.before[-1].end
        and place.text[place.found.start - 1] == '"'
    ):
        return 'write `\\"` for a quote in a text, or put the text in single quotes'
    if place.said(1) == "in" and place.said(2) == "is":
        return "write `in` without `is`, or put a text of several words in quotes"
    if place.kind != "NAME":
        return ""
    known = _unless(place) or _OTHERS.get(place.word.casefold()) or suggest(place.word, place.keywords())
    if known or place.before[-1].type != "text" or place.before[-1].text.startswith(("'", '"')):
        return known
    return f"put a text of several words in quotes: {_in_quotes(f'{place.said(1)} {place.word}')}"


def _roles(place: FaultPlace) -> str:
    after_who = "TO" in place.accepted and place.accepted <= {"TO", "COMMA", "EXCEPT"} and len(place.accepted) > 1
    if not after_who or place.statement != "policy":
        return ""
    if "EXCEPT" in place.accepted and place.word in _EXCEPTIONS:
        if _CONDITION.match(place.text, place.found_end):
            return _as_condition(place)
        return "write `except` and the roles that are left out: `deny everyone except editor to read document`"
    if place.said(1) == "except":
        return "write `everyone` before `except`"
    if place.said(2) == "except" and place.said(1) == "to":
        return "write the roles that are left out between `except` and `to`"
    if place.word == "or":
        return "write a comma between roles"
    if place.said(1) in ("role", "roles"):
        return f"leave {quoted(place.said(1))} out: only roles can stand here"
    if place.said(1) in ("user", "group", "subject"):
        return "a policy is for roles: give the role by `assign`, or write a `grant` for one subject"
    return "write `to` before the actions: `allow editor to read document`"


def _type(place: FaultPlace) -> str:
    if "EVERYTHING" in place.accepted and place.word in ("on", "a", "an", "the", "any", "of", "in"):
        return f"leave {quoted(place.word)} out: the type follows the actions"
    return ""


def _order(place: FaultPlace) -> str:
    if place.statement == "grant" and "ON" in place.accepted:
        return "write the resource first: `grant read on document d1 to user alice`"
    if place.statement == "assign" and place.accepted == {"TO"}:
        return "write the role, `to`, and the holder: `assign editor to user alice`"
    return ""


def instant_of_date(word: str) -> str:
    """Returns what to write for a date where an instant is needed, or "" for another word.

    >>> instant_of_date("2027-01-01"), instant_of_date("10.0.0.1")
    ('write the instant, with its offset: `2027-01-01T00:00:00Z`', '')
    """
    return f"write the instant, with its offset: {quoted(f'{word}T00:00:00Z')}" if _DATE.fullmatch(word) else ""


def _time(place: FaultPlace) -> str:
    if place.word in ("to", "till", "and") and place.before[-1].type in ("CLOCK", "INSTANT"):
        return "write `until`"
    if not place.accepted & {"CLOCK", "INSTANT"} or place.accepted >= CONSTANTS:
        return ""
    if instant := instant_of_date(place.word):
        return instant
    is_hour = place.kind == "NUMBER" and re.fullmatch("[0-9]{1,2}", place.word)
    clock = f"{place.word:0>2}:00" if is_hour else twelve_hours(place.word)
    return f"write {quoted(clock)}" if clock and "CLOCK" in place.accepted else ""


def _rate(place: FaultPlace) -> str:
    in_rate = place.accepted == {"TIMES"} or (place.accepted == {"NUMBER"} and place.said(1) == "in")
    return "write `at most 5 times in 1 hour`" if in_rate and place.statement == "policy" else ""


def _unless(place: FaultPlace) -> str:
    """A policy with `unless`. In a DENY, the opposite comparison would not hold where the attribute is missing."""
    return _as_condition(place) if place.word == "unless" else ""


def _as_condition(place: FaultPlace) -> str:
    if place.effect == "deny":
        return "write these conditions after `when` in each policy that allows, in the place of this `deny`"
    return "write `when` with the opposite comparison, or a policy with `deny`"


def _word(place: FaultPlace) -> str:
    known = _unless(place) or _OTHERS.get(place.word.casefold(), "")
    return known or (suggest(place.word, place.keywords()) if place.kind == "NAME" else "")


def _quotes(place: FaultPlace) -> str:
    names = "NAME" in place.accepted
    if "PATH" in place.accepted:
        return "a path starts with `/`"
    if place.kind == "NAME" and "STRING" in place.accepted and not names:
        return f"put the whole text in quotes, such as {_in_quotes(place.word)}"
    keywords = place.keywords()
    if place.kind == "STRING" and not names and len(keywords) == 1:
        return f"write {quoted(keywords[0])} before it"
    if place.kind == "ATTRIBUTE" and names:
        return f"put it in quotes: {_in_quotes(place.word)}"
    return ""


def _in_single_quotes(text: str) -> str:
    return quoted(f"'{text}'")


def _in_quotes(text: str) -> str:
    return quoted(f'"{text}"')


_RULES: Sequence[Callable[[FaultPlace], str]] = (
    _comment,
    _indentation,
    timing,
    turned_round,
    comparing,
    arithmetic,
    people,
    included_roles,
    gates,
    scopes,
    declaring,
    facts,
    *PHRASES,
    _policy_without_id,
    _braces,
    comma_too_much,
    _reference,
    _colon,
    _anonymous,
    _other_statement,
    _declared_resource,
    and_as_type,
    attributes,
    _comparison,
    _constant,
    _after_constant,
    _roles,
    _type,
    _order,
    _time,
    _rate,
    _word,
    _quotes,
    comma,
)
