"""Reads a file of policy tests: its tests as questions, or the diagnostics of all its faults."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, cast

import msgspec

from ....bundles.conditions.instants import SECOND, read_instant
from ....bundles.conditions.values import Json
from ....compiler.diagnostics.diagnostic import Diagnostic, Finding
from ....compiler.diagnostics.findings import Document, DocumentFinding, Findings
from ....compiler.documents.placed_value import read_value
from ....compiler.documents.schema_findings import schema_findings
from ....compiler.limits import DEFAULTS, MIB
from ....compiler.source import Source, SourcePosition
from .question_checks import check_tests
from .shapes import PolicyTest, TestFile

MOST_BYTES: Final = 64 * MIB
"""The bytes of a test file."""

_LIMITS: Final = replace(DEFAULTS, document_bytes=MOST_BYTES)
_EMPTY: Final = "write `tests:` and a list of tests below it"
_DENIED: Final = {"decision": False}
_ALLOWED: Final = {"decision": True}


class TestQuestion(NamedTuple):
    """A request or a search, and the members that its answer must have. `label` names a request of a table.

    `now` is in epoch seconds, or None for the clock.
    """

    label: str
    is_search: bool
    request: dict[str, Any]
    expected: Mapping[str, Json]
    now: float | None


class ReadTest(NamedTuple):
    """A test as the file says it, with its number in the file, and its questions."""

    name: str
    number: int
    questions: tuple[TestQuestion, ...]
    said: PolicyTest


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A test file that was read. If it has faults, there are diagnostics and no tests."""

    source: Source
    document: Document
    model: tuple[str, ...] | None
    tests: tuple[ReadTest, ...]
    diagnostics: tuple[Diagnostic, ...]

    def place(self, test: ReadTest) -> SourcePosition:
        """Returns where a test begins."""
        return self.document.text.place(self.document.span(("tests", test.number), at_key=False).offset)

    def with_findings(self, found: Iterable[Finding]) -> "ReadFile":
        """Returns the file with more faults, and so without tests."""
        findings = Findings(_LIMITS.diagnostics)
        for finding in found:
            findings.add(DocumentFinding(0, finding))
        return replace(self, tests=(), diagnostics=(*self.diagnostics, *findings.diagnostics([self.document])))


def read_file(source: Source) -> ReadFile:
    """Returns the tests in a file, whose name ends in one of TEST_ENDINGS. Whatever the file contains, it never raises.

    Faults are diagnostics with places, as those of a model document are.
    """
    findings = Findings(_LIMITS.diagnostics)
    document, value = read_value(source, _LIMITS, findings, _EMPTY)
    file = None
    if not findings.errors:
        file = _shaped(value, findings)
    if findings.errors or file is None:
        return ReadFile(source, document, None, (), findings.diagnostics([document]))
    return ReadFile(source, document, file.model, tests_in(file), ())


def tests_in(file: TestFile) -> tuple[ReadTest, ...]:
    """Returns the tests of a file without faults, as questions."""
    return tuple(
        ReadTest(test.name, number, tuple(_questions(test, file)), test) for number, test in enumerate(file.tests)
    )


def _shaped(value: Json, findings: Findings) -> TestFile | None:
    """Returns the file in a value, or None with findings if a part has the wrong shape. It may have other faults.

    A `model` that is a text is the only source.
    """
    if isinstance(value, dict) and isinstance(source := value.get("model"), str) and source:
        value = value | {"model": [source]}
    try:
        file = msgspec.convert(value, TestFile)
        found = check_tests(file)
    except msgspec.ValidationError:
        file, found = None, schema_findings(value, TestFile, ())
    for finding in found:
        findings.add(DocumentFinding(0, finding))
    return file


def _questions(test: PolicyTest, file: TestFile) -> Iterator[TestQuestion]:
    """Yields the questions of a test without faults."""
    instant = read_instant(file.now if test.now is None else test.now)
    now = None if instant is None else instant / SECOND
    if test.request is not None:
        yield TestQuestion("", False, test.request, test.expect or {}, now)
    elif test.search is not None:
        yield TestQuestion("", True, test.search, test.expect or {}, now)
    else:
        yield from _cells(test, now)


def _cells(test: PolicyTest, now: float | None) -> Iterator[TestQuestion]:
    """Yields a question for each subject, resource and action of a table."""
    allowed = cast(Mapping[str, Mapping[str, tuple[str, ...]]], test.allowed)
    for subject, asking in (test.subjects or {}).items():
        for resource, asked in (test.resources or {}).items():
            actions = allowed.get(subject, {}).get(resource, ())
            for action in test.actions or ():
                request: dict[str, Any] = {"subject": asking, "action": {"name": action}, "resource": asked}
                if test.context is not None:
                    request["context"] = test.context
                expected = _ALLOWED if action in actions else _DENIED
                yield TestQuestion(f"{subject}, {action}, {resource}", False, request, expected, now)
