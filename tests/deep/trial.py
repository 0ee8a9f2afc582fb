"""One trial: models, questions and the law that the engine must keep on them; and whether it does."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from writ.runtime import Engine
from writ.runtime.rules import attribute_index, plan

from tests.deep.laws import LAWS
from tests.runtime.state.test_overlay import lead
from tests.support.bundling import engine_for

Document = dict[str, Any]

UNUSUAL_INDEX = 1
"""With it, few rules are indexed like many."""

INDEXED_FROM = attribute_index.INDEXED_FROM


class NoModel(Exception):
    """The compiler refuses a model of a trial."""


@dataclass(frozen=True)
class Trial:
    """A law, and what it is tried on.

    The first document is compiled to a bundle. Deltas lead to each of the others. The last one is in force when the
    questions, each a request and an instant, are asked in their order.
    """

    law: str
    documents: tuple[Document, ...]
    questions: tuple[tuple[Document, float], ...]
    indexed_from: int = INDEXED_FROM

    def run(self) -> str | None:
        """Returns what is wrong, or None. Raises NoModel if a document is no valid model."""
        with TemporaryDirectory() as folder, indexing(self.indexed_from):
            engine = engine_over(self.documents, Path(folder))
            return broken(self.law, engine, self.documents[-1], self.questions)


def broken(law: str, engine: Engine, document: Document, questions: tuple[tuple[Document, float], ...]) -> str | None:
    """Returns how the engine breaks a law on questions to a model, the kind of error first; or None."""
    try:
        for request, now in questions:
            LAWS[law](engine, document, request, now)
    except Exception as ex:  # whatever it is, the engine did not answer as it must
        *_, last = traceback.extract_tb(ex.__traceback__)
        return f"{type(ex).__name__}: {str(ex)[:1_000] or last.line} ({Path(last.filename).name}:{last.lineno})"
    return None


def engine_over(documents: tuple[Document, ...], folder: Path) -> Engine:
    """Returns an engine over the bundle of the first document, led to the last by deltas. Raises NoModel."""
    try:
        engine = engine_for(documents[0], folder / "model.bundle")
        lead(engine, *documents)
    except Exception as ex:
        raise NoModel(str(ex)) from ex
    return engine


@contextmanager
def indexing(rules: int) -> Iterator[None]:
    """Index attributes from so many rules on. The function of each plan is written after its first answer."""
    before = attribute_index.INDEXED_FROM, plan.WRITTEN_AFTER
    attribute_index.INDEXED_FROM, plan.WRITTEN_AFTER = rules, 1
    try:
        yield
    finally:
        attribute_index.INDEXED_FROM, plan.WRITTEN_AFTER = before
