"""The declared attributes of a model, as a bundle has them in its section `declarations` (C12, E8)."""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from ..conditions.constants import canonical_list
from ..conditions.values import Json
from ..errors import UNREADABLE, BundleError
from .kinds import AttributeKind


class Declared(Struct, frozen=True, array_like=True):
    """The declaration of an attribute. `one_of` has its only values, in canonical order, or is None for any."""

    kind: AttributeKind
    one_of: tuple[Json, ...] | None = None
    required: bool = False


Kinds: TypeAlias = dict[str, Declared]
"""The declarations of attributes, by key."""


class Declarations(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The declared attributes of resources and subjects by type, of actions, and of the context.

    `resources` has the ids of resource types, and `subjects` the types of subjects. What is missing, or None, declares
    nothing, so that a request may send any attribute.
    """

    resources: dict[str, Kinds] = {}
    subjects: dict[str, Kinds] = {}
    action: Kinds | None = None
    context: Kinds | None = None


NO_DECLARATIONS: Final = Declarations()


def declared(kind: AttributeKind, one_of: Collection[Json] | None, required: bool) -> Declared:
    """Returns a declaration in canonical form: equal ones have equal bytes.

    >>> declared("number", [2.0, 1, 1.0], False)
    Declared(kind='number', one_of=(1, 2), required=False)
    """
    return Declared(kind, None if one_of is None else tuple(canonical_list(one_of)), required)


def encode_declarations(declarations: Declarations) -> bytes:
    """Returns the declarations as JSON, always in the same order, or nothing if there are none.

    It is JSON, since MessagePack has no integers over 64 bits.
    """
    if declarations == NO_DECLARATIONS:
        return b""
    members = msgspec.to_builtins(declarations)
    return json.dumps(members, separators=(",", ":"), sort_keys=True).encode()


def decode_declarations(data: bytes, types: Mapping[str, Any]) -> Declarations:
    """Returns the declarations that `encode_declarations` encoded. `types` are the resource types by id.

    Raises BundleError for other bytes, and for declarations of a type that there is not.
    """
    if not data:
        return NO_DECLARATIONS
    try:
        found = msgspec.convert(json.loads(data), Declarations)
    except (msgspec.MsgspecError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: its declarations can't be read: {ex}") from None
    for type in found.resources:
        if type not in types:
            raise BundleError(f"the bundle is damaged: it declares attributes of `{type}`, which is no resource type")
    return found
