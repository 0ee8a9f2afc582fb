"""Reads a stored set of tests: its tests as questions, or all its faults."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Final, NamedTuple

import msgspec

from ....bundles.conditions.values import Json
from ....bundles.prepared import prepared
from ....compiler.diagnostics.diagnostic import Finding
from ....compiler.documents.schema_findings import schema_findings
from ....runtime.requests.options import REGISTERED
from .file_reading import ReadTest, tests_in
from .question_checks import check_tests
from .shapes import PolicyTest, StoredTests, TestFile

MOST_FAULTS: Final = 100
"""The faults of a set that are looked for."""

_MODEL: Final = "model"
_NO_RESULTS: Final = "leave it out, and expect a `filter`"


class CheckedTests(NamedTuple):
    """A set of tests, or None if its parts have wrong shapes, and its faults."""

    tests: StoredTests | None
    faults: tuple[Finding, ...]


def check_stored(body: Json) -> CheckedTests:
    """Returns the set of tests in a decoded body, and its first faults. Whatever the body has, it never raises."""
    try:
        found = msgspec.convert(body, StoredTests)
    except msgspec.ValidationError:
        return CheckedTests(None, _first(_without_model(schema_findings(body, StoredTests, ()))))
    faults = chain(check_tests(TestFile(found.tests, None, found.now)), _results(found), _registered(found))
    return CheckedTests(found, _first(faults))


def _first(found: Iterator[Finding]) -> tuple[Finding, ...]:
    """Returns the first findings, and one that there are more. Those are not looked for."""
    first = tuple(islice(found, MOST_FAULTS))
    return first if next(found, None) is None else (*first, Finding("too-many", "there are more faults", ()))


def read_stored(text: bytes) -> tuple[str, tuple[ReadTest, ...]]:
    """Returns the id of a stored set, and its tests."""
    found = _decoder.decode(text)
    return found.id, tests_in(TestFile(found.tests, None, found.now))


def count_checks(tests: StoredTests) -> int:
    """Returns the number of questions of a set: each request, each search and each cell of a table."""
    return sum(map(_cells, tests.tests))


def _cells(test: PolicyTest) -> int:
    if test.allowed is None:
        return 1
    return len(test.subjects or ()) * len(test.actions or ()) * len(test.resources or ())


def _results(found: StoredTests) -> Iterator[Finding]:
    """Yields the expected results of searches: a service does not list its resources for tests."""
    for number, test in enumerate(found.tests):
        if test.search is not None and "results" in (test.expect or {}):
            message = "a stored test can't expect `results`"
            yield Finding("no-results", message, ("tests", number, "expect", "results"), _NO_RESULTS, at_key=True)


def _registered(found: StoredTests) -> Iterator[Finding]:
    """Yields the requests for registered attributes: a service does not list these for tests either (E9)."""
    for number, test in enumerate(found.tests):
        for part, request in (("request", test.request), ("search", test.search)):
            options = (request or {}).get("options")
            if isinstance(options, dict) and options.get("attributes") == REGISTERED:
                message = "a stored test can't ask with registered attributes"
                path = ("tests", number, part, "options", "attributes")
                yield Finding("no-registry", message, path, "send the attributes", at_key=True)


def _without_model(found: Iterator[Finding]) -> Iterator[Finding]:
    for one in found:
        if one.path == (_MODEL,):
            yield Finding(one.code, one.message, one.path, "stored tests ask the model of their environment")
        else:
            yield one


_decoder = msgspec.json.Decoder(prepared(StoredTests))
