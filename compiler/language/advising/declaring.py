"""Advice about declared attributes: what follows the kind, and what no declaration says."""

from typing import Final, get_args

from ....bundles.declarations.kinds import AttributeKind
from ....bundles.wording import quoted
from ..fault_place import FaultPlace

_KINDS: Final = frozenset(get_args(AttributeKind))
_ELEMENTS: Final = frozenset(("of", "string", "number", "boolean", "element", "elements", "strings", "numbers"))
NO_ELEMENTS: Final = "an array has no kind of elements: write `array` alone"
_NEEDED: Final = frozenset(("mandatory", "needed", "notnull", "nonnull", "obligatory"))


def declaring(place: FaultPlace) -> str:
    """Returns advice about the declaration of an attribute, or ""."""
    if place.statement not in ("type", "declare") or place.said(1) in ("actions", "closed"):
        return ""
    return _after_comma(place) or _last_word(place) or _after_kind(place)


def _last_word(place: FaultPlace) -> str:
    """A word after the kind that was read as the name of another attribute."""
    if place.accepted - {"$END"} > {"NAME", "STRING", "NUMBER"} or "NAME" not in place.accepted:
        return ""
    word, kind = place.said(1), place.said(2)
    return _qualifier(word, kind) if kind in _KINDS or kind in ("list", "set") else ""


def _after_comma(place: FaultPlace) -> str:
    if place.accepted & {"NAME"} and place.said(2) == ",":
        word = place.said(1)
        if word in ("required", "one"):
            return f"remove the comma before {quoted(word)}"
    if place.word == "required" and place.kind_before == "name":
        return "write `required` after the kind, such as `size number required`"
    if place.said(1) == "required" and place.word in _KINDS:
        return "write `required` after the kind: `size number required`"
    return ""


def _after_kind(place: FaultPlace) -> str:
    if place.kind == "$END" or ("ONE" not in place.accepted and "REQUIRED" not in place.accepted):
        return _list_of_values(place)
    if place.kind == "LSQB" and (place.said(3), place.said(2), place.said(1)) == (",", "one", "of"):
        return "remove the comma before `one`"
    if place.said(1) in ("array", "list", "set") and place.kind in ("LSQB", "LESS"):
        return NO_ELEMENTS
    return _qualifier(place.word, place.said(1))


def _qualifier(word: str, kind: str) -> str:
    if kind in ("array", "list", "set") and word in _ELEMENTS:
        return NO_ELEMENTS
    if word in _NEEDED or word == "not":
        return "write `required`"
    if word in ("optional", "nullable", "default", "unique"):
        return f"leave {quoted(word)} out: an attribute that is not `required` may be missing"
    if word in ("in", "oneof", "enum", "values", "among"):
        return 'write `one of` and the list, such as `one of ["a", "b"]`'
    return ""


def _list_of_values(place: FaultPlace) -> str:
    if place.accepted == {"LSQB"} and place.said(1) == "of":
        return 'put the values in brackets: `one of ["a", "b"]`'
    return ""
