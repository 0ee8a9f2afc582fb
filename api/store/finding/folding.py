"""The form in which texts are compared when a part of them is sought."""

from typing import Final
from unicodedata import category, combining, normalize

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs"})
"""The general categories of control characters, of format characters and of surrogates (Unicode 4.5)."""


def fold(text: str) -> str:
    """Returns a text without its case, its marks, its compatibility forms and its invisible characters.

    It is NFKD of the case-folded NFKD (Unicode 3.13), without combining marks.

    >>> fold("José"), fold("STRASSE") == fold("Straße"), fold("İzmir"), fold("ad\u200bmin")
    ('jose', True, 'izmir', 'admin')
    """
    if text.isascii() and text.isprintable():
        return text.lower()
    decomposed = normalize("NFKD", normalize("NFKD", text).casefold())
    return "".join(one for one in decomposed if not combining(one) and category(one) not in _UNSEEN)
