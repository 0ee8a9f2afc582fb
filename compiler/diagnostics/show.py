"""Shows diagnostics as text, with the place underlined in its line, and as JSON."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ...bundles.wording import visible
from ..source import Source, SourcePosition, SourceText
from .diagnostic import Diagnostic

MAX_EXCERPT = 60
"""The number of characters of a line that are shown before a place, and from it on."""

MAX_PLACES = 5
"""The number of further places that are listed of diagnostics that say the same."""

_QUOTED = re.compile(r"`[^`]*`")
_JSON_MEMBERS = ("code", "severity", "message", "file", "line", "column", "path", "help")


def show_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Returns a JSON array of objects with code, severity, message, file, line, column, path and help."""
    shown = [{member: getattr(diagnostic, member) for member in _JSON_MEMBERS} for diagnostic in diagnostics]
    return msgspec.json.format(msgspec.json.encode(shown)).decode()


def show_text(diagnostics: Iterable[Diagnostic], sources: Sequence[Source]) -> Iterator[str]:
    """Yields the lines of each diagnostic: place, code and message; the underlined excerpt; the help; further places.

    Warnings that say the same of different things are one, with the place of the first and up to MAX_PLACES others.
    Errors are one if they have the same message and help, since each needs its own remedy.
    """
    texts = {source.name: SourceText(source, replace=True) for source in sources}
    for first, *others in _alike(diagnostics):
        yield "\n".join([*_lines(first, texts.get(first.file)), *_further(first, others)])


def _alike(diagnostics: Iterable[Diagnostic]) -> Iterable[list[Diagnostic]]:
    """Returns the diagnostics in groups that say the same, in the order of their first ones."""
    groups: dict[tuple[str, ...], list[Diagnostic]] = defaultdict(list)
    for one in diagnostics:
        is_warning = one.severity == "warning"
        said = (_QUOTED.sub("", one.message),) if is_warning else (one.message, one.help)
        groups[one.severity, one.code, *said].append(one)
    return groups.values()


def _further(first: Diagnostic, others: Sequence[Diagnostic]) -> Iterator[str]:
    """Yields the places of diagnostics like the first one, and the words in which their messages differ from its."""
    for one in others[:MAX_PLACES]:
        said, known = _QUOTED.findall(one.message), _QUOTED.findall(first.message)
        differing = dict.fromkeys(word for word, before in zip(said, known, strict=False) if word != before)
        yield f"  also at {_place(one)}" + (f": {', '.join(differing)}" if differing else "")
    if len(others) > MAX_PLACES:
        yield f"  and {len(others) - MAX_PLACES} more"


def _lines(diagnostic: Diagnostic, text: SourceText | None) -> Iterator[str]:
    place = f"{_place(diagnostic)}: " if diagnostic.file else ""
    yield f"{place}{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    if diagnostic.line and text is not None:
        yield from _excerpt(diagnostic, text)
    if diagnostic.help:
        yield f"  help: {diagnostic.help}"


def _place(diagnostic: Diagnostic) -> str:
    place = f":{diagnostic.line}:{diagnostic.column}" if diagnostic.line else ""
    return f"{visible(diagnostic.file)}{place}"


def _excerpt(diagnostic: Diagnostic, text: SourceText) -> Iterator[str]:
    start = text.offset_of(SourcePosition(diagnostic.line, diagnostic.column))
    before = text.slice(max(start - MAX_EXCERPT - 1, 0), start).rpartition("\n")[2]
    after = text.slice(start, start + MAX_EXCERPT + 1).partition("\n")[0].rstrip("\r")
    if len(before) > MAX_EXCERPT:
        before = "…" + before[1:]
    if len(after) > MAX_EXCERPT:
        after = after[:MAX_EXCERPT] + "…"
    carets = "^" * max(min(diagnostic.length, len(after)), 1)
    yield f"  {visible(before)}{visible(after)}"
    yield f"  {' ' * len(before)}{carets}"
