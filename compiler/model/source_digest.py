"""The digest of a normalised model: equal for models that differ only in an order, or a repeat, that means nothing."""

from collections.abc import Iterable
from hashlib import sha256

from .elements import LISTS, Element, Model
from .normal_form import canonical_json, normalised


def source_digest(model: Model) -> str:
    """Hexadecimal SHA-256 over the sorted digests of every list's elements, each as JSON without its defaults."""
    digest = sha256()
    for name in LISTS:
        elements: Iterable[Element] = getattr(model, name)
        digest.update(f"{name}\n".encode())
        digest.update(b"".join(sorted(sha256(canonical_json(normalised(element))).digest() for element in elements)))
    return digest.hexdigest()
