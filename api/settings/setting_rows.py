"""The rows of the table of settings: each is a field of a dataclass, with its variable, reader and default."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Final

from .setting_readers import AnyReader

_ROW: Final = "row"


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of the table: the variable, the reader of its text, its default, and one sentence for the operator."""

    variable: str
    reader: AnyReader
    default: Any
    sentence: str

    @property
    def shown_default(self) -> str:
        """Returns the default as text, which is empty if there is none."""
        return (
            ""
            if self.default is None
            else f"{self.default:g}"
            if isinstance(self.default, float)
            else str(self.default)
        )


def setting(variable: str, reader: AnyReader, default: Any, sentence: str) -> Any:
    """Returns the field of a dataclass that is a row of the table."""
    return field(default=default, metadata={_ROW: Setting(variable, reader, default, sentence)})


def rows_of(of: type) -> Iterator[tuple[str, Setting]]:
    """Yields each row of a dataclass with the name of its field."""
    for one in fields(of):
        if _ROW in one.metadata:
            yield one.name, one.metadata[_ROW]
