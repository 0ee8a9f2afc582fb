"""Results as a log in SARIF 2.1.0, which code scanners and editors read."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec

from ....compiler.diagnostics.codes import CODES
from ....compiler.diagnostics.diagnostic import Diagnostic
from ..output import escaped

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


class SarifRule(NamedTuple):
    """A rule of a log: its name, its level (`error`, `warning` or `note`), and what a result of it says."""

    name: str
    level: str
    meaning: str


class SarifResult(NamedTuple):
    """A result of a rule. `line` and `column` count from 1. They are 0 for a whole file, and `file` is "" for none."""

    rule: SarifRule
    text: str
    file: str = ""
    line: int = 0
    column: int = 0
    length: int = 1


_RULES: Final = {code.name: SarifRule(code.name, code.severity, code.meaning) for code in CODES}


def show_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """Returns diagnostics as one SARIF log with one run."""
    return sarif_log([_result_of(one) for one in diagnostics])


def sarif_log(results: Sequence[SarifResult]) -> str:
    """Returns results as one SARIF log with one run, which has their rules. A column is one character."""
    from importlib.metadata import version  # PERF: it takes 20 ms, which no other format of `writ check` needs

    rules = sorted({result.rule for result in results})
    places = {rule: place for place, rule in enumerate(rules)}
    driver = {"name": "writ", "version": version("writ-pdp"), "rules": [*map(_shown_rule, rules)]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_shown_result(one, places[one.rule]) for one in results],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return escaped(msgspec.json.encode(log).decode())


def _result_of(one: Diagnostic) -> SarifResult:
    text = one.message + (f" ({one.help})" if one.help else "")
    return SarifResult(_RULES[one.code], text, one.file, one.line, one.column, one.length)


def _shown_rule(rule: SarifRule) -> dict[str, Any]:
    text = {"text": f"{rule.meaning[0].upper()}{rule.meaning[1:]}."}
    return {
        "id": rule.name,
        "shortDescription": text,
        "help": text,
        "defaultConfiguration": {"level": rule.level},
    }


def _shown_result(one: SarifResult, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": one.rule.name,
        "ruleIndex": rule,
        "level": one.rule.level,
        "message": {"text": one.text},
    }
    if one.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(one.file)}}
        if one.line:
            place["region"] = {
                "startLine": one.line,
                "startColumn": one.column,
                "endColumn": one.column + max(one.length, 1),
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
