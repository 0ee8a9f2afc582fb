"""Opens what a user names as a model: documents, a folder of them, a bundle, a store, or `REVISION:PATH` in git."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from ...bundles import zones
from ...bundles.errors import BundleError
from ...bundles.file.header import MAGIC
from ...bundles.file.in_memory import bundle_in_memory
from ...bundles.file.reader import Bundle, open_bundle
from ...compiler.compile import compile_model
from ...compiler.model.elements import Model
from ...compiler.source import Source
from ..engines.live.build import NoSources, check_sources, sources_of
from .git_revisions import revision_sources
from .output import CommandFailed, os_sentence
from .sentences import bundle_sentence, folder_sentence, summary


class NamedModel(NamedTuple):
    """A model and its name. A bundle file is `bundle`, and has no `model`: it does not have the documents."""

    name: str
    model: Model | None
    bundle: Bundle | None = None


def named_model(text: str, env: str) -> NamedModel:
    """Returns the model that a text names: a path that exists, or else `REVISION:PATH`.

    `env` is the environment of a store. Raises CommandFailed for what can't be read, and for a model with errors.
    """
    path = Path(text)
    try:
        if is_store(path):
            return NamedModel(f"{text} ({env})", stored_model(path, env))
        if not path.exists() and ":" in text:
            sources = revision_sources(text)
        elif path.is_file() and is_bundle(path):
            with reading_bundle(path):
                return NamedModel(text, None, open_bundle(path))
        else:
            sources = sources_of([path])
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if len(sources) == 1 and sources[0].data.startswith(MAGIC):
        with reading_bundle(path):
            return NamedModel(text, None, bundle_in_memory(lambda file: file.write(sources[0].data)))
    return NamedModel(text, _checked(sources))


def stored_model(directory: Path, env: str) -> Model:
    """Returns the newest model of an environment in a store. Raises CommandFailed."""
    # Imported here, because a bundle can be opened without a database.
    from ..store.errors import NotFound, StoreUnavailable
    from .stores.store_opening import open_store

    try:
        store = open_store(directory)
        try:
            return store.read_model(env)[1]
        finally:
            store.close()
    except (NotFound, StoreUnavailable) as ex:
        raise CommandFailed(str(ex)) from None


def is_store(path: Path) -> bool:
    """Returns whether a path is a data directory with a store."""
    from ..store.database.opening import FILE

    return (path / FILE).is_file()


def is_bundle(path: Path) -> bool:
    """Returns whether a file begins as a bundle does. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def compiled_bundle(model: Model) -> Bundle:
    """Returns a model compiled to a bundle in memory."""
    return bundle_in_memory(compile_model(model, zones.zone_data, zones.VERSION).write)


@contextmanager
def reading_bundle(path: Path) -> Iterator[None]:
    """Surrounds the use of a bundle file. Raises CommandFailed for a folder in its place, and for a damaged file."""
    if path.is_dir():
        raise CommandFailed(folder_sentence(path))
    try:
        yield
    except BundleError as ex:
        raise CommandFailed(bundle_sentence(path, ex)) from None


def _checked(sources: Sequence[Source]) -> Model:
    checked = check_sources(sources)
    if checked.model is None:
        click.echo(checked.shown, nl=False, err=True)
        click.echo(summary(checked.diagnostics), err=True)
        raise CommandFailed("a model with errors can't be compared")
    return checked.model
