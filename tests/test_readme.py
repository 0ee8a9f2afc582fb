"""What the README shows is what happens: its requests, answers, models, limits and commands."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from writ.api.settings import HttpLimits, settings_from
from writ.api.store.audit.events import Event
from writ.bundles import zones
from writ.compiler.load import load
from writ.compiler.source import Source
from writ.runtime import Engine

from tests.support.bundling import demo_bundle
from tests.support.command import writ

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def block(mark: str) -> str:
    """The fenced block after a mark."""
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert found, mark
    return found[1]


def blocks(language: str) -> list[str]:
    """All fenced blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def sent(command: str) -> dict[str, Any]:
    """The body that a command sends."""
    words = shlex.split(command)
    body: dict[str, Any] = json.loads(words[words.index("-d") + 1])
    return body


def test_the_demo_request_has_the_demo_answer(tmp_path):
    demo_bundle(tmp_path / "demo.bundle")
    engine = Engine.open(tmp_path / "demo.bundle")
    assert engine.decide(sent(block("demo request").partition("\n\n")[2])) == json.loads(block("demo answer"))
    assert engine.filter(sent(block("search request"))) == json.loads(block("search answer"))


def test_the_filter_example_prints_what_it_says(tmp_path, monkeypatch, capsys):
    example = block("filter example")
    (tmp_path / "model.yaml").write_text(blocks("yaml")[0])
    assert writ("compile", "model.yaml", "-o", "model.bundle", cwd=tmp_path).returncode == 0
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", example, re.MULTILINE)


@pytest.mark.parametrize("number", range(len(blocks("yaml"))))
def test_a_model_is_without_errors(number):
    found = load([Source("readme.yaml", blocks("yaml")[number].encode())], zones.zone_names()).diagnostics
    assert [row for row in found if row.severity == "error"] == []


@pytest.mark.parametrize("number", range(len(blocks("json"))))
def test_what_looks_like_json_is_json(number):
    json.loads(blocks("json")[number])


def test_every_limit_is_listed_with_its_default():
    listed = dict(re.findall(r"\| `(WRIT_\w+)` \| (\d+) \|", README))
    assert settings_from(listed).limits == HttpLimits()
    assert len(listed) == len(fields(HttpLimits))
    for variable in listed:
        assert settings_from({variable: "7"}).limits != HttpLimits(), variable


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_two_commands_are_there():
    assert "writ serve --demo" in block("start command")
    assert "pytest" in block("test command")


def test_every_event_of_the_audit_log_is_told() -> None:
    section = README.partition("### The audit log")[2].partition("### ")[0]
    assert set(re.findall(r"`([a-z_]+\.[a-z_]+)`", section)) == set(Event)
