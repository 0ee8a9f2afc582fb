"""What a list of documents costs: `python -m tests.bench.list_page`.

The model is that of the page about sharing. A service has 100,000 documents and 10,000 users in 50 tenants, on SQLite
and PostgreSQL with the indexes of that page. Before anything is timed, the rows of each question are compared with
the decisions about the documents of the tenant and some others. A difference ends the run with exit code 1.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from writ.runtime import Engine
from writ.runtime.translate.sql import where

from tests.bench.list_questions import QUESTIONS, Queries, Question, check
from tests.bench.list_rows import FIELDS, NOW, Database, Document, documents, model_text, postgresql, sqlite
from tests.support import postgres
from tests.support.writ_texts import bundle_bytes, load_writ

ROUNDS = 25


def microseconds(calls: Sequence[Callable[[], Any]], clock: Callable[[], int] = time.process_time_ns) -> float:
    """The median of the calls: processor time, or by the clock on the wall for a database."""
    times = []
    for call in calls:
        began = clock()
        call()
        times.append((clock() - began) / 1e3)
    return median(times)


def filters(engine: Engine) -> Iterator[str]:
    """Yields the time of the filters of users who ask first, and then again, and of their translation."""
    for question in QUESTIONS:
        asked = [partial(engine.filter, question.search(user)) for user in question.users[1:]]
        first, again = microseconds(asked), microseconds(asked)
        trees = [one()["filter"] for one in asked]
        as_sql = microseconds([partial(where, tree, FIELDS, dialect="postgresql") for tree in trees])
        yield f"{question.title:28}{first:10,.0f}{again:10,.0f}{as_sql:10,.0f}"


def lists(engine: Engine, databases: Sequence[Database], rows: Sequence[Document]) -> Iterator[str]:
    """Yields a line for each question on each database. Raises ValueError as `check` does."""
    for question in QUESTIONS:
        asked = [Queries(question, engine, database) for database in databases]
        for queries in asked:
            check(question, engine, queries, rows)
        yield from timed(question, engine, asked, rows)


def timed(question: Question, engine: Engine, asked: Sequence[Queries], rows: Sequence[Document]) -> Iterator[str]:
    """Yields a line for each database; all of them take turns."""
    requests = [question.request(rows[row[0]]) for row in asked[0].rows(asked[0].page)]
    calls = [partial(one.rows, query) for one in asked for query in (one.count, one.page)]
    turns = [[microseconds([call], time.perf_counter_ns) for call in calls] for _ in range(ROUNDS)]
    taken = iter([median(times) / 1e3 for times in zip(*turns, strict=True)])
    decided = microseconds([partial(engine.decide_many, requests)] * ROUNDS) / 1e3
    for one in asked:
        many, count, page = one.rows(one.count)[0][0], next(taken), next(taken)
        plans = dict.fromkeys((one.plan(one.count), one.plan(one.page)))
        yield (
            f"{question.title:28}{one.database.name:15}{many:7,}{count:10.2f}{page:9.2f}"
            f"{decided:9.2f} of {len(requests)}   {'; page: '.join(plans)}"
        )


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 if rows and decisions differ."""
    argparse.ArgumentParser(prog="python -m tests.bench.list_page", description=__doc__).parse_args(given)
    rows, place = documents(), postgres.programs()
    loaded = load_writ(model_text())
    assert loaded.model is not None, loaded.diagnostics
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        bundle = Path(folder) / "list.bundle"
        bundle.write_bytes(bundle_bytes(loaded.model))
        engine = Engine.open(bundle, clock=NOW.timestamp)
        databases = [stack.enter_context(sqlite(rows, Path(folder)))]
        if place is None:
            print("PostgreSQL is left out, since its server is not installed: apt-get install postgresql")
        else:
            databases.append(stack.enter_context(postgresql(rows, place)))
        print(f"{'filter, µs':28}{'first':>10}{'again':>10}{'as SQL':>10}")
        print(*filters(engine), sep="\n")
        print(f"\n{'list, ms':43}{'rows':>7}{'count':>10}{'page':>9}{'decisions':>11}       index")
        try:
            for line in lists(engine, databases, rows):
                print(line)
        except ValueError as ex:
            print(ex, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
