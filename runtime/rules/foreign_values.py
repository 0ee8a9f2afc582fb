"""Refuses values that JSON has not, where a condition reads them: a comparison with a Decimal would just be false (C7).

HTTP never sends such values. Inside a Python process, an attribute of a row often is a Decimal, a date or a UUID. A
DENY of amounts over 1,000 would not hold for the Decimal 5,000. So the request is refused, whatever the effect.
"""

from collections.abc import Callable
from math import isfinite
from typing import Final

from ...bundles.conditions.comparisons import Predicate
from ...bundles.conditions.values import Json, NotJson, Unreadable, plain
from ...bundles.program.clauses import AttributeSection
from ..requests.members import BadRequest

_OWNERS: Final[dict[str, str]] = {
    "subject_attrs": "$.subject.properties",
    "resource_attrs": "$.resource.properties",
    "action_attrs": "$.action.properties",
    "context_attrs": "$.context",
}


def carefully(check: Predicate, section: AttributeSection, key: str, unreadable: bool = False) -> Predicate:
    """Returns `check` for a value of any Python type. It raises BadRequest for one that JSON has not.

    An Unreadable gives `unreadable` (C11).
    """
    path = path_of(section, key)

    def checked(value: Json) -> bool:
        if value.__class__ is Unreadable:
            return unreadable
        try:
            return check(plain(value))
        except NotJson as ex:
            raise _refusal(ex, path) from None

    return checked


def plain_at(section: str, key: str) -> Callable[[Json], Json]:
    """Returns the function that makes the value of an attribute plain. It raises BadRequest for one that JSON has not.

    An Unreadable stays what it is.

    An attribute counts as one of `properties`, also if the request sends it in `attributes` (E4).
    """
    path = path_of(section, key)

    def made_plain(value: Json) -> Json:
        if value.__class__ is Unreadable:
            return value
        try:
            return plain(value)
        except NotJson as ex:
            raise _refusal(ex, path) from None

    return made_plain


def refused_at(section: str, key: str) -> Callable[[NotJson], BadRequest]:
    """Returns the function that makes the error of an attribute with a value that JSON has not."""
    path = path_of(section, key)
    return lambda ex: _refusal(ex, path)


def finite(value: Json, section: str, key: str) -> Json:
    """Returns the value of an attribute. Raises BadRequest for NaN and for an infinity, which JSON has not (C7).

    Tests of conditions take them, since that costs nothing. What shows or varies values can't.
    """
    if isinstance(value, float) and not isfinite(value):
        raise BadRequest("JSON has no NaN and no infinity; leave the attribute out", path_of(section, key))
    return value


def path_of(section: str, key: str) -> str:
    """Returns the path of an attribute in a request."""
    return f"{_OWNERS[section]}.{key}"


def _refusal(ex: NotJson, path: str) -> BadRequest:
    return BadRequest(f"{ex}; convert attributes with `writ.as_json`", path)
