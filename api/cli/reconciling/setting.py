"""Compares the grants of a service with a list, and sets those of each resource that differ, several at a time."""

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any, Final

from ....bundles.progress import Progress
from ....client.management.wanted import Changes, Grant, difference, grant_of
from ....client.service_calls import ServiceCalls
from ....runtime import BadRequest
from .grant_rows import Key, Row

THREADS: Final = 8
"""The resources with few grants that are set at a time. The service writes them together."""

FEW_GRANTS: Final = 32
"""The most of these grants. Larger sets are set one after the other, since the service prepares each by itself."""

_PLACE: Final = re.compile(r"\$\.items\[(\d+)\]")
_STAGE: Final = "grants"


@dataclass
class Outcome:
    """The changes of all resources, and the number of grants that stay."""

    added: list[Grant] = field(default_factory=list)
    removed: list[Grant] = field(default_factory=list)
    unchanged: int = 0

    def add(self, changes: Changes) -> None:
        """Count the changes of a resource."""
        self.added += changes.added
        self.removed += changes.removed
        self.unchanged += changes.unchanged


class BadRow(Exception):
    """The service refuses a grant of the list, which stands on the line `line`."""

    def __init__(self, message: str, line: int):
        super().__init__(message)
        self.line = line


def set_grants(
    service: ServiceCalls,
    wanted: Mapping[Key, Sequence[Row]],
    only: tuple[str, str | None],
    dry_run: bool,
    progress: Progress,
    outcome: Outcome,
) -> None:
    """Sets the grants on the resource `only`, or on all resources of that type, and counts the changes in `outcome`.

    Each resource is set in one transaction. Of an error, those that were set before stay, and count. Raises BadRow, and
    the errors of `Grants.reconcile`.
    """
    type, id = only
    there: dict[Key, list[Grant]] = {} if id is None else {(type, id): []}
    for held in service.grants.find(resource_type=type, resource=None if id is None else {"type": type, "id": id}):
        there.setdefault((type, held["resource"]["id"]), []).append(held)
    differing = []
    for key in dict.fromkeys([*there, *wanted]):
        added, removed, unchanged = difference(there.get(key, ()), _grants(key, wanted.get(key, ())))
        if added or removed:
            differing.append(key)
        else:
            outcome.unchanged += unchanged
    few = [key for key in differing if len(wanted.get(key, ())) <= FEW_GRANTS]
    many = [key for key in differing if len(wanted.get(key, ())) > FEW_GRANTS]
    done = 0
    for threads, keys in ((THREADS, few), (1, many)):
        with ThreadPoolExecutor(threads) as pool:
            going = [pool.submit(_set, service, key, wanted.get(key, ()), dry_run) for key in keys]
            try:
                for one in as_completed(going):
                    outcome.add(one.result())
                    done += 1
                    progress(_STAGE, done, len(differing))
            finally:
                pool.shutdown(cancel_futures=True)


def _set(service: ServiceCalls, key: Key, rows: Sequence[Row], dry_run: bool) -> Changes:
    resource: dict[str, str] = {"type": key[0], "id": key[1]}
    try:
        wanted: Iterable[Any] = [row.grant for row in rows]
        return service.grants.reconcile(resource, wanted, dry_run=dry_run)
    except BadRequest as ex:
        place = _PLACE.match(ex.path)
        if place is None or int(place[1]) >= len(rows):
            raise
        raise BadRow(ex.message, rows[int(place[1])].line) from None


def _grants(key: Key, rows: Iterable[Row]) -> Iterable[Grant]:
    resource = {"type": key[0], "id": key[1]}
    return (grant_of(resource, row.grant) for row in rows)
