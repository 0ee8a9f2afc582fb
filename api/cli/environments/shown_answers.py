"""Shows previews, promotions and drift: as lines for people, as Markdown for a comment, as JSON for machines."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import click
import msgspec

from ....bundles.wording import in_backticks, quoted
from ....compiler.language.words import STATEMENT_OF
from ...endpoints.management.promotions.promotion_shapes import PreviewAnswer, PromotionRecord
from ...review.effects import words_of_counts
from ...review.people.people_lines import people_lines
from ...review.testing.tests_gate import GateOutcome
from ...store.promotions.promotion import Drift, ElementDifference, Promotion
from ..output import escaped

FORMATS: Final = ("text", "json", "markdown")

_MARKUP: Final = re.compile(r"[\\`*_~<>&|\[\]]")


def show(lines: Iterable[str], form: str, answer: object) -> None:
    """Prints an answer: its `lines` as text or Markdown, or the answer itself as JSON."""
    if form == "json":
        click.echo(escaped(msgspec.json.encode(answer).decode()))
        return
    for line in rendered(lines, form):
        click.echo(line)


def rendered(lines: Iterable[str], form: str) -> Iterator[str]:
    """Yields lines as they are printed. In Markdown, all but headings are a block of code."""
    for line in lines:
        shown = escaped(line)
        yield f"    {shown}".rstrip() if form == "markdown" and not line.startswith("#") else shown
        if line.startswith("#") and form == "markdown":
            yield ""


def preview_lines(preview: PreviewAnswer, target: str, form: str) -> Iterator[str]:
    """Yields what a promotion would do."""
    yield heading(f"{preview.environment} (revision {preview.source_revision}) → {target}", form)
    if preview.people is not None:
        yield from people_lines(preview.people)
    yield from count_lines(preview.changes)
    for one in preview.renames:
        yield f"role {quoted(one.old)} becomes {quoted(one.new)}: its assignments are carried over"
    yield from element_lines(preview.elements)
    if preview.truncated:
        yield "there are more changes; compare both models"
    yield from _test_lines(preview.tests)
    for use in preview.in_use:
        yield f"not possible: {use.named} still uses {in_backticks(use.refers_to)}"
    yield from (f"error: {one}" for one in preview.errors)
    if preview.drift.drifted:
        yield f"{target} was edited in place; to overwrite that, promote with --accept-drift:"
        yield from drift_lines(preview.drift)
    yield f"digest {preview.digest}"


def waiting_lines(waiting: PromotionRecord) -> Iterator[str]:
    """Yields what the approver of a promotion has to see: people, the changed elements, and the stored tests."""
    if waiting.people is not None:
        yield from people_lines(waiting.people)
    yield from element_lines(waiting.elements)
    if waiting.truncated:
        yield "there are more changes; compare both models"
    yield from _test_lines(waiting.tests)


def _test_lines(tests: GateOutcome | None) -> Iterator[str]:
    if tests is not None:
        told = words_of_counts(tests.effects)
        fail = f"{tests.failed} fail ({told})" if told else f"{tests.failed} fail"
        yield f"stored tests: {tests.passed} pass, {fail}, {tests.not_run} not run"
        yield from (f"  fails: {name}" for name in tests.failing)


def promotion_lines(promotion: Promotion, target: str) -> Iterator[str]:
    """Yields what became of a promotion."""
    what = f"{promotion.environment} (revision {promotion.source_revision}) → {target}"
    if promotion.kind == "gateway":
        what = f"the change of the gateway settings of {target}"
    match promotion.status:
        case "pending":
            yield f"{what} waits for an approval: {promotion.id}"
            yield f"approve it with another credential: writ promote --to {target} --approve {promotion.id}"
        case "rejected":
            yield f"{what} is rejected: {promotion.id}"
        case "done":
            yield f"{what} is in force as revision {promotion.revision}: {promotion.id}"
    yield from count_lines(promotion.changes)
    yield from (f"error: {one}" for one in promotion.errors)
    yield f"digest {promotion.digest}"


def drift_lines(drift: Drift) -> Iterator[str]:
    """Yields what was edited in place, by whom and when."""
    for one in drift.changes:
        yield f"{_named(one)}: {one.change} by {one.by} at {one.time}"
        yield from one.text
    if drift.truncated:
        yield "there are more changes"


def element_lines(elements: Iterable[ElementDifference]) -> Iterator[str]:
    """Yields the changed elements in the language, with the lines that go and come, and blank lines between them."""
    before: ElementDifference | None = None
    for one in elements:
        if before is None or before.kind != one.kind or len(before.text) > 1 or len(one.text) > 1:
            yield ""
        if one.change == "moved":
            yield f"↕ {_named(one)} comes earlier or later among the routes:"
        yield from one.text
        before = one


def heading(text: str, form: str) -> str:
    """Returns the first line of an answer. In Markdown, it is the only one whose text could be markup."""
    return "#### " + _MARKUP.sub(r"\\\g<0>", text) if form == "markdown" else text


def count_lines(changes: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yields the counts of each list that changes, or that nothing does."""
    for kind, counts in changes.items():
        told = ", ".join(f"{count} {change}" for change, count in counts.items() if count)
        yield f"{kind}: {told}"
    if not changes:
        yield "nothing changes"


def _named(change: ElementDifference) -> str:
    return f"{STATEMENT_OF[change.kind]} {change.id}"
