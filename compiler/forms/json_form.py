"""A model document as JSON, with each element on its own line."""

from collections.abc import Sequence

from ..model.elements import SINGLE_MEMBERS, ElementKind
from .form import Form, value_text


class JsonForm(Form):
    """Writes JSON. An element keeps its bytes."""

    def begin(self) -> bytes:
        """Returns the opening brace and the version."""
        return b'{"model":1'

    def elements(self, kind: ElementKind, bodies: Sequence[bytes], first: bool) -> bytes:
        """Returns the elements, separated by commas."""
        if kind in SINGLE_MEMBERS:
            return b',\n"%s":%s' % (kind.value.encode(), value_text(kind, bodies[0]))
        return (_opening(kind) + b"\n" if first else b",\n") + b",\n".join(bodies)

    def end_list(self, kind: ElementKind, empty: bool) -> bytes:
        """Returns the closing bracket. An empty list is written, too."""
        if kind in SINGLE_MEMBERS:
            return b""
        return _opening(kind) + b"]" if empty else b"]"

    def end(self) -> bytes:
        """Returns the closing brace."""
        return b"}\n"


def _opening(kind: ElementKind) -> bytes:
    return b',\n"%s":[' % kind.value.encode()
