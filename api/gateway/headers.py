"""The header fields of a gateway's request, read strictly: one that is sent twice is refused."""

from collections.abc import Iterable
from typing import Final

MOST_VALUE: Final = 8_192
"""The characters of a field that is read."""


class Refused(Exception):
    """The gateway's request is refused: 403. The message is one sentence for the log of the gateway."""


class Headers:
    """The fields of a request, by lower-case name."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Iterable[tuple[bytes, bytes]]) -> None:
        found: dict[bytes, list[bytes]] = {}
        for name, value in fields:
            found.setdefault(name.lower(), []).append(value)
        self._fields = found

    def one(self, name: str) -> str | None:
        """Returns the value of a field, or None if it is not there. An empty value counts as missing.

        Raises Refused if the field is there twice, too long, or not visible ASCII.
        """
        values = self._fields.get(name.lower().encode("ascii"))
        if values is None:
            return None
        if len(values) > 1:
            raise Refused(f"`{name}` is sent twice")
        value = values[0]
        if len(value) > MOST_VALUE or not value.isascii() or not value.decode("ascii").isprintable():
            raise Refused(f"`{name}` is too long, or has characters beyond printable ASCII")
        return value.decode("ascii") or None

    def needed(self, name: str) -> str:
        """Returns the value of a field. Raises Refused also if it is missing."""
        value = self.one(name)
        if value is None:
            raise Refused(f"`{name}` is missing; set it in the gateway's configuration")
        return value
