"""Results as JUnit XML, in the form that GitLab and Jenkins read."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_ENTITIES: Final = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"))


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one test or one finding. `failure` is a line and `details` are more, or None if it passed.

    `seconds` is the time that it took.
    """

    name: str
    failure: str | None = None
    kind: str = ""
    details: str = ""
    output: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Suite:
    """The results of one file."""

    name: str
    results: Sequence[Result]
    output: str = field(default="")


def show_junit(suites: Sequence[Suite]) -> str:
    """Returns suites of results as one document."""
    return "".join(f"{line}\n" for line in _lines(suites))


def _lines(suites: Sequence[Suite]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    results = [result for suite in suites for result in suite.results]
    yield f'<testsuites name="writ" {_counts(results)}>'
    for suite in suites:
        yield f'  <testsuite name="{_attribute(suite.name)}" {_counts(suite.results)}>'
        for result in suite.results:
            yield from _case(suite, result)
        if suite.output:
            yield f"    <system-out>{_text(suite.output)}</system-out>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _counts(results: Sequence[Result]) -> str:
    failures = sum(result.failure is not None for result in results)
    seconds = sum(result.seconds for result in results)
    return f'tests="{len(results)}" failures="{failures}" errors="0" skipped="0" time="{seconds:.3f}"'


def _case(suite: Suite, result: Result) -> Iterator[str]:
    named = f'name="{_attribute(result.name)}" classname="{_attribute(suite.name)}" file="{_attribute(suite.name)}"'
    start = f'    <testcase {named} time="{result.seconds:.3f}"'
    if result.failure is None and not result.output:
        yield f"{start}/>"
        return
    yield f"{start}>"
    if result.failure is not None:
        told = f'message="{_attribute(result.failure)}" type="{_attribute(result.kind)}"'
        yield f"      <failure {told}>{_text(result.details)}</failure>"
    if result.output:
        yield f"      <system-out>{_text(result.output)}</system-out>"
    yield "    </testcase>"


def _text(text: str) -> str:
    """Returns a text for XML. A character that XML can't have becomes U+FFFD."""
    text = _NOT_XML.sub("\ufffd", text)
    for character, entity in _ENTITIES:
        text = text.replace(character, entity)
    return text


def _attribute(text: str) -> str:
    r"""Returns the value of an attribute. A parser would turn line ends and tabs into spaces.

    >>> _attribute('a<"b">\n')
    'a&lt;&quot;b&quot;&gt;&#10;'
    """
    return _text(text).replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")
