"""The digest of a model. Models that differ only in repeats, or in an order without meaning, have the same digest."""

from collections.abc import Iterable
from hashlib import sha256

from .elements import LISTS, Element, Model
from .normal_form import canonical_json, normalised


def source_digest(model: Model) -> str:
    """Returns the hexadecimal SHA-256 over the sorted digests of the elements of each list.

    The digest of an element is the SHA-256 of its normal form, as JSON without default values.
    """
    digest = sha256()
    for name in LISTS:
        elements: Iterable[Element] = getattr(model, name)
        digest.update(f"{name}\n".encode())
        digest.update(b"".join(sorted(sha256(canonical_json(normalised(element))).digest() for element in elements)))
    return digest.hexdigest()
