"""The header fields of a gateway's request, read strictly: one that is sent twice, under any name, is refused."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final, Self

from msgspec import Struct

from .header_names import are_plain, read_as

MOST_VALUE: Final = 8_192
"""The characters of a field that is read."""

_MOST_NAMES: Final = 4_096
"""The names of fields that a worker remembers. They come from the code, the settings and the routes."""


class GatewayRefused(Exception):
    """The gateway's request is refused: 403. The message is one sentence for the log of the gateway."""


class Headers(Struct, frozen=True, gc=False):
    """The fields of a request: a value of each by its lower-case name, and the names of those that came twice.

    `is_plain` is whether every name is read in one way. If not, a field that is read may be there under another name.
    """

    fields: Mapping[bytes, bytes]
    repeated: Collection[bytes] = ()
    is_plain: bool = True

    @classmethod
    def once(cls, fields: Mapping[bytes, bytes]) -> Self:
        """Returns the fields of a request in which no name came twice. The names are in lower case."""
        return cls(fields, (), are_plain(fields))

    @classmethod
    def of(cls, fields: Iterable[tuple[bytes, bytes]]) -> Self:
        """Returns the fields of a list that may have a name twice, in any case."""
        return cls.of_lower([(name.lower(), value) for name, value in fields])

    @classmethod
    def of_lower(cls, fields: Collection[tuple[bytes, bytes]]) -> Self:
        """Returns the fields of a list that may have a name twice, all in lower case."""
        found = dict(fields)
        if len(found) == len(fields):  # PERF: so it is for almost every request
            return cls.once(found)
        repeated = {name for name, count in Counter(name for name, _ in fields).items() if count > 1}
        return cls(found, repeated, are_plain(found))

    def one(self, name: str) -> str | None:
        """Returns the value of a field, or None if it is not there. An empty value counts as missing.

        Raises Refused if the field is there twice, also under another name that some backend reads as this one, or if
        it is too long, or not visible ASCII.
        """
        key = field_key(name)
        if not (self.is_plain and _is_plain(key)):
            self._refuse_others(name, key)
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

    def _refuse_others(self, name: str, key: bytes) -> None:
        for other in self.fields:
            if other != key and read_as(other) == read_as(key):
                raise GatewayRefused(
                    f"`{other.decode('latin-1')}` is read as `{name}` by some backends; let the gateway remove it"
                )

    def several(self, names: tuple[str, ...]) -> list[str | None]:
        """Returns the values of several fields, each as `one` does, and raises what it raises.

        The names themselves are plain. PERF: a field in order is read here, as in `one`.
        """
        found: list[str | None] = []
        if not self.is_plain:
            return [self.one(name) for name in names]
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


@lru_cache(_MOST_NAMES)
def _is_plain(key: bytes) -> bool:
    return are_plain((key,))
