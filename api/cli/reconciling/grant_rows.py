"""Reads a list of grants: JSON lines or CSV, one grant a line, with the place of each fault."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from ....bundles.conditions.instants import parse_instant
from ....bundles.wording import alternatives, quoted

MOST_ROWS: Final = 1_000_000
"""The most grants of a list."""

MOST_CHARACTERS: Final = 1_000_000
"""The most characters of a line of JSON."""

SUBJECT, GROUP, RESOURCE, ACTIONS = COLUMNS = ("subject", "group", "resource", "actions")
TERM: Final = ("starts_at", "expires_at")
_WITHOUT_EFFECT: Final = ("id",)

Key: TypeAlias = tuple[str, str]
"""The type and the id of a resource."""


class Row(NamedTuple):
    """A grant of the list, as `Grants.reconcile` takes it, and its line."""

    grant: dict[str, Any]
    line: int


@dataclass
class GrantList:
    """The grants by resource, and the faults of the list: sentences by line."""

    rows: dict[Key, list[Row]] = field(default_factory=dict)
    faults: list[tuple[int, str]] = field(default_factory=list)


def read_grants(lines: Iterable[str], only: tuple[str, str | None]) -> GrantList:
    """Returns the grants in some lines. A list whose first character is `{` is JSON lines, any other one is CSV.

    `only` is the type and the id of the resource that all grants are on. If the id is None, they are on any resource of
    the type. With an id, a grant may leave its resource out. Raises ValueError for a list that is too long or no CSV.
    """
    found = GrantList()
    for count, (line, members) in enumerate(_members(iter(lines))):
        if count >= MOST_ROWS:
            raise ValueError(f"it has more than {MOST_ROWS} grants")
        try:
            if isinstance(members, str):
                raise ValueError(members)
            key, grant = _grant(members, only)
        except ValueError as ex:
            found.faults.append((line, str(ex)))
        else:
            found.rows.setdefault(key, []).append(Row(grant, line))
    return found


def _members(lines: Iterator[str]) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """Yields the members of each line with its number, or what is wrong with it."""
    start, first = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, ""))
    if not first:
        return
    if first.lstrip().startswith("{"):
        yield start, _object(first)
        yield from ((number, _object(line)) for number, line in enumerate(lines, start + 1) if line.strip())
        return
    yield from _of_csv(first, lines, start)


def _object(line: str) -> Mapping[str, Any] | str:
    if len(line) > MOST_CHARACTERS:
        return f"the line has more than {MOST_CHARACTERS} characters"
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return "the line is not JSON"
    return found if isinstance(found, dict) else "the line is no JSON object"


def _of_csv(header: str, lines: Iterator[str], start: int) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    names = [name.strip() for name in next(csv.reader([header]))]
    known = (*COLUMNS, *TERM)
    for name in names:
        if name not in known or names.count(name) > 1:
            raise ValueError(f"the first line names the columns: {quoted(name)} is not one of {alternatives(known)}")
    reader = csv.reader(lines, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as ex:
            raise ValueError(f"line {start + reader.line_num} is not CSV: {ex}") from None
        number = start + reader.line_num
        if len(row) > len(names):
            yield number, f"the line has {len(row)} values, and there are {len(names)} columns"
        elif row:
            told: dict[str, Any] = {name: value for name, value in zip(names, row, strict=False) if value.strip()}
            if ACTIONS in told:
                told[ACTIONS] = told[ACTIONS].split()
            yield number, told


def _grant(members: Mapping[str, Any], only: tuple[str, str | None]) -> tuple[Key, dict[str, Any]]:
    """Returns the resource and the grant of a line. Raises ValueError."""
    for name in members:
        if name not in (*COLUMNS, *TERM, *_WITHOUT_EFFECT):
            raise ValueError(f"{quoted(name)} is not a member of a grant, only {alternatives((*COLUMNS, *TERM))}")
    told = {name: value for name, value in members.items() if value is not None}
    if (SUBJECT in told) == (GROUP in told):
        raise ValueError("a grant has either a `subject` or a `group`")
    grant: dict[str, Any] = {ACTIONS: _actions(told.get(ACTIONS))}
    if SUBJECT in told:
        type, id = _entity(SUBJECT, told[SUBJECT])
        grant[SUBJECT] = {"type": type, "id": id}
    else:
        grant[GROUP] = _text(GROUP, told[GROUP])
    grant.update({name: _instant(name, told[name]) for name in TERM if name in told})
    return _resource(told.get(RESOURCE), only), grant


def _resource(value: Any, only: tuple[str, str | None]) -> Key:
    type, id = only
    if value is None:
        if id is None:
            raise ValueError("a grant needs its `resource`, such as `document:d1`")
        return type, id
    found = _entity(RESOURCE, value)
    if found[0] != type or id not in (None, found[1]):
        wanted = f"of the type {quoted(type)}" if id is None else quoted(f"{type}:{id}")
        raise ValueError(f"the resource {quoted(':'.join(found))} is not {wanted}, which the command is to set")
    return found


def _entity(name: str, value: Any) -> Key:
    if isinstance(value, dict) and value.keys() == {"type", "id"}:
        return _text(name, value["type"]), _text(name, value["id"])
    if isinstance(value, str):
        type, colon, id = value.strip().partition(":")
        if type and colon and id:
            return type, id
    raise ValueError(f"`{name}` is `TYPE:ID`, or an object with `type` and `id`")


def _actions(value: Any) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValueError("a grant has some `actions`")
    return [_text(ACTIONS, one) for one in value]


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"`{name}` has a text that is empty, or none")
    return value


def _instant(name: str, value: Any) -> str:
    try:
        text = _text(name, value).strip()
        parse_instant(text)
    except ValueError:
        raise ValueError(f"`{name}` is an instant such as `2030-01-31T12:00:00Z`") from None
    return text
