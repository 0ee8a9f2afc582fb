"""The kinds of elements that are managed one by one over HTTP: their paths, and the members of their keys."""

from dataclasses import dataclass
from typing import Final

from ....compiler.model.elements import SINGLE_MEMBERS, ElementKind
from ...http.raw_paths import segment
from ...store.elements import kinds
from ...store.errors import ElementKey


@dataclass(frozen=True, slots=True)
class ServedKind:
    """A list of the model document with its path. `name` is the list's name. `key` has the path's parameters."""

    name: ElementKind
    noun: str
    key: tuple[str, ...]

    @property
    def ordering(self) -> tuple[str, ...]:
        """Returns the parameters that place an element in its list: only the order of routes has a meaning."""
        return ("before",) if self.name == ElementKind.ROUTES else ()

    @property
    def segment(self) -> str:
        """Returns the list's name in a path."""
        return self.name.replace("_", "-")

    @property
    def list_path(self) -> str:
        """Returns the template of the list's path."""
        return f"/v1/environments/{{env}}/{self.segment}"

    @property
    def batch_path(self) -> str:
        """Returns the template of the path for batches."""
        return f"{self.list_path}:batch"

    @property
    def element_path(self) -> str:
        """Returns the template of an element's path."""
        return "/".join((self.list_path, *(f"{{{name}}}" for name in self.key)))

    def path_to(self, env: str, key: ElementKey) -> str:
        """Returns the path of an element."""
        named = [segment(value) for _, value in zip(self.key, key, strict=False)]
        return "/".join(("/v1/environments", segment(env), self.segment, *named))


SERVED_KINDS: Final = tuple(
    ServedKind(kind.name, kind.noun, kind.key) for kind in kinds.KINDS.values() if kind.states_key
)
"""In the order of the model document. Silenced lints have no key, so only the whole model changes them."""

SERVED_MEMBERS: Final = tuple(
    ServedKind(kind.name, kind.noun, ()) for kind in kinds.KINDS.values() if kind.name in SINGLE_MEMBERS
)
"""The members of the model that have one path instead of a list and elements."""
