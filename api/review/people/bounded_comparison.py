"""Compares two models by people for a service, within limits: beyond them, the answer names what is not known."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Thread
from typing import Final

from ....compiler.analysis.limits import DEFAULT
from ....compiler.model.elements import ElementKind, Model, ResourceType
from ...store.models.model_pairs import ModelPair, StoredSize
from ..wording.shown_regions import ShownUnknown
from .compared_models import people_between
from .people_answer import PeopleAnswer, people_answer

MOST_ELEMENTS: Final = 300_000
"""The elements of a model that a service compares by people."""

MOST_REGIONS: Final = 200
"""The regions of gains, and of losses, that a service tells."""

COMPARING_SECONDS: Final = 20.0
"""The time that a service takes to compare."""

MANY_ELEMENTS: Final = f"the model has more than {MOST_ELEMENTS} elements; compare it with `writ diff --people`"
TAKES_LONG: Final = f"the comparison takes longer than {COMPARING_SECONDS:g} s; use `writ diff --people`"
FAILED: Final = "the comparison ended early, such as for want of memory; use `writ diff --people`"


@dataclass
class BoundedComparison:
    """A comparison in a process apart, whose end also ends the thread that compares.

    `stored` has the stored model's types and its size. If it does not end, the types of both models are unknown.
    """

    stored: StoredSize
    seconds: float = COMPARING_SECONDS
    most_elements: int = MOST_ELEMENTS
    types: list[ResourceType] = field(init=False)
    _answer: PeopleAnswer | None = field(default=None, init=False)
    _raised: list[BaseException] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.types = [*self.stored.types]

    def run(self, read: Callable[[], ModelPair | None]) -> PeopleAnswer | None:
        """Returns who gains and who loses in the models that `read` returns, or None if it returns none.

        Raises what `read` raises.
        """
        if self.stored.elements > self.most_elements:
            return unknown(self.types, MANY_ELEMENTS)
        thread = Thread(target=self._run, args=(read,), daemon=True)
        thread.start()
        thread.join(self.seconds)
        if thread.is_alive():
            return unknown(self.types, TAKES_LONG)
        for raised in self._raised:
            if isinstance(raised, MemoryError):
                return unknown(self.types, FAILED)
            raise raised
        return self._answer

    def _run(self, read: Callable[[], ModelPair | None]) -> None:
        try:
            models = read()
            if models is not None:
                self.types += models.after.resource_types
                self._answer = self._compared(models)
        except BaseException as ex:  # it is raised in the thread that waits
            self._raised.append(ex)

    def _compared(self, models: ModelPair) -> PeopleAnswer:
        if max(map(_elements, models)) > self.most_elements:
            return unknown(self.types, MANY_ELEMENTS)
        limits = DEFAULT._replace(regions=MOST_REGIONS)
        return people_answer(people_between(models.before, models.after, limits))


def unknown(types: Iterable[ResourceType], reason: str) -> PeopleAnswer:
    """Returns the answer in which every action of some types is unknown for one reason."""
    pairs = {(type.name or type.id, action) for type in types for action in type.actions}
    return PeopleAnswer((), (), tuple(ShownUnknown(*pair, reason) for pair in sorted(pairs)))


def _elements(model: Model) -> int:
    return sum(len(getattr(model, kind)) for kind in ElementKind)
