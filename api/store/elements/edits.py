"""What a caller may ask to be done to the elements of a model."""

from dataclasses import dataclass
from typing import TypeAlias

from ..environments import Environment
from ..errors import ElementKey
from .bodies import Body


@dataclass(frozen=True, slots=True)
class Create:
    """Add an element to a list. Without an id it gets one (E1): made of what it says for a grant or an assignment."""

    kind: str
    body: Body


@dataclass(frozen=True, slots=True)
class Replace:
    """Put another body in an element's place. `if_match` is the tag that the element must still have, if any."""

    kind: str
    key: ElementKey
    body: Body
    if_match: str | None = None


@dataclass(frozen=True, slots=True)
class Patch:
    """Change an element by a JSON merge patch (RFC 7396)."""

    kind: str
    key: ElementKey
    merge_patch: Body
    if_match: str | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove an element; what refers to it stands in the way, or is taken along where `cascade` says so."""

    kind: str
    key: ElementKey
    cascade: bool = False
    if_match: str | None = None


Edit: TypeAlias = Create | Replace | Patch | Delete


@dataclass(frozen=True, slots=True)
class Stored:
    """An element as it is stored, with its entity tag, without quotes."""

    body: Body
    etag: str


@dataclass(frozen=True, slots=True)
class Committed:
    """What a write left: the environment, and of each edit the element, None where it removed one."""

    environment: Environment
    results: tuple[Stored | None, ...]
