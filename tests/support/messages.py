"""The sentences that the program can say: every text in its source, `…` for what is filled in."""

import ast
import re
from functools import cache
from typing import Final

from tests.support.structure import FILES, nodes

_FILLED_IN: Final = re.compile(r"%[sdr]|%\.\df")


@cache
def messages() -> frozenset[str]:
    """Returns all texts of the source, those of f-strings too."""
    return frozenset(text for path in FILES for node in nodes(path) if (text := _text(node)) is not None)


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _FILLED_IN.sub("…", node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    return None
