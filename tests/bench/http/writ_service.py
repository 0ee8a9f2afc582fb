"""Writ as it is served."""

import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx

from tests.bench.http.processes import pinned
from tests.bench.http.questions import BATCH, DECIDED, OPEN, SINGLE, Question
from tests.bench.http.service import Call, Running, scheme
from tests.bench.models import Document
from tests.support.certificates import Pair
from tests.support.oracle_searches import tree_holds
from tests.support.server import KEY, command, environment, started

PATHS = {
    SINGLE: "/access/v1/evaluation",
    BATCH: "/access/v1/evaluations",
    OPEN: "/access/v1/search/resource",
    DECIDED: "/access/v1/search/resource",
}
OPTIONS = {
    OPEN: {"options": {"return": "filter"}},
    DECIDED: {"options": {"return": "filter", "gates": "decide"}},
}


class Writ:
    """`writ serve` with an API key that may read."""

    name, credential = "Writ", "an API key as a bearer token"

    def __init__(
        self,
        document: Document,
        workers: int = 1,
        settings: dict[str, str] | None = None,
        python: str | None = None,
    ) -> None:
        """`python` is the interpreter of another version that is installed there, or None for this version."""
        self._document, self._workers, self._settings, self._python = document, workers, settings or {}, python
        self.version = f"{version('writ-pdp')}, CPython {platform.python_version()}"

    @contextmanager
    def start(self, folder: Path, cores: list[int], pair: Pair | None) -> Iterator[Running]:
        """See `Service`."""
        model = folder / "model.json"
        model.write_text(json.dumps({"model": 1} | self._document))
        place = f"data-{self._workers}-{scheme(pair)}"
        options = ("--data", str(folder / place), "--import", str(model), "--bind", "127.0.0.1:0")
        line = command("serve", *options, "--workers", str(self._workers), *([] if pair is None else pair.options))
        variables = environment({"WRIT_ADMIN_KEY": KEY} | self._settings)
        if self._python is not None:
            line[0] = self._python
            del variables["PYTHONPATH"]
        with started(pinned(line, cores), variables, folder / f"{place}.log", folder) as server:
            made = httpx.post(
                f"{server.url}/v1/api-keys",
                json={"name": "bench", "scopes": ["read"]},
                headers={"Authorization": f"Bearer {KEY}"},
                verify=False,
            )
            key = made.raise_for_status().json()["key"]
            yield Running(server.process.pid, server.url, {"Authorization": f"Bearer {key}"})

    def call(self, question: Question) -> Call:
        """See `Service`."""
        return Call(PATHS[question.kind], question.request | OPTIONS.get(question.kind, {}))

    def answers(self, question: Question, answer: Any) -> tuple[bool, ...]:
        """See `Service`."""
        if question.kind == SINGLE:
            return (answer["decision"],)
        if question.kind == BATCH:
            return tuple(item["decision"] for item in answer["evaluations"])
        return (tree_holds(answer["filter"], None, question.row),)
