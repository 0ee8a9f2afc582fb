"""Shows previews, promotions and drift: as lines for people, as Markdown for a comment, as JSON for machines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import click
import msgspec

from ...store.promotions.promotion import Drift, DriftChange, ElementDifference, Preview, Promotion
from ..output import escaped

FORMATS: Final = ("text", "json", "markdown")
MAX_VALUE: Final = 200
"""The characters of a member's value that a line shows."""

_SHOWN_BEFORE: Final = 40
"""The characters of a long value that a line shows before the first difference."""

_SIGNS = {"added": "+", "changed": "~", "removed": "-", "moved": "↕"}
_MISSING: Final = "(none)"


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
        yield f"    {escaped(line)}" if form == "markdown" and not line.startswith("#") else escaped(line)
        if line.startswith("#") and form == "markdown":
            yield ""


def preview_lines(preview: Preview, target: str, form: str) -> Iterator[str]:
    """Yields what a promotion would do."""
    yield heading(f"{preview.environment} (revision {preview.source_revision}) → {target}", form)
    yield from count_lines(preview.changes)
    yield from element_lines(preview.elements)
    if preview.truncated:
        yield "there are more changes, or more roles that lose policies; compare both models"
    for lost in preview.loses:
        holders = ", ".join(f"{one['type']} {one['id']}" for one in lost.subjects)
        more = ", and more" if lost.truncated else ""
        yield f"role {lost.role} loses {', '.join(lost.policies)} ({lost.left} left): {holders}{more}"
    for use in preview.in_use:
        yield f"not possible: {use.id} in {use.kind} still uses {use.refers_to}"
    if preview.drift.drifted:
        yield f"{target} was edited in place; to overwrite that, promote with --accept-drift:"
        yield from drift_lines(preview.drift)
    yield f"digest {preview.digest}"


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
    yield f"digest {promotion.digest}"


def drift_lines(drift: Drift) -> Iterator[str]:
    """Yields what was edited in place, by whom and when."""
    for one in drift.changes:
        yield f"{_SIGNS[one.change]} {one.kind} {one.id}: {one.change} by {one.by} at {one.time}"
        yield from _members(one)
    if drift.truncated:
        yield "there are more changes"


def difference_lines(found: Sequence[ElementDifference]) -> Iterator[str]:
    """Yields how an environment differs from documents."""
    for one in found:
        yield f"{_SIGNS[one.change]} {one.kind} {one.id}: {one.change} in the environment"


def element_lines(elements: Iterable[ElementDifference]) -> Iterator[str]:
    """Yields the changed elements, each with its new or changed members."""
    for one in elements:
        yield f"{_SIGNS[one.change]} {one.kind} {one.id}"
        yield from _members(one)


def heading(text: str, form: str) -> str:
    """Returns the first line of an answer."""
    return f"#### {text}" if form == "markdown" else text


def count_lines(changes: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Yields the counts of each list that changes, or that nothing does."""
    for kind, counts in changes.items():
        told = ", ".join(f"{count} {change}" for change, count in counts.items() if count)
        yield f"{kind}: {told}"
    if not changes:
        yield "nothing changes"


def _members(change: ElementDifference | DriftChange) -> Iterator[str]:
    """Yields the members of an added element but its id, and those of a changed one that differ."""
    if change.after is None:
        return
    if change.before is None:
        yield from (f"    {name}: {_cut(_text(value))}" for name, value in change.after.items() if name != "id")
        return
    for name in dict.fromkeys([*change.before, *change.after]):
        before, after = change.before.get(name), change.after.get(name)
        if before != after:
            yield f"    {name}: {_changed(_text(before), _text(after))}"


def _text(value: Any) -> str:
    return _MISSING if value is None else msgspec.json.encode(value).decode()


def _changed(before: str, after: str) -> str:
    """Returns both values. Of long ones it shows where they begin to differ, so that no change hides behind the cut."""
    start = 0
    if max(len(before), len(after)) > MAX_VALUE:
        same = next((at for at, (left, right) in enumerate(zip(before, after, strict=False)) if left != right), None)
        start = max(0, (min(len(before), len(after)) if same is None else same) - _SHOWN_BEFORE)
    return f"{_cut(before, start)} → {_cut(after, start)}"


def _cut(text: str, start: int = 0) -> str:
    """Returns MAX_VALUE characters of a text, from `start` on. An ellipsis stands for what is left out."""
    end = start + MAX_VALUE
    return f"{'…' if start else ''}{text[start:end]}{'…' if len(text) > end else ''}"
