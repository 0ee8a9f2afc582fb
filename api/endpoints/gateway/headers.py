"""The header fields of a gateway's request, read strictly: one that is sent twice is refused."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final, Self

from msgspec import Struct

MOST_VALUE: Final = 8_192
"""The characters of a field that is read."""

_MOST_NAMES: Final = 4_096
"""The names of fields that a worker remembers. They come from the code, the settings and the routes."""


class GatewayRefused(Exception):
    """The gateway's request is refused: 403. The message is one sentence for the log of the gateway."""


class Headers(Struct, frozen=True, gc=False):
    """The fields of a request: a value of each by its lower-case name, and the names of those that came twice."""

    fields: Mapping[bytes, bytes]
    repeated: Collection[bytes] = ()

    @classmethod
    def of(cls, fields: Iterable[tuple[bytes, bytes]]) -> Self:
        """Returns the fields of a list that may have a name twice, in any case."""
        return cls.of_lower([(name.lower(), value) for name, value in fields])

    @classmethod
    def of_lower(cls, fields: Collection[tuple[bytes, bytes]]) -> Self:
        """Returns the fields of a list that may have a name twice, all in lower case."""
        found = dict(fields)
        if len(found) == len(fields):  # PERF: so it is for almost every request
            return cls(found)
        return cls(found, {name for name, count in Counter(name for name, _ in fields).items() if count > 1})

    def one(self, name: str) -> str | None:
        """Returns the value of a field, or None if it is not there. An empty value counts as missing.

        Raises Refused if the field is there twice, too long, or not visible ASCII.
        """
        key = field_key(name)
        value = self.fields.get(key)
        if value is None:
            return None
        if key in self.repeated:
            raise GatewayRefused(f"`{name}` is sent twice")
        text = value.decode("latin-1")
        if len(text) > MOST_VALUE or not (text.isascii() and text.isprintable()):
            raise GatewayRefused(f"`{name}` is too long, or has characters beyond printable ASCII")
        return text or None

    def has(self, name: str) -> bool:
        """Returns whether a field is there, if need be empty."""
        return field_key(name) in self.fields

    def several(self, names: tuple[str, ...]) -> list[str | None]:
        """Returns the values of several fields, each as `one` does, and raises what it raises.

        PERF: a field in order is read here, as in `one`.
        """
        found: list[str | None] = []
        for name, key in _keys(names):
            value = self.fields.get(key)
            if value is None:
                found.append(None)
                continue
            text = value.decode("latin-1")
            if key in self.repeated or len(text) > MOST_VALUE or not (text.isascii() and text.isprintable()):
                found.append(self.one(name))
            else:
                found.append(text or None)
        return found


def needed(name: str, value: str | None) -> str:
    """Returns the value of a field. Raises Refused if it is missing."""
    if value is None:
        raise GatewayRefused(f"`{name}` is missing; set it in the gateway's configuration")
    return value


@lru_cache(_MOST_NAMES)
def field_key(name: str) -> bytes:
    """Returns the name of a field in lower case, as `Headers` has it."""
    return name.lower().encode("ascii")


@lru_cache(_MOST_NAMES)
def _keys(names: tuple[str, ...]) -> tuple[tuple[str, bytes], ...]:
    return tuple((name, field_key(name)) for name in names)
