"""SQL as fragments: text of ours, the caller's columns, and values, which are always bound."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ValueType: TypeAlias = Literal["text", "integer", "real", "decimal", "boolean", "texts"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the mapping named it."""

    named: Any


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value, with its type for drivers that ask; `texts` is an array."""

    value: Any
    type: ValueType


Fragment: TypeAlias = str | Column | Parameter
Sql: TypeAlias = tuple[Fragment, ...]
CHUNK = 50
"""So many conditions stand in one row at most: engines limit how deep `a AND b AND c …` may nest, SQLite at 1,000."""


def sql(template: str, *parts: "Sql | Fragment") -> Sql:
    """The template with the parts in the places of its `{}`.

    >>> sql("{} = {}", Column("a"), Parameter(1, "integer"))
    (Column(named='a'), ' = ', Parameter(value=1, type='integer'))
    """
    texts = template.split("{}")
    assert len(texts) == len(parts) + 1, template
    found: list[Fragment] = [texts[0]]
    for part, text in zip(parts, texts[1:], strict=True):
        found.extend(part if isinstance(part, tuple) else (part,))
        found.append(text)
    return tuple(fragment for fragment in found if fragment != "")


def listed(parts: "list[Sql] | list[Parameter]") -> Sql:
    """The parts with commas between them."""
    return sql(", ".join(["{}"] * len(parts)), *parts)


def joined(word: str, parts: list[Sql]) -> Sql:
    """The parts in brackets with AND or OR between them, long rows in brackets of their own."""
    while len(parts) > CHUNK:
        parts = [joined(word, parts[start : start + CHUNK]) for start in range(0, len(parts), CHUNK)]
    return parts[0] if len(parts) == 1 else sql(f"({f' {word} '.join(['{}'] * len(parts))})", *parts)
