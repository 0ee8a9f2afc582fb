"""SQL as fragments: fixed text, the caller's columns, and values, which are always bound as parameters."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ArrayType: TypeAlias = Literal["texts", "integers", "reals", "booleans"]
ValueType: TypeAlias = Literal["text", "integer", "real", "decimal", "boolean", "instant"] | ArrayType


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the mapping names it."""

    named: Any


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value with its type, for drivers that need one. An `instant` is text with its offset, `texts` is an array."""

    value: Any
    type: ValueType


@dataclass(frozen=True, slots=True)
class Given:
    """The caller's condition for a node of direct grants: SQL and its values, or an expression of a library (F8)."""

    condition: Any


Fragment: TypeAlias = str | Column | Parameter | Given
Sql: TypeAlias = tuple[Fragment, ...]
CHUNK = 50
"""The most conditions in one row: engines limit how deep `a AND b AND c …` may nest, SQLite to 1,000."""


def sql(template: str, *parts: "Sql | Fragment") -> Sql:
    """Returns the template with the parts in place of its `{}`.

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


def repeated(template: str, part: Fragment) -> Sql:
    """Returns the template with the same part in place of each of its `{}`."""
    return sql(template, *[part] * template.count("{}"))


def listed(parts: "list[Sql] | list[Parameter]") -> Sql:
    """Returns the parts with commas between them."""
    return sql(", ".join(["{}"] * len(parts)), *parts)


def joined(word: str, parts: list[Sql]) -> Sql:
    """Returns the parts in brackets with AND or OR between them. Long rows have their own brackets."""
    while len(parts) > CHUNK:
        parts = [joined(word, parts[start : start + CHUNK]) for start in range(0, len(parts), CHUNK)]
    return parts[0] if len(parts) == 1 else sql(f"({f' {word} '.join(['{}'] * len(parts))})", *parts)
