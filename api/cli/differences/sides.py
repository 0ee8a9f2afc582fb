"""The two models that `writ diff` compares."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....bundles import zones
from ....bundles.errors import BundleError
from ....bundles.file.in_memory import bundle_in_memory
from ....bundles.file.reader import Bundle
from ....compiler.analysis.models.bundle_side import bundle_side
from ....compiler.analysis.models.model_side import model_side
from ....compiler.analysis.models.sides import Side
from ....compiler.analysis.witnesses.witness import Judge
from ....compiler.compile import Compiled, compile_model
from ....compiler.documents.element_places import ElementPlace, element_places
from ....compiler.language.writing.changes import statement_text
from ....compiler.model.elements import ElementKind, Grant, Model
from ....compiler.source import Source
from ...review.people.compared_models import judge_of
from ...review.testing.file_reading import TestQuestion
from ...review.testing.tested_model import UnusableModel
from ...settings.model_limits import model_limits
from ..model_elements import elements_of
from ..named_model import named_model
from ..output import CommandFailed
from ..testing.source_model import SourceModel, tested_bundle


@dataclass(frozen=True)
class ComparedModel:
    """One of the compared models: `model` is None for a bundle file, which does not have the model's documents.

    `sources` are these documents, unless a store has the model.
    """

    name: str
    model: Model | None
    given: Bundle | None = None
    sources: Sequence[Source] = ()

    @cached_property
    def bundle(self) -> Bundle:
        """The bundle, compiled if it was not given."""
        if self.given is not None:
            return self.given
        return bundle_in_memory(self._compiled.write)

    @cached_property
    def _compiled(self) -> Compiled:
        assert self.model is not None, "a side is a model or a bundle"
        return compile_model(self.model, zones.zone_data, zones.VERSION)

    @cached_property
    def side(self) -> Side:
        """The side of an analysis. Raises CommandFailed for a damaged bundle."""
        if self.model is not None:
            return model_side(self.model, self._compiled)
        try:
            return bundle_side(self.bundle)
        except BundleError as ex:
            raise CommandFailed(f"{self.name}: {ex}") from None

    @cached_property
    def judge(self) -> Judge:
        """The judge of an analysis: the engine on this model."""
        return judge_of(self._tested.decide)

    @cached_property
    def _tested(self) -> SourceModel:
        return tested_bundle(self.bundle, self.model)

    @cached_property
    def places(self) -> Mapping[tuple[ElementKind, str], ElementPlace]:
        """The place of each element in the documents, by list and id."""
        if self.model is None or not self.sources:
            return {}
        found = element_places(self.sources, model_limits(os.environ))
        keyed = elements_of(self.model)
        return {
            (kind, ":".join(key)): place
            for kind, elements in keyed.items()
            for key, place in zip(elements, found[kind], strict=False)
        }

    @cached_property
    def _grants(self) -> dict[str | None, Grant]:
        return {} if self.model is None else {grant.id: grant for grant in self.model.grants}

    def grant_text(self, id: str) -> str | None:
        """Returns a direct grant as a sentence, or None if a bundle does not tell it."""
        found = self._grants.get(id)
        return None if found is None else statement_text(ElementKind.GRANTS, found)

    def answer(self, asked: TestQuestion, now: float) -> dict[str, Any]:
        """Returns the decision on a request, or the filter of a search. Raises CommandFailed for a damaged bundle.

        Also raises it for a request that only a model in documents can answer.
        """
        try:
            if asked.is_search:
                return self._tested.search(asked.request, now, with_results=False)
            return self._tested.decide(asked.request, now)
        except (BundleError, UnusableModel) as ex:
            raise CommandFailed(f"{self.name}: {ex}") from None


def open_side(text: str, env: str) -> ComparedModel:
    """Returns the model that a text names (see `named_model`). `env` is the environment of a store.

    Raises CommandFailed for what can't be read, and for a model with errors.
    """
    return ComparedModel(*named_model(text, env))
