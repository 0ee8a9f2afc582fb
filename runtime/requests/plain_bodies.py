"""Reads the ordinary bodies of requests as structs whose types have every limit of a body.

The general readers stay the meaning: a body with any other member, an option, a deeper value or a fault is not plain,
and is theirs. So is a body with a member twice, which is lost on decoding (E10). PERF: a plain body is decoded, checked
and read in one step.
"""

import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct, defstruct

from ...bundles.json_members import has_each_once
from .evaluation_request import EvaluationRequest
from .members import MAX_ID_CHARACTERS, Attributes
from .searches import FILTER, GATES

LEVELS: Final = 6
"""The levels of the deepest plain body: a batch, its items, one of them, an entity, its properties and an array."""

LONGEST_MEMBER: Final = 16
"""No name of a member is longer than this many characters in a plain body, beside the names of attributes."""

BYTES_A_CHARACTER: Final = 4
"""The most bytes of a character."""

PlainEvaluation: TypeAlias = Any
"""A struct with the members `subject`, `action`, `resource` and `context`, as `PlainBodies` makes it."""

PlainBatch: TypeAlias = Any
"""A struct with `evaluations`, and with the same members as their defaults. Any of them may be None."""

PlainSearch: TypeAlias = Any
"""A struct like that of an evaluation. `resource` has only a `type`, and `options` have `gates`, which may be None."""


class PlainBodies:
    """The readers of plain bodies. Each returns None for a body that is not plain, or where a limit is too small."""

    def __init__(
        self, key_characters: int | None = None, string_bytes: int | None = None, nesting: int | None = None
    ) -> None:
        """The limits are the characters of a member's name, the bytes of a string, and the levels of a body.

        None means that there is no limit.
        """
        small = (key_characters, LONGEST_MEMBER), (string_bytes, BYTES_A_CHARACTER), (nesting, LEVELS)
        reads = all(limit is None or limit >= least for limit, least in small)
        most = None if string_bytes is None else max(string_bytes // BYTES_A_CHARACTER, 1)
        evaluation, batch, search = _decoders(key_characters, most) if reads else (_reads_nothing,) * 3
        if reads and key_characters is not None:
            batch = _decoder_of_short_keys(key_characters, batch, _decoders(None, most)[1])
        self.evaluation: Callable[[bytes], PlainEvaluation | None] = _reader(evaluation)
        """Returns an evaluation without options."""
        self.batch: Callable[[bytes], PlainBatch | None] = _reader(batch)
        """Returns a batch without options that has items."""
        self.search: Callable[[bytes], PlainSearch | None] = _reader(search)
        """Returns a resource search for a filter alone."""


def _reader(decode: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    def read(body: bytes) -> Any:
        try:
            found = decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        return found if has_each_once(body, found) else None

    return read


def _decoder_of_short_keys(
    most: int, decode: Callable[[bytes], Any], unbounded: Callable[[bytes], Any]
) -> Callable[[bytes], Any]:
    """Returns what `decode` does. PERF: the decoder remembers keys whose length has no bound, in a fifth less time.

    Without escapes, a quotation mark at least after each `most` bytes shows that no string is longer than that.
    """
    has_short_strings = re.compile(rb'(?s)(?>.{0,%d}")*+.{0,%d}' % (most, most)).fullmatch
    return lambda body: (unbounded if b"\\" not in body and has_short_strings(body) else decode)(body)


def _reads_nothing(_body: bytes) -> None:
    return None


def parts_of(
    subject: Any, s: Attributes, action: Any, a: Attributes, resource: Any, r: Attributes, c: Attributes
) -> EvaluationRequest:
    """Returns the parts of a plain request, as `read_evaluation` does."""
    return subject.type, "id", subject.id, s, action.name, a, resource.type, "id", resource.id, r, c, False


def _decoders(key_characters: int | None, most: int | None) -> tuple[Callable[[bytes], Any], ...]:
    """Returns the decoders of evaluations, batches and searches. `most` bounds the characters of a string."""
    name: Any = Annotated[str, Meta(min_length=1, max_length=min(MAX_ID_CHARACTERS, most or MAX_ID_CHARACTERS))]
    key: Any = Annotated[str, Meta(max_length=key_characters)]
    value: Any = Annotated[str, Meta(max_length=most)] | int | float | bool | None
    members: Any = dict[key, value | list[value]] | None
    properties = ("properties", members, None)
    entity: Any = _struct("Entity", ("type", name), ("id", name), properties)
    action: Any = _struct("Action", ("name", name), properties)
    context, resource = ("context", members, None), ("resource", entity)
    asking = ("subject", entity), ("action", action)
    # An entity that is null counts as none, and does not take the default (W3): so it is not plain.
    perhaps = [*((part, type, None) for part, type in (*asking, resource)), context]
    item: Any = _struct("Item", *perhaps)
    gates: Any = Literal[GATES] | None
    options = _struct("Filtered", ("return_", Literal[FILTER], msgspec.field(name="return")), ("gates", gates, None))
    searched = _struct("Searched", ("type", name))
    return (
        _decoder(_struct("Evaluation", *asking, resource, context)),
        _decoder(_struct("Batch", ("evaluations", Annotated[list[item], Meta(min_length=1)]), *perhaps)),
        _decoder(_struct("Search", *asking, ("resource", searched), ("options", options), context)),
    )


def _struct(name: str, *fields: Any) -> type[Struct]:
    return defstruct(name, fields, forbid_unknown_fields=True, omit_defaults=True, gc=False)


def _decoder(type: type[Struct]) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(type).decode
