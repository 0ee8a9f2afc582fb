"""Finds the errors of a stored model: those that this Writ finds in what an earlier one has stored."""

from typing import Final, NamedTuple

from ....bundles.wording import quoted
from ....bundles.zones import zone_names
from ....compiler.limits import DEFAULTS, Limits
from ....compiler.lint_model import ModelWarning, model_errors
from ....compiler.model.elements import ElementKind, Model
from ..database.connection import Connection
from ..elements.kinds import KINDS
from ..environments import Environment
from .reading import model_of

_UNREAD: Final = (ElementKind.SUBJECTS, ElementKind.RESOURCES, ElementKind.GRANTS)
"""The lists that may have millions of elements, and in which no newer Writ finds more than an older one."""


class StoredErrors(NamedTuple):
    """The errors of a stored model, the first ones as sentences, and how many more there are."""

    sentences: tuple[str, ...]
    unlisted: int = 0

    @property
    def all(self) -> tuple[str, ...]:
        """The sentences, with one about those that are not listed."""
        return (*self.sentences, f"and {self.unlisted} more") if self.unlisted else self.sentences


NO_ERRORS: Final = StoredErrors(())


def stored_errors(db: Connection, environment: Environment, limits: Limits = DEFAULTS) -> StoredErrors:
    """Returns the errors of an environment's model. A server goes on with them, since access must not end by them."""
    return errors_of(model_of(db, environment, _UNREAD), limits)


def errors_of(model: Model, limits: Limits = DEFAULTS) -> StoredErrors:
    """Returns the errors of a model."""
    found = model_errors(model, zone_names(), limits)
    return StoredErrors(tuple(map(_sentence, found.listed)), found.unlisted)


def _sentence(found: ModelWarning) -> str:
    said = f"{found.message}; {found.help}" if found.help else found.message
    if found.element is None:
        return f"`{found.kind}`: {said}"
    kind = KINDS[found.kind]
    return f"the {kind.noun} {quoted(':'.join(kind.key_of(found.element)))}: {said}"
