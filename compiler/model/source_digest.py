"""The digest of a model. Models that differ only in repeats, or in an order without meaning, have the same digest."""

from collections.abc import Iterable
from hashlib import sha256

from .elements import LISTS, Element, ElementKind, Model
from .normal_form import canonical_json, normalised

_LATER = (ElementKind.ROUTES, ElementKind.ATTRIBUTES, ElementKind.LINTS)


def source_digest(model: Model) -> str:
    """Returns the hexadecimal SHA-256 over the digests of the elements of each list: sorted, but of routes in order.

    The digest of an element is the SHA-256 of its normal form, as JSON without default values. A model without any of
    the later lists has the digest that it had before there were these lists.
    """
    digest = sha256()
    for name in LISTS:
        elements: Iterable[Element] = getattr(model, name)
        found = [sha256(canonical_json(normalised(element))).digest() for element in elements]
        if name in _LATER and not found:
            continue
        if name != ElementKind.ROUTES:
            found.sort()
        digest.update(f"{name}\n".encode())
        digest.update(b"".join(found))
    return digest.hexdigest()
