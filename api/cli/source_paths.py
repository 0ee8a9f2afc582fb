"""The paths on a command line: of any file or folder, and of sources."""

from pathlib import Path
from typing import Any

import click


class FilePath(click.Path):
    """A file or a folder. The command opens it itself: if that fails, its message has the remedy, unlike click's."""

    def __init__(self, **options: Any) -> None:
        """`options` are those of click, such as `exists` or `dir_okay`."""
        super().__init__(readable=False, path_type=Path, **options)


class SourcePath(FilePath):
    """A file or a folder. An empty argument is refused: it would mean the present folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See click. Fails for an empty text."""
        if value == "":
            self.fail("an empty argument names no file; is a variable of the shell not set?", param, ctx)
        return super().convert(value, param, ctx)
