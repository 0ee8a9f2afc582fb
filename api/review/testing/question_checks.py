"""Finds the faults of a test that its shape does not show: what it asks, and whether it can fail."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ....bundles.conditions.values import Json
from ....bundles.wording import Path, quoted
from ....compiler.checks.draft import Suggestions
from ....compiler.diagnostics.diagnostic import Finding
from ....compiler.documents.schema_findings import schema_findings
from ....runtime import BadRequest
from ....runtime.requests.evaluation_request import read_evaluation
from ....runtime.requests.searches import read_resource_search
from ....runtime.translate.errors import BadFilter
from ....runtime.translate.read_tree import read_tree
from ...settings.written_instants import instant_fault
from .shapes import ExpectedDecision, ExpectedSearch, PolicyTest, TestFile
from .unread_members import REQUEST_PARTS, SEARCH_PARTS, unread_members, unread_part

MOST_SEARCHES: Final = 20
"""The wrong names of a file, or of a run, for which similar names are looked for. For long names, each takes 60 ms."""

_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]")
_ANY_ACTION: Final = {"name": "any"}
_KINDS: Final = "`request`, `search` and `allowed`"
_TABLE: Final = ("subjects", "actions", "resources")


def check_tests(file: TestFile) -> Iterator[Finding]:
    """Yields the faults of a file whose parts have the right shapes."""
    yield from _instant(file.now, ("now",))
    if file.model == ():
        help_text = "name documents, folders or a bundle, or leave it out to test the model in the file's own folder"
        yield Finding("no-model", "`model` names no source", ("model",), help_text)
    if not file.tests:
        yield Finding("no-expectation", "the file has no tests", ("tests",))
    suggest = Suggestions(MOST_SEARCHES)
    for number, test in enumerate(file.tests):
        yield from _check(test, ("tests", number), suggest)


def _check(test: PolicyTest, path: Path, suggest: Suggestions) -> Iterator[Finding]:
    yield from _instant(test.now, (*path, "now"))
    asked = [name for name in ("request", "search", "allowed") if getattr(test, name) is not None]
    if len(asked) != 1:
        found = "has none" if not asked else "has " + " and ".join(map(quoted, asked))
        yield Finding("either-or", f"a test has exactly one of {_KINDS}, but this one {found}", path)
        return
    yield from _misplaced(test, asked[0], path)
    if test.request is not None:
        yield from _request(test.request, (*path, "request"))
        yield from _expected(test.expect, ExpectedDecision, path)
    elif test.search is not None:
        yield from _search(test.search, (*path, "search"))
        yield from _expected(test.expect, ExpectedSearch, path)
        yield from _filter(test.expect or {}, (*path, "expect", "filter"))
    else:
        yield from _table(test, path, suggest)


def _instant(now: Json, path: Path) -> Iterator[Finding]:
    if now is not None and (fault := instant_fault(now)):
        yield Finding("bad-instant", fault, path)


def _misplaced(test: PolicyTest, asked: str, path: Path) -> Iterator[Finding]:
    """Yields the members that only another kind of test has."""
    wrong = ("expect",) if asked == "allowed" else (*_TABLE, "context")
    for name in wrong:
        if getattr(test, name) is not None:
            message = f"a test with {quoted(asked)} has no member {quoted(name)}"
            yield Finding("unknown-member", message, (*path, name), at_key=True)


def _request(request: Mapping[str, Json], path: Path) -> Iterator[Finding]:
    try:
        read_evaluation(request)
    except BadRequest as ex:
        yield Finding("bad-request", ex.message, (*path, *_steps(ex.path)))
    else:
        yield from unread_members(request, REQUEST_PARTS, path)


def _search(search: Mapping[str, Json], path: Path) -> Iterator[Finding]:
    try:
        read_resource_search(search)
    except BadRequest as ex:
        yield Finding("bad-request", ex.message, (*path, *_steps(ex.path)))
    else:
        yield from unread_members(search, SEARCH_PARTS, path)


def _expected(
    expected: Mapping[str, Json] | None, shape: type[ExpectedDecision | ExpectedSearch], path: Path
) -> Iterator[Finding]:
    if expected is None:
        yield Finding("no-expectation", "the test expects nothing", path, "say in `expect` what the answer must have")
    elif not expected:
        message, help_text = "the test expects nothing", "name a member that the answer must have"
        yield Finding("no-expectation", message, (*path, "expect"), help_text)
    else:
        yield from schema_findings(dict(expected), shape, (*path, "expect"))
        if expected.get("context") == {}:  # every answer has a context
            message, help_text = "an empty `context` expects nothing", "name a member that it must have"
            yield Finding("no-expectation", message, (*path, "expect", "context"), help_text)


def _filter(expected: Mapping[str, Json], path: Path) -> Iterator[Finding]:
    if isinstance(expected.get("filter"), dict):
        try:
            read_tree(expected["filter"])
        except BadFilter as ex:
            yield Finding("bad-filter", ex.message, (*path, *_steps(ex.path)))


def _table(test: PolicyTest, path: Path, suggest: Suggestions) -> Iterator[Finding]:
    missing = [name for name in _TABLE if getattr(test, name) is None]
    for name in missing:
        yield Finding("missing-member", f"the member {quoted(name)} is missing: a table needs it", path)
    if missing:
        return
    subjects, actions, resources = test.subjects or {}, test.actions or (), test.resources or {}
    for name in _TABLE:
        if not getattr(test, name):
            yield Finding("no-expectation", "the table has no requests, so it expects nothing", (*path, name))
    yield from _entities(subjects, "subject", (*path, "subjects"))
    yield from _entities(resources, "resource", (*path, "resources"))
    yield from _cells(test.allowed or {}, _Names(subjects, frozenset(actions), resources, suggest), (*path, "allowed"))


class _Names(NamedTuple):
    """The names of a table, and what suggests one of them."""

    subjects: Collection[str]
    actions: Collection[str]
    resources: Collection[str]
    suggest: Suggestions


def _cells(allowed: Mapping[str, Mapping[str, Sequence[str]]], names: _Names, path: Path) -> Iterator[Finding]:
    """Yields the names in the cells of a table that its lists do not have."""
    for name, by_resource in allowed.items():
        at = (*path, name)
        yield from _known(name, names.subjects, "subject", at, names.suggest)
        for resource, actions in by_resource.items():
            yield from _known(resource, names.resources, "resource", (*at, resource), names.suggest)
            for number, action in enumerate(actions):
                yield from _known(action, names.actions, "action", (*at, resource, number), names.suggest)


def _entities(entities: Mapping[str, dict[str, Json]], owner: str, path: Path) -> Iterator[Finding]:
    """Yields the faults of a table's subjects or resources, which are parts of requests."""
    other = "resource" if owner == "subject" else "subject"
    for name, entity in entities.items():
        try:
            read_evaluation({other: {"type": "any", "id": "any"}, "action": _ANY_ACTION, owner: entity})
        except BadRequest as ex:
            yield Finding("bad-request", ex.message, (*path, name, *_steps(ex.path)[1:]))
        else:
            yield from unread_part(entity, owner, REQUEST_PARTS, (*path, name))


def _known(name: str, known: Collection[str], what: str, path: Path, suggest: Suggestions) -> Iterator[Finding]:
    if name not in known:
        message = f"the table has no {what} {quoted(name)}"
        yield Finding("unknown-name", message, path, suggest(name, known), at_key=what != "action")


def _steps(path: str) -> Path:
    """Returns the steps of a JSON path.

    >>> _steps("$.conditions[0].value")
    ('conditions', 0, 'value')
    """
    return tuple(name or int(number) for name, number in _STEP.findall(path))
