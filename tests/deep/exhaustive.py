"""All small models, up to renaming, and every request over them: engine against oracle, decisions and filters.

A model has up to two policies. A policy has up to two conditions among `eq`, `lt` and `in` (two or three elements), on
one attribute of the subject and one of the resource, which has one of three values or is absent. All models with all
facts at once would be billions, and most of them the same to the engine: conditions never look at facts, and a policy
looks at its roles only. So there are three parts, each of them complete, 4,708,216 requests in about ten minutes:

- `conditions`: every pair of effects and of up to two conditions each, for everyone. 89,676 models of 16 requests.
- `roles`: every pair of effects, of lists of two roles and of up to one condition each; and every set of roles and
  paths that a subject can hold. 14,365 models of 160 requests.
- `facts`: every way in which a subject, two groups and two roles can be connected: memberships, groups in groups,
  assignments. With pairs of policies of few conditions and with priorities. 625 models of 5 requests a way.

In each part, the engine has many models at once, each as the policies of a resource type of its own; the oracle has
only the one that is asked about.
"""

from collections.abc import Iterator
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

from writ.runtime import Engine

from tests.deep.task import Task
from tests.deep.trial import Trial
from tests.runtime.test_agreement import judged
from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.oracle_searches import tree_holds

Document = dict[str, Any]
Model = tuple[Document, ...]

VALUES = (0, 1, 2)
SENT: tuple[Document, ...] = ({}, *({"a": value} for value in VALUES))
CONSTANTS = (
    *(("eq", value) for value in VALUES),
    *(("lt", value) for value in VALUES),
    *(("in", list(some)) for size in (2, 3) for some in combinations(VALUES, size)),
)
CONDITIONS = [
    (section, {"key": "a", "op": op, "value": value})
    for section in ("subject_attrs", "resource_attrs")
    for op, value in CONSTANTS
]
ROLE_LISTS: tuple[Document, ...] = ({}, *({"roles": roles} for roles in (["r"], ["s"], ["r", "s"])))
SUBJECT, GROUPS = {"type": "user", "id": "u"}, ("g", "h")
BLOCK = 6_400
"""About how many requests one bundle gets."""


class Part(NamedTuple):
    """Models, the facts about a subject, and what is asked: (action, the subject's attributes, the resource's)."""

    name: str
    models: list[Model]
    worlds: list[Document]
    asked: list[tuple[str, Document, Document]]

    @property
    def requests(self) -> int:
        """How many requests there are in all."""
        return len(self.models) * len(self.worlds) * len(self.asked)


def check_all(task: Task) -> None:
    """Check blocks of models in random order, until there is none or the time is over."""
    parts = [conditions_part(), roles_part(), facts_part()]
    blocks = [(part, models) for part in parts for models in blocks_of(part)]
    task.random.shuffle(blocks)
    done = dict.fromkeys((part.name for part in parts), 0)
    for part, models in blocks:
        if task.left <= 0:
            break
        check_block(task, part, models)
        done[part.name] += len(models)
    for part in parts:
        task.note(f"{part.name}: {done[part.name]:,} of {len(part.models):,} models, {part.requests:,} requests in all")


def blocks_of(part: Part) -> Iterator[list[Model]]:
    """The models of a part, as many at once as one bundle gets."""
    size = max(1, BLOCK // (len(part.worlds) * len(part.asked)))
    for at in range(0, len(part.models), size):
        yield part.models[at : at + size]


def conditions_part() -> Part:
    """Every pair of policies for everyone."""
    bodies = [body(effect, {}, some) for effect in ("ALLOW", "DENY") for some in up_to(2)]
    return Part("conditions", models_of(bodies), [{}], [("read", s, r) for s in SENT for r in SENT])


def roles_part() -> Part:
    """Every pair of policies of up to one condition, for the holders of roles."""
    bodies = [body(effect, roles, some) for effect in ("ALLOW", "DENY") for roles in ROLE_LISTS for some in up_to(1)]
    held = list(combinations_with_replacement(((), ("role",), ("group",), ("role", "group")), 2))
    worlds = [holding(dict(zip("rs", paths, strict=True))) for paths in held]
    return Part("roles", models_of(bodies), worlds, [("read", s, r) for s in SENT for r in SENT])


def facts_part() -> Part:
    """Every connection of a subject, two groups and two roles."""
    few = [(), (CONDITIONS[1],), (CONDITIONS[len(CONSTANTS) + 1],)]
    bodies = [body(effect, roles, some) for effect in ("ALLOW", "DENY") for roles in ROLE_LISTS for some in few]
    pairs = [(one, other | {"priority": 1}) for one, other in combinations_with_replacement(bodies, 2)]
    asked = [("read", {"a": s}, {"a": r}) for s in (1, 2) for r in (1, 2)]
    return Part("facts", models_of(bodies) + pairs, connections(), [*asked, ("write", {"a": 1}, {"a": 1})])


def up_to(count: int) -> list[tuple[tuple[str, Document], ...]]:
    """Every set of up to `count` conditions."""
    return [some for size in range(count + 1) for some in combinations(CONDITIONS, size)]


def body(effect: str, roles: Document, conditions: tuple[tuple[str, Document], ...]) -> Document:
    """A policy without id and type."""
    sections: dict[str, list[Document]] = {}
    for section, condition in conditions:
        sections.setdefault(section, []).append(condition)
    return {"effect": effect, **roles, **({"conditions": sections} if sections else {})}


def models_of(bodies: list[Document]) -> list[Model]:
    """No policy, every one, and every pair, in one order: the other is the same but for names."""
    return [(), *((one,) for one in bodies), *combinations_with_replacement(bodies, 2)]


def holding(paths: dict[str, tuple[str, ...]]) -> Document:
    """The facts by which the subject holds roles on some paths."""
    groups = [{"id": group, "members": [SUBJECT]} for group in GROUPS]
    to = {"r": {"role": {"subject": SUBJECT}, "group": {"group": "g"}}}
    to["s"] = {"role": {"subject": SUBJECT}, "group": {"group": "h"}}
    return {
        "groups": groups,
        "assignments": [{"role": role} | to[role][path] for role, by in paths.items() for path in by],
    }


def connections() -> list[Document]:
    """Every way to connect the subject, the groups and the roles, up to a renaming of groups and of roles."""
    members = [("u", "g"), ("u", "h"), ("g", "h"), ("h", "g")]
    links = members + [(role, to) for role in "rs" for to in "ugh"]
    renamings = [str.maketrans("ghrs", renamed) for renamed in ("ghrs", "hgrs", "ghsr", "hgsr")]
    seen: set[frozenset[str]] = set()
    found = []
    for bits in product((False, True), repeat=len(links)):
        chosen = {f"{one}{other}" for bit, (one, other) in zip(bits, links, strict=True) if bit}
        if frozenset(chosen) not in seen:
            seen.update(frozenset(link.translate(names) for link in chosen) for names in renamings)
            found.append(connected(chosen))
    return found


def connected(links: set[str]) -> Document:
    """The facts of some connections, `ug` for the subject in group `g`, `rg` for the role `r` of that group."""
    groups = [
        {"id": group, "members": [SUBJECT if one == "u" else {"group": one} for one in "ugh" if one + group in links]}
        for group in GROUPS
    ]
    targets = {"u": {"subject": SUBJECT}, "g": {"group": "g"}, "h": {"group": "h"}}
    assignments = [{"role": role} | targets[to] for role in "rs" for to in "ugh" if role + to in links]
    return {"groups": groups, "assignments": assignments}


def check_block(task: Task, part: Part, models: list[Model]) -> None:
    """Compare all answers of one bundle with the oracle's."""
    engine = engine_for(bundled(models, part.worlds), task.folder / "block.bundle")
    for (at, model), (number, world) in product(enumerate(models), enumerate(part.worlds)):
        document = alone(model, at, world)
        permitted: dict[tuple[str, str], list[tuple[Document, bool]]] = {}
        for action, subject, resource in part.asked:
            request = asking(f"m{at}", "u", action, subject, resource)
            expected = oracle.decide(document, request, 0.0)
            named = asking(f"m{at}", f"u{number}", action, subject, resource)
            found = judged(engine.decide(named, 0.0))
            if found != expected:
                report(task, "decide", document, request, found, expected)
            if engine.allowed("user", f"u{number}", action, f"m{at}", "d", subject, resource) is not found["decision"]:
                report(task, "explain", document, request, "another answer of `allowed`", expected)
            permitted.setdefault((action, str(subject)), []).append((request, expected["decision"]))
        for rows in permitted.values():
            check_filter(task, engine, document, f"u{number}", rows)
        task.count(len(part.asked))


def check_filter(
    task: Task, engine: Engine, document: Document, subject: str, rows: list[tuple[Document, bool]]
) -> None:
    """Compare one filter with the decisions on all its rows: there are no gates and no grants here (F1)."""
    first = rows[0][0]
    asked = first | {"subject": first["subject"] | {"id": subject}, "resource": {"type": first["resource"]["type"]}}
    tree = engine.filter(asked, 0.0)["filter"]
    for request, permits in rows:
        if tree_holds(tree, "d", request["resource"]["properties"]) != permits:
            report(task, "filter", document, request, tree, permits)


def report(task: Task, law: str, document: Document, request: Document, found: Any, expected: Any) -> None:
    """Take down a difference; if the model alone does not show it, say in which run it did."""
    trial = Trial(law, (document,), ((request, 0.0),))
    task.fail_trial(trial, f"the engine says {found}, the oracle {expected}")


def bundled(models: list[Model], worlds: list[Document]) -> Document:
    """All models, each on a type of its own, and all worlds, each of a subject and groups of its own."""
    return {
        "model": 1,
        "resource_types": [declared(at) for at in range(len(models))],
        "roles": [{"id": "r"}, {"id": "s"}],
        "subjects": [SUBJECT | {"id": f"u{at}"} for at in range(len(worlds))],  # known ones are answered a shorter way
        "groups": list(chain.from_iterable(moved(world, at)["groups"] for at, world in enumerate(worlds))),
        "assignments": list(chain.from_iterable(moved(world, at)["assignments"] for at, world in enumerate(worlds))),
        "policies": list(chain.from_iterable(policies(model, at) for at, model in enumerate(models))),
    }


def alone(model: Model, at: int, world: Document) -> Document:
    """One model and one world as a document."""
    roles = [{"id": "r"}, {"id": "s"}]
    return {"model": 1, "resource_types": [declared(at)], "roles": roles, "policies": policies(model, at)} | world


def declared(at: int) -> Document:
    """The type of a model."""
    return {"id": f"m{at}", "actions": ["read", "write"]}


def policies(model: Model, at: int) -> list[Document]:
    """The policies of a model, on its type."""
    types = [{"resource_type_id": f"m{at}", "actions": ["read"]}]
    return [{"id": f"m{at}{name}", **one, "resource_types": types} for name, one in zip("pq", model, strict=False)]


def moved(world: Document, at: int) -> Document:
    """A world about another subject and other groups."""

    def renamed(one: Document) -> Document:
        return {"group": f"{one['group']}{at}"} if "group" in one else one | {"id": f"{one['id']}{at}"}

    return {
        "groups": [
            {"id": f"{group['id']}{at}", "members": [renamed(member) for member in group["members"]]}
            for group in world.get("groups", [])
        ],
        "assignments": [
            one | ({"group": f"{one['group']}{at}"} if "group" in one else {"subject": renamed(one["subject"])})
            for one in world.get("assignments", [])
        ],
    }


def asking(type: str, subject: str, action: str, known: Document, row: Document) -> Document:
    """A request."""
    return {
        "subject": {"type": "user", "id": subject, "properties": known},
        "action": {"name": action},
        "resource": {"type": type, "id": "d", "properties": row},
    }
