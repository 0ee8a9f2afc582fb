"""Sentences about bundles and diagnostics that several commands print."""

from collections.abc import Sequence
from pathlib import Path

from ...compiler.diagnostics.diagnostic import Diagnostic
from ..engines.live.build import DOCUMENT_ENDINGS


def bundle_sentence(path: Path, error: Exception) -> str:
    """Returns what is wrong with a bundle file. Mentions `writ compile` if the file is a model document.

    >>> bundle_sentence(Path("model.yaml"), ValueError("this is not a Writ bundle"))
    'model.yaml: this is not a Writ bundle; compile the model document with `writ compile`'
    """
    remedy = "; compile the model document with `writ compile`" if path.suffix.lower() in DOCUMENT_ENDINGS else ""
    return f"{path}: {error}{remedy}"


def folder_sentence(path: Path) -> str:
    """Returns the advice for a folder in place of a bundle.

    >>> folder_sentence(Path("policies"))
    'policies: this is a folder; compile its model documents with `writ compile` first'
    """
    return f"{path}: this is a folder; compile its model documents with `writ compile` first"


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Returns the counts of findings, like `2 errors, 1 warning`."""
    counted = []
    for severity in ("error", "warning"):
        count = sum(diagnostic.severity == severity for diagnostic in diagnostics)
        if count:
            counted.append(f"{count} {severity}{'s' if count != 1 else ''}")
    return ", ".join(counted)
