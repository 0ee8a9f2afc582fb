"""The ten operations that have a budget: the same models, requests and caches in every run.

Each is counted several times, and must find the same state each time: either it leaves the state as it found it, or it
has a call that prepares it anew.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import writ.testing
from writ.api.cli.demo import demo_sources
from writ.bundles import zones
from writ.compiler.compile import compile_model
from writ.compiler.load import load
from writ.compiler.source import Source
from writ.runtime import Engine
from writ.runtime.rules.plan import WRITTEN_AFTER

from tests.bench import requests
from tests.bench.expected import Expected
from tests.bench.http.busy_load import post
from tests.bench.http.questions import BATCH_ITEMS
from tests.bench.http.service import Call
from tests.bench.in_memory import MemoryService, serving
from tests.bench.models import PEOPLE_PER_TYPE, company, person_id
from tests.support.bundling import bundle_file
from tests.support.server import KEY

NOW: Final = 1_800_000_000.0
POLICIES: Final = 100
DISTINCT: Final = 100
AUTHORIZATION: Final = {"Authorization": f"Bearer {KEY}"}

_TEAM: Final = [{"type": "user", "id": person_id(0, number)} for number in range(PEOPLE_PER_TYPE)]


@dataclass(frozen=True, slots=True)
class Operation:
    """A named operation. `prepare` returns the call to count.

    The operation is done so many `times` before it is counted: a connection knows a head from the fourth request on,
    and the function of a plan is written after many decisions.
    """

    name: str
    prepare: Callable[[], Callable[[], object]]
    times: int = 5


class Operations:
    """Leave it as a context manager, to delete its files."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(TemporaryDirectory()))
        self._document = company(POLICIES) | {"subjects": _TEAM}
        expected = Expected(self._document, NOW)
        self._hot = requests.hot(expected)
        self._distinct = requests.distinct(self._document, expected, DISTINCT)
        self._engine = Engine.open(bundle_file(self._document, self._folder / "model.bundle"), clock=lambda: NOW)

    def __enter__(self) -> "Operations":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def all(self) -> Iterator[Operation]:
        """Yields the ten."""
        hot, engine = self._hot, self._engine
        yield _decisions("decide, one request again", partial(engine.decide, hot))
        yield _decisions(f"decide, {DISTINCT} distinct requests", partial(engine.decide_many, self._distinct))
        yield _decisions("allowed", partial(engine.allowed, *requests.arguments(hot)))
        yield Operation("filter, new to the engine", self._new_filter)
        yield _same("filter, remembered", partial(engine.filter, self._search("resource")))
        yield _same("subject search", self._subject_search())
        yield _same("action search", partial(engine.actions, self._search("action")))
        service = self._stack.enter_context(serving(self._document, self._folder))
        yield _decisions("HTTP evaluation", _asking(service, "/access/v1/evaluation", hot))
        yield _decisions(f"HTTP batch of {BATCH_ITEMS}", _asking(service, "/access/v1/evaluations", self._batch()))
        yield Operation("compile the demo", lambda: _compile_demo, times=1)

    def _new_filter(self) -> Callable[[], object]:
        engine = Engine.open(self._folder / "model.bundle", clock=lambda: NOW)
        return partial(engine.filter, self._search("resource"))

    def _subject_search(self) -> Callable[[], object]:
        (model := self._folder / "searched.json").write_text(json.dumps({"model": 1} | self._document))
        listing, asked = writ.testing.engine(model, strict=False, clock=lambda: NOW), self._search("subject")
        assert list(listing.subjects(asked))
        return lambda: list(listing.subjects(asked))

    def _search(self, kind: str) -> dict[str, Any]:
        """Returns the hot request as a search."""
        if kind == "action":
            return {name: value for name, value in self._hot.items() if name != "action"}
        return self._hot | {kind: {"type": self._hot[kind]["type"]}}

    def _batch(self) -> dict[str, Any]:
        """Returns a batch of the hot request's subject, about resources that differ."""
        items = [
            {"action": self._hot["action"], "resource": self._hot["resource"] | {"id": f"r{number}"}}
            for number in range(BATCH_ITEMS)
        ]
        return {"subject": self._hot["subject"], "context": self._hot["context"], "evaluations": items}


def _same(name: str, call: Callable[[], object]) -> Operation:
    return Operation(name, lambda: call)


def _decisions(name: str, call: Callable[[], object]) -> Operation:
    return Operation(name, lambda: call, times=WRITTEN_AFTER + 1)


def _asking(service: MemoryService, path: str, body: dict[str, Any]) -> Callable[[], object]:
    request = post(Call(path, body), AUTHORIZATION)
    return partial(service.ask, request)


def _compile_demo() -> object:
    loaded = load([Source(*document) for document in demo_sources()], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    return compile_model(loaded.model, zones.zone_data, zones.VERSION)
