"""An engine over model documents that are compiled in memory. Unlike a bundle, it lists subjects and resources."""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from ..api.engines.live.build import CheckedSources, NoSources, check_files
from ..api.review.testing.model_registry import ModelRegistry
from ..bundles import zones
from ..bundles.errors import Error
from ..bundles.file.in_memory import bundle_in_memory
from ..compiler.compile import compile_model
from ..compiler.model.elements import Model
from ..runtime.engine import Engine
from ..runtime.rate_counters import RateCounters
from ..runtime.rates.rate_table import RateTable
from ..runtime.requests.members import BadRequest
from ..runtime.requests.searches import OTHER_SEARCH, Page, read_resource_search, read_subject_search
from ..runtime.shapes import ResourceItem, ResourceSearchRequest, SubjectItem, SubjectSearchRequest
from .registered import registered_resources, registered_subjects


class BadModel(Error, ValueError):
    """A model has errors, or there is none. The message has each error with its place."""


class TestingEngine(Engine):
    """An engine for tests. It answers every question that the service answers: it knows what the model lists."""

    __test__ = False  # pytest must not collect it

    _model: Model

    def pinned(self) -> "TestingEngine":
        """See `Engine.pinned`."""
        (other := cast(TestingEngine, super().pinned()))._model = self._model
        return other

    def counting(self, counters: RateTable) -> "TestingEngine":
        """See `Engine.counting`."""
        return cast(TestingEngine, super().counting(counters))

    def resources(self, request: ResourceSearchRequest | dict[str, Any]) -> Iterator[ResourceItem]:
        """Yields the registered resources on which the subject may do the action, by id (S2).

        The limit of a `page` is ignored, and no token is one of an engine's. Raises BadRequest for a malformed request.
        """
        self.refuse_faults("resource", request)
        search = read_resource_search(request)
        _refuse_token(search.page)
        judge = self.judge_resources(search)
        if judge is None:
            return
        listed = registered_resources(self._model, judge.type_id)
        for id in sorted(listed):
            one, attributes = listed[id], listed[id].attributes or {}
            path = judge.path(id, attributes)
            if path is not None:
                names = {"resource_id": id, "external_id": one.external_id, "name": one.name}
                told = {"actions": list(judge.actions(id, attributes)), "access_path": path}
                yield _item(search.resource_type, id, {**names, **told} if search.options.given else {})

    def subjects(self, request: SubjectSearchRequest | dict[str, Any]) -> Iterator[SubjectItem]:
        """Yields the registered subjects that may do the action on the resource, by id (S2).

        The limit of a `page` is ignored, and no token is one of an engine's. Raises BadRequest for a malformed request.
        """
        self.refuse_faults("subject", request)
        search = read_subject_search(request)
        _refuse_token(search.page)
        judge = self.judge_subjects(search)
        if judge is None:
            return
        listed = registered_subjects(self._model, search.subject_type)
        for id in sorted(listed):
            path = judge.path(id, listed[id].attributes or {})
            if path is not None:
                told = {"external_id": listed[id].external_id, "access_path": path}
                yield _item(search.subject_type, id, told if search.options.given else {})


def _refuse_token(page: Page) -> None:
    """Raises BadRequest if a page continues another search: an engine answers with all results at once."""
    if page.token is not None:
        raise BadRequest(OTHER_SEARCH, "$.page.token")


def _item(type: str, id: str, told: Mapping[str, Any]) -> Any:
    """Returns an item of a search: type and id, and with options in the request, more (S3)."""
    return {"type": type, "id": id} | {name: value for name, value in told.items() if value is not None}


def engine(
    *sources: str | Path,
    strict: bool = True,
    clock: Callable[[], float] = time.time,
    counters: RateTable | None = None,
) -> TestingEngine:
    """Returns an engine over documents, and folders of them, compiled in memory.

    With `strict`, a request that has something undeclared raises BadRequest (E8), so a test finds a typo. `clock`
    returns epoch seconds. Rate limits are counted from zero, or in `counters` (C10).

    Raises BadModel for a model with errors, or sources without a model, and OSError for a path that can't be read.
    """
    try:
        model = _checked(check_files([Path(one) for one in sources]))
    except NoSources as ex:
        raise BadModel(str(ex)) from None
    bundle = bundle_in_memory(compile_model(model, zones.zone_data, zones.VERSION).write)
    made = TestingEngine(bundle, clock, None, counters or RateCounters(), ModelRegistry(model), strict)
    made._model = model
    return made


def _checked(checked: CheckedSources) -> Model:
    if checked.model is None:
        raise BadModel(checked.shown.rstrip())
    return checked.model
