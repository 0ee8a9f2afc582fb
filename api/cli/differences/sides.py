"""The two models that `writ diff` compares."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....bundles.errors import BundleError
from ....bundles.file.reader import Bundle
from ....compiler.model.elements import Model
from ...review.testing.file_reading import TestQuestion
from ..named_model import compiled_bundle, named_model
from ..output import CommandFailed
from ..testing.source_model import SourceModel, tested_bundle


@dataclass(frozen=True)
class ComparedModel:
    """One of the compared models: `model` is None for a bundle file, which does not have the model's documents."""

    name: str
    model: Model | None
    given: Bundle | None = None

    @cached_property
    def bundle(self) -> Bundle:
        """The bundle, compiled if it was not given."""
        if self.given is not None:
            return self.given
        assert self.model is not None, "a side is a model or a bundle"
        return compiled_bundle(self.model)

    @cached_property
    def _tested(self) -> SourceModel:
        return tested_bundle(self.bundle)

    def answer(self, asked: TestQuestion, now: float) -> dict[str, Any]:
        """Returns the decision on a request, or the filter of a search. Raises CommandFailed for a damaged bundle."""
        try:
            if asked.is_search:
                return self._tested.search(asked.request, now, with_results=False)
            return self._tested.decide(asked.request, now)
        except BundleError as ex:
            raise CommandFailed(f"{self.name}: {ex}") from None


def open_side(text: str, env: str) -> ComparedModel:
    """Returns the model that a text names (see `named_model`). `env` is the environment of a store.

    Raises CommandFailed for what can't be read, and for a model with errors.
    """
    return ComparedModel(*named_model(text, env))
