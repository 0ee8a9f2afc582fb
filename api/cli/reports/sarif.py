"""Diagnostics as SARIF 2.1.0, which code scanners and editors read."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import msgspec

from ....compiler.diagnostics.codes import CODES, Code
from ....compiler.diagnostics.diagnostic import Diagnostic
from ..output import escaped

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

_CODES: Final = {code.name: code for code in CODES}


def show_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """Returns diagnostics as one SARIF log with one run. A column is one character."""
    from importlib.metadata import version  # PERF: it takes 20 ms, which no other format of `writ check` needs

    names = sorted({diagnostic.code for diagnostic in diagnostics})
    places = {name: place for place, name in enumerate(names)}
    driver = {"name": "writ", "version": version("writ-pdp"), "rules": [_rule(_CODES[name]) for name in names]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, places[one.code]) for one in diagnostics],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return escaped(msgspec.json.encode(log).decode())


def _rule(code: Code) -> dict[str, Any]:
    text = {"text": f"{code.meaning[0].upper()}{code.meaning[1:]}."}
    return {
        "id": code.name,
        "shortDescription": text,
        "help": text,
        "defaultConfiguration": {"level": code.severity},
    }


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    text = diagnostic.message + (f" ({diagnostic.help})" if diagnostic.help else "")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": diagnostic.severity,
        "message": {"text": text},
    }
    if diagnostic.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(diagnostic.file)}}
        if diagnostic.line:
            place["region"] = {
                "startLine": diagnostic.line,
                "startColumn": diagnostic.column,
                "endColumn": diagnostic.column + max(diagnostic.length, 1),
            }
        result["locations"] = [{"physicalLocation": place}]
    return result


def _uri(file: str) -> str:
    """Returns a file's URI: relative to the current folder, or absolute for an absolute path.

    >>> _uri("./a b/c#.yaml"), _uri("/x/y.json")
    ('a%20b/c%23.yaml', 'file:///x/y.json')
    """
    path = os.path.normpath(file)
    return f"file://{quote(path)}" if Path(path).is_absolute() else quote(path)
