"""The lint `confusable`: a constant that looks like another one, but has other letters, such as a Cyrillic `о` (C3)."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.conditions.values import Json
from ....bundles.wording import Path, quoted
from ...checks.conditions_of import constants_of
from ...checks.declared_attributes import declarations_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy

_ALIKE: Final = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕЅІЈКМНОРСТУХαοιντυρκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\u00a0\u2010\u2011\u2013\u2019",
    "aeopcyxijshdqwABESIJKMHOPCTYXaoivtupkABEZHIKMNOPTYX ---'",
    "\u00ad\u200b\u200c\u200d\u2060\ufeff",
)
"""Cyrillic and Greek letters as the Latin ones that they look like, signs as those of ASCII, and what is invisible."""


def confusable(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each text among constants and declared values that looks like another one of them.

    The warning is about the one that is not ASCII. If neither is, it is about the later one.
    """
    texts = [*_texts(draft, policies)]
    if all(text.isascii() for text, _ in texts):
        return
    first: dict[str, str] = {}
    for text, _ in sorted(texts, key=lambda one: not one[0].isascii()):
        first.setdefault(_shape(text), text)
    told: set[str] = set()
    for text, path in texts:
        other = first[_shape(text)]
        if other != text and text not in told:
            told.add(text)
            letters = " and ".join(dict.fromkeys(map(_name, (one for one in text if one not in other))))
            message = f"{quoted(text)} looks like {quoted(other)}, but has {letters or 'other letters'}"
            yield Finding("confusable", message, path, "write both with the same letters", severity="warning")


def _shape(text: str) -> str:
    """Returns a text as it looks."""
    return unicodedata.normalize("NFKC", text).translate(_ALIKE)


def _name(letter: str) -> str:
    return unicodedata.name(letter, f"U+{ord(letter):04X}").lower()


def _texts(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[tuple[str, Path]]:
    for path, declared in declarations_of(draft):
        for place, value in enumerate(declared.one_of or ()):
            yield from _in(value, (*path, "one_of", place))
    for prepared in policies:
        for _, condition, path in constants_of(prepared.policy, prepared.index):
            yield from _in(condition.value, (*path, "value"))


def _in(value: Json, path: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, str):
        yield value, path
    elif isinstance(value, list):
        for place, one in enumerate(value):
            if isinstance(one, str):
                yield one, (*path, place)
