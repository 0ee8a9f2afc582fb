"""Measures a condition that names another value of the request: `python -m tests.bench.references`.

Each rule with a reference stands beside the same rule with a constant, over the same requests. All answers of both are
compared first. A ratio is the median of the ratios of all rounds, so a busy machine is busy for both.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from writ.runtime import Engine

from tests.bench.requests import arguments
from tests.bench.rounds import Row, measure, per_item
from tests.support.bundling import bundle_file

Document = dict[str, Any]

ROUNDS, SECONDS_A_TURN = 41, 0.01
REQUESTS, USERS, GROUPS = 200, 10_000, 100
ASKING = (8_000, USERS)
"""The users who ask in turn. The cache of filters has room for those of 8,191 of them."""

BATCH = 100
SIZES = (1, 10, 100, 1_000)
"""The numbers of policies beside the one that is asked for."""


class Rule(NamedTuple):
    """A comparison with a reference, and the constant that it stands for if `u5` asks."""

    key: str
    op: str
    value_of: str
    constant: Any


RULES = (
    Rule("owner", "eq", "subject.id", "u5"),
    Rule("tenant", "eq", "subject.tenant", "t5"),
    Rule("team", "in", "subject.groups", ["g5", "g5-all"]),
    Rule("level", "lte", "subject.clearance", 2),
    Rule("team", "in", "subject.teams", ["g5", "g5-all"]),
)


def model(rule: Rule, refers: bool, others: int = 100, crowded: bool = False) -> Document:
    """One policy on documents, others on other types or `crowded` beside it, and 10,000 users in groups of groups."""
    compared = {"value_of": rule.value_of} if refers else {"value": rule.constant}
    policies = [policy("asked", "document", {"key": rule.key, "op": rule.op} | compared)]
    types = ["document"] if crowded else [f"t{n}" for n in range(50)]
    policies += [policy(f"p{n}", types[n % len(types)], {"key": "k", "op": "eq", "value": n}) for n in range(others)]
    groups = [{"id": f"g{n}", "members": members(n)} for n in range(GROUPS)]
    return {
        **({"extensions": ["references"]} if refers else {}),
        "resource_types": [{"id": id, "actions": ["edit"]} for id in ("document", *(f"t{n}" for n in range(50)))],
        "groups": [*groups, *({"id": f"g{n}-all", "members": [{"group": f"g{n}"}]} for n in range(GROUPS))],
        "policies": policies,
    }


def policy(id: str, type: str, condition: Document) -> Document:
    """An ALLOW for everyone."""
    scope = {"resource_type_id": type, "actions": ["edit"]}
    return {"id": id, "effect": "ALLOW", "resource_types": [scope], "conditions": {"resource_attrs": [condition]}}


def members(group: int) -> list[Document]:
    """The users of a group."""
    return [{"type": "user", "id": f"u{n}"} for n in range(group, USERS, GROUPS)]


def asked(user: str, number: int) -> Document:
    """A request about a document; every second one is the user's own."""
    own = number % 2 == 0
    properties = {
        "owner": user if own else "other",
        "tenant": "t5" if own else "t6",
        "level": 2 if own else 3,
        "team": "g5" if own else "g6",
    }
    sent = {"tenant": "t5", "clearance": 2, "teams": ["g5", "g5-all"]}
    return {
        "subject": {"type": "user", "id": user, "properties": sent},
        "action": {"name": "edit"},
        "resource": {"type": "document", "id": f"d{number}", "properties": properties},
        "context": {},
    }


def searched(user: str) -> Document:
    """The search for the documents of a user."""
    return asked(user, 0) | {"resource": {"type": "document"}}


def ratio(one: Row, other: Row) -> float:
    """Returns how many times as long one row takes as the other."""
    return median(mine / beside for mine, beside in zip(one.times, other.times, strict=True))


def decision_rows(name: str, engine: Engine, requests: Sequence[Document]) -> list[Row]:
    """A row of `decide`, and one of `allowed`."""
    flat = [arguments(request) for request in requests]
    return [Row(0, "decide", name, engine.decide, requests), Row(0, "allowed", name, engine.allowed, flat, flat=True)]


def rules_beside_constants(folder: Path) -> Iterator[str]:
    """Yields a line for each rule. Raises ValueError if the two rules answer differently."""
    requests = [asked("u5", number) for number in range(REQUESTS)]
    for number, rule in enumerate(RULES):
        refers, constant = (
            Engine.open(bundle_file(model(rule, which), folder / f"{number}{which}")) for which in (True, False)
        )
        if any(refers.decide(one) != constant.decide(one) for one in requests):
            raise ValueError(f"{rule} and its constant disagree")
        rows = [*decision_rows("reference", refers, requests), *decision_rows("constant", constant, requests)]
        measure(rows, ROUNDS, SECONDS_A_TURN)
        for one, other in zip(rows[:2], rows[2:], strict=True):
            words = f"{rule.key} {rule.op} {rule.value_of}, {one.asked}"
            yield f"{words:36} {one.microseconds:8.2f} µs {other.microseconds:8.2f} µs {ratio(one, other):6.2f}"


def first_answers(folder: Path) -> Iterator[str]:
    """Yields the cost of what each of many users asks first, and then again. Another user has asked before."""
    for rule in (RULES[0], RULES[2]):
        bundle = bundle_file(model(rule, True), folder / "users")
        for count in ASKING:
            decides, filters = Engine.open(bundle), Engine.open(bundle)
            for what, call, ask in (("decision", decides.decide, first_of), ("filter", filters.filter, searched)):
                call(ask("stranger"))
                items = [ask(f"u{n}") for n in range(count)]
                first, again = passed(call, items), passed(call, items)
                yield f"{rule.value_of:16} {what:10} {count:7,} users: first {first:8.2f} µs, again {again:8.2f} µs"


def first_of(user: str) -> Document:
    """The request of a user about a document of theirs."""
    return asked(user, 0)


def passed(call: Any, items: Sequence[Document]) -> float:
    """The microseconds of an item: the median of the batches."""
    return median(per_item(call, items[at : at + BATCH]) for at in range(0, len(items), BATCH))


def growth(folder: Path) -> Iterator[str]:
    """Yields how a decision by a reference grows with the policies on other types, and on the same type and action."""
    requests = [asked("u5", number) for number in range(REQUESTS)]
    for where, crowded in (("on other types", False), ("on the same type and action", True)):
        rows: list[Row] = []
        for size in SIZES:
            document = model(RULES[0], True, size, crowded)
            rows += decision_rows(where, Engine.open(bundle_file(document, folder / f"{size}{crowded}")), requests)
        measure(rows, ROUNDS, SECONDS_A_TURN)
        for number, row in enumerate(rows):
            words = f"{SIZES[number // 2]:6,} other policies {where}, {row.asked}"
            yield f"{words:58} {row.microseconds:8.2f} µs {ratio(row, rows[number % 2]):6.2f}"


def main(given: Sequence[str] | None = None) -> int:
    """Measure and print; exit code 1 where a rule and its constant disagree."""
    argparse.ArgumentParser(prog="python -m tests.bench.references", description=__doc__).parse_args(given)
    with tempfile.TemporaryDirectory() as folder:
        for title, lines in (
            ("rule, one decision: with the reference, with the constant, ratio", rules_beside_constants),
            ("first and again", first_answers),
            ("growth", growth),
        ):
            print(f"\n{title}")
            try:
                for line in lines(Path(folder)):
                    print(f"  {line}")
            except ValueError as ex:
                print(ex, file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
