"""A model as text in the `.writ` language."""

import json
from collections.abc import Sequence

import msgspec

from ..language.writing.model import ModelText
from ..model.elements import LISTS, ElementKind
from .form import Form


class TextForm(Form):
    """Writes text. Lists that are empty are left out, because the language has no lists of statements."""

    def __init__(self) -> None:
        self._text = ModelText()

    def begin(self) -> bytes:
        """Returns nothing: a text has no version."""
        return b""

    def elements(self, kind: ElementKind, bodies: Sequence[bytes], _first: bool) -> bytes:
        """Returns the statements."""
        shape = LISTS[kind]
        # Decoded by `json`: msgspec reads an integer of more than 64 bits as a real number.
        texts = (self._text.statement(kind, msgspec.convert(json.loads(body), shape)) for body in bodies)
        return "".join(texts).encode()

    def end_list(self, _kind: ElementKind, _empty: bool) -> bytes:
        """Returns nothing."""
        return b""

    def end(self) -> bytes:
        """Returns nothing."""
        return b""
