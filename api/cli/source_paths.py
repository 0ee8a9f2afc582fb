"""The paths of sources on a command line."""

from typing import Any

import click


class SourcePath(click.Path):
    """A file or a folder. An empty argument is refused: it would mean the present folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """See click. Fails for an empty text."""
        if value == "":
            self.fail("an empty argument names no file; is a variable of the shell not set?", param, ctx)
        return super().convert(value, param, ctx)
