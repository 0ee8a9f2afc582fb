"""Exported tables: no spreadsheet calculates what a stranger wrote into the model (issue 19, items 6 and 8)."""

import csv
import io
import re

import pytest

from tests.support.console import Desk

pytestmark = pytest.mark.browser

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
FORMULAS = [
    "=2",
    "+2",
    "-2",
    "@SUM(1)",
    "\n=2",
    " =3",
    "\u00a0=4",
    "\u200b=7",
    "\u200e\u2066=7",
    "\u3164=7",
    "\uff1d1",
    "\uff20SUM(1)",
    '"=1',
    'x;=HYPERLINK("http://example.com";"y")',
    "x; =1",
    "x\t=1",
    "x\n\u00a0=1",
    'x;"=1+1;y',
    "\t=1",
    "\r=1",
    ";;=1",
]
PLAIN = ["2026-11-22T14:05:00Z", "a-b", "someone@example.com", "a=b;c", "x; y", "tag: a,-b", "'quoted'", "\u00c5se"]


def written(desk: Desk, rows: list[list[str]]) -> str:
    """A table as the console writes it."""
    return str(
        desk.page.evaluate(
            "async ([module, rows]) => (await import(module)).csv(['first', 'second'], rows)",
            [f"{desk.server.url}/console/parts/csv.js", rows],
        )
    )


def begins_a_formula(cell: str) -> bool:
    """Whether a spreadsheet that skips white, invisible characters and quotes finds a sign."""
    return re.sub(r"^[\s\"\u200b\u200e\u2066\u3164]+", "", cell)[:1] in [*SIGNS]


@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_no_cell_is_a_formula_whatever_separates_cells(at_desk: Desk, separator: str) -> None:
    at_desk.open()
    text = written(at_desk, [[one, "x"] for one in FORMULAS] + [["x", one] for one in FORMULAS])
    cells = [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for cell in row]
    assert len(cells) >= len(FORMULAS) * 2
    assert [cell for cell in cells if begins_a_formula(cell)] == []


def test_what_is_no_formula_stays_as_it_is(at_desk: Desk) -> None:
    at_desk.open()
    text = written(at_desk, [[one, one] for one in PLAIN])
    rows = [*csv.reader(io.StringIO(text, newline=""))][1:]
    assert rows == [[one, one] for one in PLAIN]


def test_a_long_run_of_white_is_written_at_once(at_desk: Desk) -> None:
    at_desk.open()
    took = at_desk.page.evaluate(
        "async (module) => { const { csv } = await import(module); const began = performance.now();"
        " csv(['first'], [['\\t;'.repeat(200000) + 'x']]); return performance.now() - began; }",
        f"{at_desk.server.url}/console/parts/csv.js",
    )
    assert took < 30_000, "to look behind each white character for another one takes minutes"
