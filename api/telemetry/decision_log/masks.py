"""Masks: what of a request stays out of the decision log, by environment."""

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from ....bundles.prepared import prepared
from ....bundles.wording import quoted
from .mask_paths import BadPath, Path, also_at, read_path, replaced, unknown_member

EVERY: Final = "*"
"""The name under which masks count for every environment."""

HASH_CHARACTERS: Final = 32
"""The characters of a hash: 128 bits, in hexadecimal."""

DIGEST_CHARACTERS: Final = 16
"""The characters of the digest of masks."""

MOST_HASHES: Final = 4_096
LONGEST_HASHED: Final = 256
"""The hashes that a worker remembers, and the most bytes of the JSON of such a value. Many requests have the same ones.
"""

LEAST_KEY_CHARACTERS: Final = 32
KEY_REMEDY: Final = "set `WRIT_DECISION_LOG_HASH_KEY_FILE` or `WRIT_DECISION_LOG_HASH_KEY`"
MOST_BYTES: Final = 2**20
"""The most bytes of the masks."""

Change: TypeAlias = Callable[[Any], Any]

_DROPPED: Final = object()
_DECODER: Final = msgspec.json.Decoder()
_ENCODER: Final = msgspec.json.Encoder()
_ORDERED: Final = msgspec.json.Encoder(order="deterministic")


class BadMasks(ValueError):
    """The masks can't be used. The message is one sentence."""


@prepared
class Mask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mask: the treatment of the value at a path of the request."""

    path: str
    do: Literal["drop", "hash"]


_MASKS: Final = msgspec.json.Decoder(dict[str, list[Mask]])


class EnvironmentMasks:
    """The masks of one environment, one at least.

    `digest` tells them and their key apart from others. Records have it, so that a replay never takes other masks.
    """

    def __init__(self, steps: Sequence[tuple[Path, Change]], digest: str) -> None:
        self._steps, self.digest = tuple(steps), digest

    @property
    def paths(self) -> Iterator[tuple[Path, bool]]:
        """The masked paths, each with whether its value is dropped."""
        return ((path, change is _dropped) for path, change in self._steps)

    def __len__(self) -> int:
        """Returns the number of masks."""
        return len(self._steps)

    def applied(self, request: bytes) -> tuple[bytes | None, bool]:
        """Returns a request with the masks, and whether it has anything that they are about.

        Of a request with hundreds of levels, which only a raised limit lets in, nothing is left.

        It is always encoded again: of a name that stands twice in an object, only the last value was masked.
        """
        try:
            value = _DECODER.decode(request)
            found = self.apply(value)
            return _ENCODER.encode(value), found
        except RecursionError:
            return None, True

    def apply(self, value: Any) -> bool:
        """Masks a decoded request in place. Returns whether it has anything that the masks are about."""
        found = False
        for path, change in self._steps:
            found = replaced(value, path, change, _DROPPED) or found
        return found


class Masks:
    """The masks of all environments. `key` is the secret of hashes: with it, a value can be guessed and tried."""

    def __init__(self, by_environment: Mapping[str, Sequence[Mask]] | None = None, key: bytes | None = None) -> None:
        """Raises BadMasks if a path can't be read, or values are hashed and there is no key."""
        self._given = given = by_environment or {}
        self._key = key
        if key is None and any(mask.do == "hash" for masks in given.values() for mask in masks):
            raise BadMasks(f"the masks hash values, and there is no key for that; {KEY_REMEDY}")
        self._hmac = hmac.new(key or b"", digestmod=hashlib.sha256)  # PERF: to copy it takes less than to make it
        self._hashes: dict[bytes, str] = {}
        steps = {
            environment: [
                (path, self._hashed if mask.do == "hash" else _dropped)
                for mask in masks
                for path in also_at(_path(mask))
            ]
            for environment, masks in given.items()
        }
        every = steps.pop(EVERY, [])
        self._others = EnvironmentMasks(every, self._digest(EVERY)) if every else None
        self._masks = {
            environment: EnvironmentMasks([*every, *own], self._digest(EVERY, environment))
            for environment, own in steps.items()
            if every or own
        }

    def _digest(self, *names: str) -> str:
        """Returns the digest of the masks under these names. Without the key, it tells nothing about them."""
        listed = [mask for name in dict.fromkeys(names) for mask in self._given.get(name, ())]
        text = b"masks\n" + _ENCODER.encode(listed)
        return hmac.new(self._key or b"", text, hashlib.sha256).hexdigest()[:DIGEST_CHARACTERS]

    def doubts(self, environments: Collection[str] | None) -> Iterator[str]:
        """Yields a sentence for each mask that can't be about anything.

        `environments` are those that there are, or None if that is not known. Such a mask is no error: the environment
        may be made later. But what it should hide is logged.
        """
        for environment, masks in self._given.items():
            if environments is not None and environment not in (EVERY, *environments):
                yield f"the masks of the decision log name the environment {quoted(environment)}, which does not exist"
            for mask in masks:
                unknown = unknown_member(_path(mask))
                if unknown is not None:
                    mask_of = f"the mask {quoted(mask.path)} of the decision log"
                    yield f"{mask_of} hides nothing: no request has {quoted(unknown)}"

    def of(self, environment: str | None) -> EnvironmentMasks | None:
        """Returns the masks of an environment, or None if it has none."""
        return self._masks.get(environment or "", self._others)

    def _hashed(self, value: Any) -> str | None:
        """Equal values have equal hashes, and no others do (C3). Null and an empty text stay: they count as missing.

        PERF: to remember a hash takes a tenth of making it.
        """
        if value is None or value == "":
            return value  # type: ignore[no-any-return]  # one of the two
        text = _ORDERED.encode(_canonical(value))
        return self._hashes.get(text) or self._hash_of(text)

    def _hash_of(self, text: bytes) -> str:
        found = self._hmac.copy()
        found.update(text)
        made = f"hmac-sha256:{found.hexdigest()[:HASH_CHARACTERS]}"
        if len(text) <= LONGEST_HASHED:
            if len(self._hashes) >= MOST_HASHES:
                self._hashes.clear()
            self._hashes[text] = made
        return made


def read_masks(text: bytes) -> dict[str, list[Mask]]:
    """Returns the masks of a JSON document by environment. Raises BadMasks."""
    if len(text) > MOST_BYTES:
        raise BadMasks(f"the masks have more than {MOST_BYTES} bytes")
    try:
        return _MASKS.decode(text)
    except (msgspec.MsgspecError, UnicodeDecodeError) as ex:
        shape = '{"prod": [{"path": "$.subject.properties.email", "do": "hash"}]}'
        raise BadMasks(f"the masks of the decision log can't be read: {ex}; give JSON like `{shape}`") from None


def _path(mask: Mask) -> Path:
    try:
        return read_path(mask.path)
    except BadPath as ex:
        raise BadMasks(f"a mask of the decision log can't be used: {ex}") from None


def _canonical(value: Any) -> Any:
    """Returns a JSON value in which equal numbers have one form: integers and reals are one type (C3).

    >>> _canonical([1.0, 1.5, {"a": -0.0}, True, 1e20])
    [1, 1.5, {'a': 0}, True, 100000000000000000000]
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_canonical(one) for one in value]
    if isinstance(value, dict):
        return {name: _canonical(one) for name, one in value.items()}
    return value


def _dropped(_value: Any) -> object:
    return _DROPPED
