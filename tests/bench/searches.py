"""What the candidates of a page cost: `python -m tests.bench.searches [--resources N] [--subjects N] [--folder DIR]`.

A page of 100 is looked for as a search does it, in looks at 2,000 candidates, until it is full or 20,000 were tried.
What the engine's decision on each item costs is not in it: all that is found here qualifies.
"""

import argparse
import gc
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, TypeAlias
from uuid import UUID

from writ.api.store.database.sqlite.connections import SqliteConnections
from writ.api.store.elements.element_bodies import element_of, encode_body
from writ.api.store.elements.tables import TABLES, NewRow, bounds
from writ.api.store.environments import environment_by_id
from writ.api.store.search.candidates import Candidates
from writ.api.store.store import Store
from writ.bundles.conditions.trees.tree import FALSE, TRUE, TreeComparison
from writ.compiler.source import Source
from writ.runtime.searches.subjects import SubjectRule

from tests.bench.store import ACTOR, ENVIRONMENT, timed

PAGE, CHUNK, MOST_TRIED, PAGES = 100, 2_000, 20_000, 60
ROLES, GROUPS = 1_000, 1_000
Look: TypeAlias = Callable[[str, int], Candidates]
Body: TypeAlias = dict[str, Any]


def attributes(pick: random.Random, number: int) -> Body:
    """Four; `team` has one in 100 values, `rank` is even below 100,000, `rare` says so of one in 100,000."""
    rare = "yes" if number % 100_000 == 77_777 else "no"
    return {"team": f"team-{pick.randrange(100)}", "rank": pick.randrange(100_000), "rare": rare, "active": True}


def ids(pick: random.Random, many: int) -> list[str]:
    """Made ids, so that the order in which they came and their own have nothing to do with each other."""
    return [str(UUID(int=pick.getrandbits(128), version=4)) for _ in range(many)]


def entities(pick: random.Random, type: str, made: list[str]) -> Iterator[Body]:
    """The entities of a type, listed with attributes."""
    for number, id in enumerate(made):
        yield {"type": type, "id": id, "external_id": f"{type}-{number}", "attributes": attributes(pick, number)}


def nested(pick: random.Random, subjects: list[str]) -> Iterator[Body]:
    """A tree of groups, each in the one of a third of its number, each with 20 members."""
    for number in range(GROUPS):
        inner = [{"group": f"group-{n}"} for n in range(3 * number + 1, 3 * number + 4) if n < GROUPS]
        yield {"id": f"group-{number}", "members": [_user(id) for id in pick.sample(subjects, 20)] + inner}


def assignments(pick: random.Random, subjects: list[str]) -> Iterator[Body]:
    """A role for each of most subjects, one that half of them hold, and one that is held through the tree."""
    yield {"role": "nested", "group": "group-0"}
    for id in subjects[::2]:
        yield {"role": "many", "subject": _user(id)}
    for id in subjects:
        yield {"role": f"role-{pick.randrange(ROLES)}", "subject": _user(id)}


def grants(pick: random.Random, subjects: list[str], resources: list[str]) -> Iterator[Body]:
    """One subject with 10,000, and one resource with 1,000."""
    for id in pick.sample(resources, min(10_000, len(resources) // 10)):
        yield _grant("grantee", id)
    for id in pick.sample(subjects, min(1_000, len(subjects) // 10)):
        yield _grant(id, "shared")


def filled(directory: Path, resources: int, subjects: int) -> tuple[Store, list[str], list[str]]:
    """The store, and the ids in order; what is there already is kept."""
    pick = random.Random(1)
    users, documents = ids(pick, subjects), ids(pick, resources)
    fresh = not directory.exists()
    store = Store.open(directory, "NORMAL")
    if fresh:
        roles = [{"id": f"role-{number}"} for number in range(ROLES)] + [{"id": "many"}, {"id": "nested"}]
        declared = {"model": 1, "resource_types": [{"id": "document", "actions": ["read"]}], "roles": roles}
        store.put_model(ENVIRONMENT, ACTOR, [Source("model.json", encode_body(declared))])
        _fill(store, "subjects", entities(pick, "user", users))
        _fill(store, "groups", nested(pick, users))
        _fill(store, "assignments", assignments(pick, users))
        _fill(store, "resources", entities(pick, "document", documents))
        _fill(store, "grants", grants(pick, users, documents))
    return store, sorted(users), sorted(documents)


def _fill(store: Store, kind: str, bodies: Iterator[Body]) -> None:
    start, made = time.perf_counter(), kind in ("assignments", "grants")
    connections = SqliteConnections(store.path, "NORMAL")
    with connections.writing() as db:
        environment = environment_by_id(db, ENVIRONMENT).number
        rows = []
        for number, body in enumerate(bodies):
            text = encode_body({"id": f"{number}", **body} if made else body)
            rows.append(NewRow(bounds(environment)[0] + number, text, element_of(kind, text)))
        with TABLES[kind].filling(db, len(rows)):
            TABLES[kind].add(db, environment, 1, rows)
    connections.close()
    timed(f"{len(rows):,} {kind}", start)


def page(look: Look, after: str) -> tuple[int, int]:
    """Find a page behind `after`; how many items it has, and how many candidates were tried."""
    items = tried = 0
    while tried < MOST_TRIED:
        looked = look(after, min(CHUNK, MOST_TRIED - tried))
        items, tried = items + len(looked.found), tried + looked.tried
        if items >= PAGE or looked.last is None:
            break
        after = looked.last
    return min(items, PAGE), tried


def measure(what: str, look: Look, ordered: list[str]) -> None:
    """Time pages at three depths, and print milliseconds on the wall and of the processor."""
    for depth, first in (("start", 0), ("middle", len(ordered) // 2), ("end", len(ordered) * 49 // 50)):
        wall, cpu, items, tried = [], [], [], []
        for number in range(PAGES):
            after = "" if first == 0 and number == 0 else ordered[first + number * len(ordered) // 6_000]
            start, spent = time.perf_counter(), time.process_time()
            found = page(look, after)
            wall.append((time.perf_counter() - start) * 1e3)
            cpu.append((time.process_time() - spent) * 1e3)
            items.append(found[0])
            tried.append(found[1])
        times = f"{median(wall):8.1f} {quantiles(wall, n=100)[98]:8.1f} {median(cpu):8.1f}"
        print(f"{what:44} {depth:7} {times} {median(items):8.0f} {median(tried):9,.0f}")


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resources", type=int, default=1_000_000)
    parser.add_argument("--subjects", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = (options.folder or Path(folder)) / "searches"
        store, users, documents = filled(directory, options.resources, options.subjects)
        gc.freeze()  # the ids are nobody's garbage
        print(f"{'page of 100, ms':44} {'depth':7} {'median':>8} {'p99':>8} {'cpu':>8} {'items':>8} {'tried':>9}")
        one, below, rare = (
            TreeComparison("team", "eq", "team-7"),
            TreeComparison("rank", "lt", 1_000),
            TreeComparison("rare", "eq", "yes"),
        )
        for what, where, grantee in (
            ("resources: all", TRUE, None),
            ("resources: 1 %, equal", one, None),
            ("resources: 1 %, in a range", below, None),
            ("resources: 1 %, or granted", one, ("user", "grantee")),
            ("resources: 0.001 %", rare, None),
            ("resources: granted alone", FALSE, ("user", "grantee")),
        ):
            measure(what, partial(_resources, store, where, grantee), documents)
        nested = SubjectRule(("nested",), TRUE)
        for what, rules, on in (
            ("subjects: all", [SubjectRule(None, TRUE)], None),
            ("subjects: 1 %, equal", [SubjectRule(None, one)], None),
            ("subjects: 1 %, in a range", [SubjectRule(None, below)], None),
            (
                "subjects: 1 %, or one of 10 roles, or granted",
                [SubjectRule(None, one), _some_roles(10)],
                ("document", "shared"),
            ),
            ("subjects: 0.001 %", [SubjectRule(None, rare)], None),
            ("subjects: one of 10 roles of 100 holders", [_some_roles(10)], None),
            ("subjects: a role of every second one", [SubjectRule(("many",), TRUE)], None),
            ("subjects: 1 % of them", [SubjectRule(("many",), one)], None),
            ("subjects: 0.001 % of them", [SubjectRule(("many",), rare)], None),
            ("subjects: a role of 1,000 groups in each other", [nested], None),
            ("subjects: granted alone", [], ("document", "shared")),
        ):
            measure(what, partial(_subjects, store, rules, on), users)
        store.close()


def _resources(store: Store, where: Any, grantee: tuple[str, str] | None, after: str, count: int) -> Candidates:
    return store.resource_candidates(ENVIRONMENT, "document", after, count, where, grantee)


def _subjects(store: Store, rules: list[SubjectRule], on: tuple[str, str] | None, after: str, count: int) -> Candidates:
    return store.subject_candidates(ENVIRONMENT, "user", after, count, rules, on)


def _some_roles(many: int) -> SubjectRule:
    return SubjectRule(tuple(f"role-{number}" for number in range(many)), TRUE)


def _user(id: str) -> Body:
    return {"type": "user", "id": id}


def _grant(subject: str, resource: str) -> Body:
    return {"subject": _user(subject), "resource": {"type": "document", "id": resource}, "actions": ["read"]}


if __name__ == "__main__":
    main()
