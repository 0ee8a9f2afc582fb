"""Shows diagnostics as text, with the place underlined in its line, and as JSON."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ...bundles.wording import visible
from ..source import Place, Source, SourceText
from .diagnostic import Diagnostic

MAX_EXCERPT = 60
"""The number of characters of a line that are shown before a place, and from it on."""

_JSON_MEMBERS = ("code", "severity", "message", "file", "line", "column", "path", "help")


def show_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Returns a JSON array of objects with code, severity, message, file, line, column, path and help."""
    shown = [{member: getattr(diagnostic, member) for member in _JSON_MEMBERS} for diagnostic in diagnostics]
    return msgspec.json.format(msgspec.json.encode(shown)).decode()


def show_text(diagnostics: Iterable[Diagnostic], sources: Sequence[Source]) -> Iterator[str]:
    """Yields the lines of each diagnostic: place, code and message; the underlined excerpt; the help."""
    texts = {source.name: SourceText(source, replace=True) for source in sources}
    for diagnostic in diagnostics:
        yield "\n".join(_lines(diagnostic, texts.get(diagnostic.file)))


def _lines(diagnostic: Diagnostic, text: SourceText | None) -> Iterator[str]:
    place = f"{visible(diagnostic.file)}:{diagnostic.line}:{diagnostic.column}: " if diagnostic.line else ""
    if diagnostic.file and not diagnostic.line:
        place = f"{visible(diagnostic.file)}: "
    yield f"{place}{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    if diagnostic.line and text is not None:
        yield from _excerpt(diagnostic, text)
    if diagnostic.help:
        yield f"  help: {diagnostic.help}"


def _excerpt(diagnostic: Diagnostic, text: SourceText) -> Iterator[str]:
    start = text.offset_of(Place(diagnostic.line, diagnostic.column))
    before = text.slice(max(start - MAX_EXCERPT - 1, 0), start).rpartition("\n")[2]
    after = text.slice(start, start + MAX_EXCERPT + 1).partition("\n")[0].rstrip("\r")
    if len(before) > MAX_EXCERPT:
        before = "…" + before[1:]
    if len(after) > MAX_EXCERPT:
        after = after[:MAX_EXCERPT] + "…"
    carets = "^" * max(min(diagnostic.length, len(after)), 1)
    yield f"  {visible(before)}{visible(after)}"
    yield f"  {' ' * len(before)}{carets}"
