"""Evaluation requests against the models, in fixed shares of outcomes, the same for the same model."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

from tests.bench.expected import Expected
from tests.bench.models import (
    ACTIONS,
    CHANNELS,
    CLASSES,
    COUNTRIES,
    OWNING_GRANTS,
    PEOPLE_PER_TYPE,
    REGIONS,
    STATUSES,
    Document,
    person_id,
    type_id,
)

SHARES = {
    "ALLOWED": 0.62,
    "CONDITION_FAILED": 0.15,
    "ACTION_NOT_PERMITTED": 0.10,
    "NO_POLICY_MATCH": 0.05,
    "DENY_OVERRIDE": 0.05,
    "EXPLICIT_DENY": 0.03,
}
"""How often each outcome is asked for."""

MOST_TRIES = 100
"""Requests tried for each one that is wanted."""

HOT_TRIED = 200

ASKING_TYPES = 50
"""People of so many types ask at most, spread over the company: 500 people who are at work at one time."""

FIRST_TYPES = 5
"""The types that every company has, which are the same in every company (see `models`)."""

WITHOUT_GRANTS = tuple(sorted(set(range(PEOPLE_PER_TYPE)) - set(OWNING_GRANTS)))


def arguments(request: Document) -> tuple[Any, ...]:
    """The request as the arguments of `Engine.allowed`."""
    subject, action, resource = request["subject"], request["action"], request["resource"]
    return (
        *(subject["type"], subject["id"], action["name"], resource["type"], resource["id"]),
        *(subject["properties"], resource["properties"], None, request["context"]),
    )


def hot(expected: Expected) -> Document:
    """One request granted through a group, about the first type, by a member of its team: the same in every company.

    Of many it is the one to which a middling number of policies applies.
    """
    random = Random("hot")
    asked = (_request(random, 0, 0, WITHOUT_GRANTS, n) for n in range(HOT_TRIED))
    granted = [request for request in asked if expected.answer(request)["access_path"] == "group"]
    return sorted(granted, key=expected.candidates)[len(granted) // 2]


def distinct(
    document: Document,
    expected: Expected,
    count: int,
    people: tuple[int, ...] = WITHOUT_GRANTS,
    types: int | None = None,
) -> list[Document]:
    """`count` requests, no two alike, with outcomes in the shares of `SHARES`, in random order.

    `people` says which of each team ask: by default those without direct grants, which the other engines don't know.
    `types` says how many types, from the first on, have teams that ask and are asked about: by default all.
    None of the requests is decided by a grant.
    """
    random, types = Random(f"{count} requests of {people}"), types or len(document["resource_types"])
    wanted = Counter({outcome: round(share * count) for outcome, share in SHARES.items()})
    wanted["ALLOWED"] += count - wanted.total()
    chosen: list[Document] = []
    for request in islice(_asked(random, types, people), MOST_TRIES * count):
        outcome = expected.answer(request)["reason_code"]
        if wanted[outcome]:
            wanted[outcome] -= 1
            chosen.append(request)
            if len(chosen) == count:
                random.shuffle(chosen)
                return chosen
    raise ValueError(f"of {count} requests these could not be found: {dict(wanted)}")


def by_grant(document: Document, expected: Expected, count: int) -> list[Document]:
    """Requests, all different, that a direct grant decides, `count` of them at most."""
    random = Random("grants")
    asked = []
    for n, grant in enumerate(random.sample(document["grants"], min(count, len(document["grants"])))):
        request = _request(random, 0, 0, OWNING_GRANTS, n)
        request["subject"] |= grant["subject"]
        request["resource"] |= grant["resource"]
        asked.append({**request, "action": {"name": grant["actions"][0]}})
    return [request for request in asked if expected.answer(request)["access_path"] == "direct"]


def in_a_crowd(policies: int, count: int) -> list[Document]:
    """Requests for projects spread over the worst case's policies, every second one for a project that none names."""
    random = Random("crowd")
    found = []
    for n in range(count):
        request = _request(random, 0, 0, WITHOUT_GRANTS, n)
        project = random.randrange(policies) if n % 2 else policies + n
        request["resource"]["type"] = "record"
        request["resource"]["properties"]["project"] = f"project {project}"
        found.append({**request, "action": {"name": "read"}})
    return found


def _asked(random: Random, types: int, people: tuple[int, ...]) -> Iterator[Document]:
    """Most people ask about their own type, some about another; everything has its chance."""
    asking = random.sample(range(types), min(types, ASKING_TYPES))
    number = 0
    while True:
        own = random.choice(asking)
        about = own if random.random() < 0.75 else random.randrange(types)
        yield _request(random, own, about, people, number)
        number += 1


def _request(random: Random, own: int, about: int, people: tuple[int, ...], number: int) -> Document:
    person = person_id(own, random.choice(people))
    return {
        "subject": {"type": "user", "id": person, "properties": _some(random, _person(random, own))},
        "action": {"name": random.choice(ACTIONS[: 4 + about % 2])},
        "resource": {"type": type_id(about), "id": f"r{number}", "properties": _some(random, _thing(random))},
        "context": _some(random, _circumstances(random)),
    }


def _some(random: Random, attributes: Document) -> Document:
    """Callers leave an attribute out now and then."""
    return {key: value for key, value in attributes.items() if random.random() < 0.93}


def _person(random: Random, own: int) -> Document:
    return {
        "department": type_id(own).split("_")[0] if random.random() < 0.9 else "board",
        "clearance": random.randint(1, 5),
        "country": random.choice(COUNTRIES),
        "suspended": random.random() < 0.02,
    }


def _thing(random: Random) -> Document:
    return {
        "status": random.choices(STATUSES, (4, 3, 3, 1))[0],
        "classification": random.choices(CLASSES, (3, 4, 2, 1))[0],
        "region": random.choice(REGIONS),
        "locked": random.random() < 0.2,
        "version": random.randint(1, 9),
        "level": random.randint(1, 2),
        "legal_hold": random.random() < 0.05,
    }


def _circumstances(random: Random) -> Document:
    return {
        "mfa": random.random() < 0.8,
        "channel": random.choices(CHANNELS, (5, 3, 3, 1))[0],
        "trust": random.randrange(10, 100, 5),
    }
