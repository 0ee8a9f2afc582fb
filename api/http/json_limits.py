"""The limits of a decoded JSON value: its nesting, and the length of its strings and keys."""

from typing import Any, TypeAlias

from ...bundles.json_members import place_of
from ..settings.settings import HttpLimits
from .rejections import BodyRejected

Container: TypeAlias = "dict[str, Any] | list[Any]"

_MOST_BYTES_PER_CHARACTER = 4


def check_bounds(value: Container, limits: HttpLimits) -> None:
    """Checks that `value`, a decoded JSON object or array, keeps every limit. The outermost value is level 1.

    The loop runs level by level, without recursion: `value` may nest as deep as the parser allows.

    Raises:
        BodyRejected: a limit is exceeded. The error has the numbers and the path.
    """
    # PERF: all but plain bodies pass here. Paths are computed only for a fault. With the path of each one at hand,
    # a body of many small containers took four times as long.
    most_characters = limits.key_characters
    surely_short = limits.string_bytes // _MOST_BYTES_PER_CHARACTER
    level: list[Container] = [value]
    for _ in range(limits.nesting):
        below: list[Container] = []
        for container in level:
            if isinstance(container, dict):
                for key in container:
                    if len(key) > most_characters:
                        raise _long_key(value, container, key, limits)
            for member in container.values() if isinstance(container, dict) else container:
                kind = member.__class__
                if kind is dict or kind is list:
                    below.append(member)
                elif kind is str and len(member) > surely_short:
                    _check_string(value, member, limits)
        if not below:
            return
        level = below
    raise too_deep(limits, place_of(value, level[0]))


def too_deep(limits: HttpLimits, path: str = "$") -> BodyRejected:
    """Returns the error for a body that nests deeper than the limit, or deeper than the parser can read."""
    return BodyRejected("too-deep", f"the body nests deeper than {limits.nesting} levels", path)


def _long_key(value: Container, owner: Container, key: str, limits: HttpLimits) -> BodyRejected:
    message = f"a key has {len(key)} characters, the limit is {limits.key_characters}"
    return BodyRejected("key-too-long", message, place_of(value, owner))


def _check_string(value: Container, text: str, limits: HttpLimits) -> None:
    length = len(text.encode())
    if length > limits.string_bytes:
        message = f"a string has {length} bytes, the limit is {limits.string_bytes}"
        raise BodyRejected("string-too-long", message, place_of(value, text))
