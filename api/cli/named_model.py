"""Opens what a user names as a model: documents, a bundle, `store:DIR#ENV`, or `REVISION:PATH` in git."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import click

from ...bundles import zones
from ...bundles.errors import BundleError
from ...bundles.file.header import MAGIC
from ...bundles.file.in_memory import bundle_in_memory
from ...bundles.file.reader import Bundle, open_bundle
from ...bundles.routing.settings import GatewaySettings
from ...bundles.system_errors import os_sentence
from ...compiler.compile import compile_model
from ...compiler.model.elements import Model
from ...compiler.source import Source
from ..engines.live.build import InvalidModel, NoSources, check_sources, sources_of
from ..review.testing.tested_model import UnusableModel
from .git_revisions import revision_sources
from .output import CommandFailed
from .sentences import bundle_sentence, folder_sentence, summary

if TYPE_CHECKING:
    from ..store.store import Store

_T = TypeVar("_T")


STORE: Final = "store:"
"""The prefix of the name of a store's environment: `store:DIR#ENV`."""


class NamedModel(NamedTuple):
    """A model and its name. A bundle file is `bundle`, and has no `model`: it does not have the documents.

    `sources` are the documents, by their paths in the folder or in the repository. A store has none.
    """

    name: str
    model: Model | None
    bundle: Bundle | None = None
    sources: Sequence[Source] = ()


def named_model(text: str, env: str) -> NamedModel:
    """Returns the model that a text names: `store:DIR#ENV`, a path that exists, or else `REVISION:PATH`.

    `env` is the environment of a store that is named without one. Raises CommandFailed for what can't be read, and for
    a model with errors.
    """
    if text.startswith(STORE):
        return _in_store(*_directory_and_environment(text.removeprefix(STORE), env))
    path = Path(text)
    if is_store(path):
        return _in_store(path, env)
    try:
        return _of_revision(text) if not path.exists() and ":" in text else _at(path)
    except BundleError as ex:
        raise CommandFailed(bundle_sentence(path, ex)) from None
    except NoSources as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    except InvalidModel as ex:
        click.echo(ex.checked.shown, nl=False, err=True)
        click.echo(summary(ex.checked.diagnostics), err=True)
        raise CommandFailed("a model with errors can't be used") from None


def _directory_and_environment(text: str, env: str) -> tuple[Path, str]:
    """Returns the parts of `DIR#ENV`, with `env` if it has none. A folder on the way may have a `#` in its name."""
    directory, _, named = text.rpartition("#")
    return (Path(text), env) if not directory or "/" in named else (Path(directory), named or env)


def _in_store(directory: Path, env: str) -> NamedModel:
    return NamedModel(f"{directory} ({env})", stored_model(directory, env))


def _at(path: Path) -> NamedModel:
    found = _opened([path])
    if isinstance(found, Bundle):
        return NamedModel(str(path), None, found)
    return NamedModel(str(path), _checked(found), sources=found)


def model_at(paths: Sequence[Path]) -> Model | Bundle:
    """Returns the model at some paths: one bundle file, or documents and folders of them.

    Raises InvalidModel for a model with errors, UnusableModel for a bundle beside other sources, BundleError for a
    damaged one, NoSources for a folder without documents, and OSError for a path that can't be read.
    """
    found = _opened(paths)
    return found if isinstance(found, Bundle) else _checked(found)


def _opened(paths: Sequence[Path]) -> Bundle | Sequence[Source]:
    """Returns the bundle at some paths, or the documents. Raises what `model_at` raises but InvalidModel."""
    bundles = [path for path in paths if path.is_file() and _is_bundle(path)]
    if not bundles:
        return sources_of(paths)
    if len(paths) > 1:
        raise UnusableModel(f"`{bundles[0]}` is a bundle, which is a whole model: name no other source beside it")
    return open_bundle(bundles[0])


def stored_model(directory: Path, env: str) -> Model:
    """Returns the newest model of an environment in a store. Raises CommandFailed."""
    return _read_from(directory, lambda store: store.read_model(env)[1])


def stored_gateway(directory: Path, env: str) -> GatewaySettings | None:
    """Returns the gateway settings of an environment in a store, or None if it has none. Raises CommandFailed."""
    return _read_from(directory, lambda store: store.gateway(env))


def _read_from(directory: Path, read: "Callable[[Store], _T]") -> _T:
    # Imported here, because a bundle can be opened without a database.
    from ..store.errors import NotFound, StoreUnavailable
    from .stores.store_opening import open_store

    try:
        store = open_store(directory)
        try:
            return read(store)
        finally:
            store.close()
    except (NotFound, StoreUnavailable) as ex:
        raise CommandFailed(str(ex)) from None


def is_store(path: Path) -> bool:
    """Returns whether a path is a data directory with a store."""
    from ..store.database.sqlite.opening import FILE

    return (path / FILE).is_file()


def _is_bundle(path: Path) -> bool:
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


def _of_revision(text: str) -> NamedModel:
    sources = revision_sources(text)
    if len(sources) == 1 and sources[0].data.startswith(MAGIC):
        return NamedModel(text, None, bundle_in_memory(lambda file: file.write(sources[0].data)))
    in_repository = [Source(source.name.partition(":")[2], source.data) for source in sources]
    return NamedModel(text, _checked(sources), sources=in_repository)


def _checked(sources: Sequence[Source]) -> Model:
    checked = check_sources(sources)
    if checked.model is None:
        raise InvalidModel(checked)
    return checked.model
