"""The dashboard and the alert rules: they ask for metrics and labels that exist, and promtool accepts them."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from writ.api.service.routes.all_routes import COUNTED
from writ.api.telemetry.metrics.definitions import METRICS
from writ.api.telemetry.metrics.metric import Metric, MetricType, Split

from tests.support.server import ROOT

FOLDER = ROOT / "api/telemetry/metrics"
ALERTS, DASHBOARD = FOLDER / "alerts.yaml", FOLDER / "dashboard.json"
TESTS = Path(__file__).with_name("alerts.test.yaml")
PROMTOOL = shutil.which("promtool")

NAMES = {metric.name: metric for metric in METRICS} | {
    f"{metric.name}{end}": metric
    for metric in METRICS
    if metric.kind is MetricType.HISTOGRAM
    for end in ("_bucket", "_sum", "_count")
}
OF_PROMETHEUS = {"job", "instance", "le"}
_SELECTED = re.compile(r"\b((?:writ|process)_\w+)(?:\{([^{}]*(?:\{env\}[^{}]*)*)\})?")
_MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text())["panels"]
    return found


def expressions() -> Iterator[tuple[str, str]]:
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in panels():
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]
    for variable in json.loads(DASHBOARD.read_text())["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]["query"]


EXPRESSIONS = list(expressions())
NAMED = [pytest.param(expression, id=title) for title, expression in EXPRESSIONS]


def values_of(metric: Metric, label: str) -> set[str] | None:
    """The values that a label of a metric may have, or None if they are not known."""
    if metric.split is Split.ROUTE and label in ("route", "method"):
        return {"", *(route[("route", "method").index(label)] for route in COUNTED)}
    if label not in metric.labels:
        return None
    return {series[metric.labels.index(label)] for series in metric.series}


@pytest.mark.parametrize("expression", NAMED)
def test_an_expression_asks_for_metrics_that_exist(expression: str) -> None:
    asked = re.findall(r"\b(?:writ|process)_\w+", expression)
    assert {name for name in asked if name not in NAMES} == set()
    assert asked or "up{" in expression


@pytest.mark.parametrize("expression", NAMED)
def test_an_expression_selects_by_labels_and_values_that_exist(expression: str) -> None:
    for name, selected in _SELECTED.findall(expression):
        metric = NAMES[name]
        for label, operator, value in _MATCHER.findall(selected):
            assert label in {*metric.all_labels, *OF_PROMETHEUS}, f"{name} has no label {label}"
            known = values_of(metric, label)
            if known is None or value.startswith("$"):
                continue
            pattern = value.replace("{env}", r"\{env\}") if "~" in operator else re.escape(value)
            assert any(re.fullmatch(pattern, one) for one in known), f"{label} of {name} is never {value}"


@pytest.mark.parametrize("expression", NAMED)
def test_an_expression_groups_by_labels_that_exist(expression: str) -> None:
    labels = {
        *OF_PROMETHEUS,
        *(label for name in re.findall(r"\b(?:writ|process)_\w+", expression) for label in NAMES[name].all_labels),
    }
    for grouped in re.findall(r"\bby \(([^)]*)\)", expression):
        assert {label.strip() for label in grouped.split(",")} <= labels


def test_a_counter_is_never_asked_for_without_a_rate() -> None:
    for title, expression in EXPRESSIONS:
        for name in re.findall(r"\b(?:writ|process)_\w+", expression):
            if NAMES[name].kind is not MetricType.GAUGE and "label_values" not in expression:
                assert re.search(rf"\b(rate|increase)\({name}\b", expression), title


def test_every_metric_is_on_the_dashboard() -> None:
    shown = {NAMES[name] for panel in panels() for one in panel.get("targets", ()) for name in _names(one["expr"])}
    assert {metric.name for metric in METRICS} == {metric.name for metric in shown}


def _names(expression: str) -> list[str]:
    return re.findall(r"\b(?:writ|process)_\w+", expression)


def test_the_panels_have_their_places() -> None:
    numbers = [panel["id"] for panel in panels()]
    assert len(set(numbers)) == len(numbers)
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        place = panel["gridPos"]
        cells = {(place["x"] + right, place["y"] + down) for right in range(place["w"]) for down in range(place["h"])}
        assert place["x"] + place["w"] <= 24
        assert not taken & cells, panel["title"]
        taken |= cells


def test_every_alert_says_what_to_do() -> None:
    for rule in rules():
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert {*rule["annotations"]} == {"summary", "action"}
        assert all(text.endswith(".") for text in rule["annotations"].values())


def test_the_tests_of_the_alerts_name_alerts_that_exist() -> None:
    tested = {
        one["alertname"] for test in yaml.safe_load(TESTS.read_text())["tests"] for one in test["alert_rule_test"]
    }
    assert tested <= {rule["alert"] for rule in rules()}
    assert len(tested) >= 6


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
def test_promtool_accepts_the_rules_and_their_tests(tmp_path: Path) -> None:
    for file in (ALERTS, TESTS):
        shutil.copy(file, tmp_path)
    for line in (("check", "rules", ALERTS.name), ("test", "rules", TESTS.name)):
        done = subprocess.run([str(PROMTOOL), *line], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
