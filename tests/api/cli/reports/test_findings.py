"""The findings of `writ check` for machines: SARIF 2.1.0, commands for GitHub, JUnit XML."""

import json
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from writ.api.cli.reports.finding_formats import show_findings
from writ.bundles import zones
from writ.compiler.diagnostics.codes import CODES
from writ.compiler.diagnostics.diagnostic import Diagnostic
from writ.compiler.load import load
from writ.compiler.source import Source

NAMES = ("dir/a b,1:2%.yaml", "good.yaml")
GOOD = b"model: 1\nresource_types: [{id: document, actions: [read]}]\n"
BAD = b"""\
model: 1
policies:
  - {id: p, effect: ALOW, resource_types: [{resource_type_id: documnt, actions: [read]}]}
  - {id: q, effect: ALLOW, resource_types: [{resource_type_id: document, actions: [read]}]}
"""


@pytest.fixture(scope="module")
def found():
    sources = [Source(NAMES[0], BAD), Source(NAMES[1], GOOD)]
    return load(sources, zones.zone_names()).diagnostics


def test_there_is_an_error_and_a_warning(found):
    assert {one.severity for one in found} == {"error", "warning"}


def test_sarif_has_every_finding_with_its_place_and_its_rule(found):
    log = json.loads(show_findings(found, NAMES, "sarif", strict=False))
    assert (log["version"], log["$schema"]) == ("2.1.0", "https://json.schemastore.org/sarif-2.1.0.json")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "writ"
    assert run["columnKind"] == "unicodeCodePoints"
    meanings = {code.name: code.meaning for code in CODES}
    for rule in rules:
        assert rule["help"]["text"].casefold() == f"{meanings[rule['id']]}.".casefold()
    for one, result in zip(found, run["results"], strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == one.code
        assert result["level"] == one.severity
        assert one.message in result["message"]["text"]
        assert one.help in result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert unquote(place["artifactLocation"]["uri"]) == one.file
        assert not re.search(r"[ %](?![0-9A-F]{2})", place["artifactLocation"]["uri"])
        region = place["region"]
        assert (region["startLine"], region["startColumn"]) == (one.line, one.column)
        assert region["endColumn"] == one.column + one.length


def test_sarif_of_a_whole_file_and_of_no_file():
    rows = [
        Diagnostic("too-large", "error", "m", "/abs/x.yaml", 0, 0, "$"),
        Diagnostic("too-many", "error", "m", "", 0, 0, "$"),
    ]
    whole, none = json.loads(show_findings(rows, [], "sarif", strict=False))["runs"][0]["results"]
    assert whole["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "file:///abs/x.yaml"}}}]
    assert "locations" not in none


def test_no_findings_are_a_log_without_results():
    (run,) = json.loads(show_findings([], ["a.yaml"], "sarif", strict=False))["runs"]
    assert run["results"] == []


def unescaped(text, more=()):
    for written, meant in (*more, ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(written, meant)
    return text


def test_a_workflow_command_is_one_line_and_decodes_to_the_finding(found):
    lines = show_findings(found, NAMES, "github", strict=False).splitlines()
    for one, line in zip(found, lines, strict=True):
        severity, told, message = re.fullmatch(r"::(\w+) ([^ :]*(?: [^:]*)?)::(.*)", line).groups()
        properties = dict(part.split("=", 1) for part in told.split(","))
        plain = {name: unescaped(value, [("%3A", ":"), ("%2C", ",")]) for name, value in properties.items()}
        assert severity == one.severity
        assert plain["file"] == one.file
        assert (plain["line"], plain["col"], plain["endColumn"]) == (
            str(one.line),
            str(one.column),
            str(one.column + one.length),
        )
        assert unescaped(message) == one.message + (f"\n{one.help}" if one.help else "")


def test_a_workflow_command_can_not_be_forged():
    row = Diagnostic("x", "error", "m\n::set-output name=a::b\r%", "f,line=9\n::error::.yaml", 1, 1, "$")
    (line,) = show_findings([row], [], "github", strict=False).splitlines()
    assert line == (
        "::error title=writ x,file=f%2Cline=9%0A%3A%3Aerror%3A%3A.yaml,line=1,col=1,endColumn=2"
        "::m%0A::set-output name=a::b%0D%25"
    )


def test_junit_counts_errors_as_failures_and_names_every_file(found):
    for strict in (False, True):
        root = ElementTree.fromstring(show_findings(found, NAMES, "junit", strict))
        suites = root.findall("testsuite")
        assert [suite.get("name") for suite in suites] == list(NAMES)
        errors = [one for one in found if strict or one.severity == "error"]
        failures = root.findall(".//failure")
        assert [one.get("type") for one in failures] == [one.code for one in errors]
        assert int(root.get("failures")) == len(errors)
        assert int(root.get("tests")) == len(root.findall(".//testcase")) == len(found) + 1
        assert all(suite.get("tests") == str(len(suite.findall("testcase"))) for suite in suites)
        assert found[0].message in failures[0].get("message")
    assert suites[1].find("testcase").get("name") == "no findings"


def test_junit_is_xml_whatever_a_file_is_called():
    row = Diagnostic("x", "error", "<&>\x00\ud800", 'a"\n\x1b<.yaml', 1, 1, "$")
    root = ElementTree.fromstring(show_findings([row], [], "junit", strict=False))
    assert root.find("testsuite").get("name") == 'a"\n\ufffd<.yaml'
    assert "<&>\ufffd\ufffd" in root.find(".//failure").text
