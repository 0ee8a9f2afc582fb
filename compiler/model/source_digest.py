"""The digest of a model. Models that differ only in repeats, or in an order without meaning, have the same digest."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TypeVar

from .elements import LISTS, Element, ElementKind, Model
from .normal_form import canonical_json, normalised

Read = TypeVar("Read", bound=Element)

_SIZE = sha256().digest_size
_LATER = (
    ElementKind.EXTENSIONS,
    ElementKind.REQUESTS,
    ElementKind.ROUTES,
    ElementKind.ATTRIBUTES,
    ElementKind.LINTS,
)


class SortedDigests:
    """SHA-256 digests, which are iterated in order. PERF: a million take 32 MiB instead of 90 MiB."""

    def __init__(self) -> None:
        self._by_first_byte = [bytearray() for _ in range(256)]

    def add(self, digest: bytes) -> None:
        """Adds a digest."""
        self._by_first_byte[digest[0]] += digest

    def __iter__(self) -> Iterator[bytes]:
        """Yields the digests in order."""
        for some in self._by_first_byte:
            yield from sorted(bytes(some[at : at + _SIZE]) for at in range(0, len(some), _SIZE))


def source_digest(model: Model, grants: SortedDigests | None = None) -> str:
    """Returns the hexadecimal SHA-256 over the digests of the elements of each list: sorted, but of routes in order.

    `grants` are the digests of its grants, if they are known. A model without any of the later lists has the digest
    that it had before there were these lists.
    """
    digest = sha256()
    for name in LISTS:
        elements = getattr(model, name)
        if name in _LATER and not elements:
            continue
        digest.update(f"{name}\n".encode())
        found: Iterable[bytes] = map(_digest, elements)
        if name == ElementKind.GRANTS and grants is not None:
            found = grants
        elif name != ElementKind.ROUTES:
            found = sorted(found)
        for one in found:
            digest.update(one)
    return digest.hexdigest()


def digested(elements: Iterable[Read], digests: SortedDigests) -> Iterator[Read]:
    """Yields elements, and adds the digest of each to `digests`."""
    for element in elements:
        digests.add(_digest(element))
        yield element


def _digest(element: Element) -> bytes:
    """Returns the SHA-256 of the normal form of an element, as JSON without default values."""
    return sha256(canonical_json(normalised(element))).digest()
