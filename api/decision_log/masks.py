"""Masks: what of a request stays out of the decision log, by environment."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from ...bundles.prepared import prepared
from .mask_paths import BadPath, Path, read_path, replaced

EVERY: Final = "*"
"""The name under which masks count for every environment."""

HASH_CHARACTERS: Final = 32
"""The characters of a hash: 128 bits, in hexadecimal."""

LEAST_KEY_CHARACTERS: Final = 32
MOST_BYTES: Final = 2**20
"""The most bytes of the masks."""

_DROPPED: Final = object()
_DECODER: Final = msgspec.json.Decoder()
_ENCODER: Final = msgspec.json.Encoder()
_ORDERED: Final = msgspec.json.Encoder(order="deterministic")


class BadMasks(ValueError):
    """The masks can't be used. The message is one sentence."""


@prepared
class Mask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to do with the value at a path of the request."""

    path: str
    do: Literal["drop", "hash"]


_MASKS: Final = msgspec.json.Decoder(dict[str, list[Mask]])


class Masks:
    """The masks of all environments. `key` is the secret of hashes: with it, a value can be guessed and tried."""

    def __init__(self, by_environment: Mapping[str, Sequence[Mask]] | None = None, key: bytes | None = None) -> None:
        """Raises BadMasks if a path can't be read, or values are hashed and there is no key."""
        self._key = key
        self._steps: dict[str, list[tuple[Path, bool]]] = {}
        for environment, masks in (by_environment or {}).items():
            self._steps[environment] = [(_path(mask), mask.do == "hash") for mask in masks]
        if key is None and any(hashes for masks in self._steps.values() for _, hashes in masks):
            raise BadMasks("the masks hash values, and there is no key for that; set `WRIT_DECISION_LOG_HASH_KEY`")

    def are_for(self, environment: str | None) -> bool:
        """Returns whether an environment has masks."""
        return bool(self._steps) and bool(self._of(environment))

    def applied(self, environment: str | None, request: bytes) -> bytes | None:
        """Returns a request with the masks of an environment, or None if it has nothing that they are about."""
        masks = self._of(environment)
        if not masks:
            return None
        value, found = _DECODER.decode(request), False
        for path, hashes in masks:
            change = self._hashed if hashes else _dropped
            found = replaced(value, path, change, _DROPPED) or found
        return _ENCODER.encode(value) if found else None

    def _of(self, environment: str | None) -> list[tuple[Path, bool]]:
        return [*self._steps.get(EVERY, ()), *self._steps.get(environment or "", ())]

    def _hashed(self, value: Any) -> str:
        """Equal values of one JSON type have equal hashes."""
        assert self._key is not None
        digest = hmac.new(self._key, _ORDERED.encode(value), hashlib.sha256).hexdigest()
        return f"hmac-sha256:{digest[:HASH_CHARACTERS]}"


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


def _dropped(_value: Any) -> object:
    return _DROPPED
