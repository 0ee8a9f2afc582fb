"""Opens what `writ diff` compares: documents, a bundle, an environment of a store, or a revision in git."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from ....bundles import zones
from ....bundles.errors import BundleError
from ....bundles.file.header import MAGIC
from ....bundles.file.in_memory import bundle_in_memory
from ....bundles.file.reader import Bundle, open_bundle
from ....compiler.compile import compile_model
from ....compiler.model.elements import Model
from ....compiler.source import Source
from ...engines.live.build import NoSources, check_sources, sources_of
from ...review.testing.reading import Question
from ...store.database.opening import FILE
from ...store.errors import NotFound, StoreUnavailable
from ...store.store import Store
from ..output import CommandFailed, os_sentence
from ..sentences import bundle_sentence, summary
from ..testing.source_model import SourceModel, is_bundle, tested_bundle
from .revisions import revision_sources


@dataclass(frozen=True)
class Side:
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
        return bundle_in_memory(compile_model(self.model, zones.zone_data, zones.VERSION).write)

    @cached_property
    def _tested(self) -> SourceModel:
        return tested_bundle(self.bundle)

    def answer(self, asked: Question, now: float) -> dict[str, Any]:
        """Returns the decision on a request, or the filter of a search. Raises CommandFailed for a damaged bundle."""
        try:
            if asked.is_search:
                return self._tested.search(asked.request, now, with_results=False)
            return self._tested.decide(asked.request, now)
        except BundleError as ex:
            raise CommandFailed(f"{self.name}: {ex}") from None


def open_side(text: str, env: str) -> Side:
    """Returns the model that a text names: a path that exists, or else `REVISION:PATH`.

    `env` is the environment of a store. Raises CommandFailed for what can't be read, and for a model with errors.
    """
    path = Path(text)
    try:
        if (path / FILE).is_file():
            return Side(f"{text} ({env})", _stored(path, env))
        if not path.exists() and ":" in text:
            sources = revision_sources(text)
        elif path.is_file() and is_bundle(path):
            return Side(text, None, open_bundle(path))
        else:
            sources = sources_of([path])
        if len(sources) == 1 and sources[0].data.startswith(MAGIC):
            return Side(text, None, bundle_in_memory(lambda file: file.write(sources[0].data)))
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except BundleError as ex:
        raise CommandFailed(bundle_sentence(path, ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    return Side(text, _checked(sources))


def _checked(sources: Sequence[Source]) -> Model:
    checked = check_sources(sources)
    if checked.model is None:
        click.echo(checked.shown, nl=False, err=True)
        click.echo(summary(checked.diagnostics), err=True)
        raise CommandFailed("a model with errors can't be compared")
    return checked.model


def _stored(directory: Path, env: str) -> Model:
    try:
        store = Store.open(directory)
        try:
            return store.read_model(env)[1]
        finally:
            store.close()
    except (NotFound, StoreUnavailable) as ex:
        raise CommandFailed(str(ex)) from None
