"""A deep run finds planted faults, writes them as small tests, and says so."""

import re
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest
from writ.runtime import Engine

from tests.deep import __main__ as deep
from tests.deep import exhaustive, larger, memory, seeded, soak, soak_callers, soak_model
from tests.deep.failures import read_trial, write
from tests.deep.groups import GROUPS
from tests.deep.task import Task
from tests.deep.trial import Trial
from tests.support import oracle
from tests.support.bundling import engine_for
from tests.support.cases import read_case
from tests.support.server import ROOT
from tests.support.strategies import seeded_case
from tests.support.strategies_pick import Pick


@pytest.fixture
def task(tmp_path):
    (tmp_path / "cases").mkdir()
    return Task("planted", Random(5), 60.0, tmp_path, tmp_path / "cases", 5)


def denies_no_secret(change):
    """A `decide` in which a DENY counts only together with an ALLOW."""
    right = Engine.decide

    def wrong(self, request, now=None, *, counts=True):
        answer = right(self, request, now, counts=counts)
        return change(answer) if answer["context"].get("reason_code") == "EXPLICIT_DENY" else answer

    return wrong


@pytest.fixture
def planted(monkeypatch):
    """The engine reports a DENY alone as if nothing applied."""
    wrong = denies_no_secret(
        lambda answer: answer | {"context": {"reason_code": "NO_POLICY_MATCH", "access_path": "none", "reason": "-"}}
    )
    monkeypatch.setattr(Engine, "decide", wrong)


def until_found(task, document, request, now):
    seeded.check(task, [document], [(request, now)], seeded.INDEXED_FROM)
    return sorted(task.cases.glob("*.case"))


def test_a_planted_fault_becomes_a_small_case(task, planted):
    paths = next(filter(None, (until_found(task, *seeded_case(seed)) for seed in range(300))))
    case = read_case(paths[0])
    document, expected = oracle_view(case)
    assert case.answers == [expected]
    assert expected["reason_code"] == "EXPLICIT_DENY"
    assert len(document["policies"]) == 1
    assert not {"grants", "subjects"} & document.keys()
    assert len(document.get("groups", [])) <= 1  # a group may hold the role
    assert task.failures >= 1
    assert any(paths[0].name in note for note in task.notes)


def oracle_view(case):
    import yaml

    document = yaml.safe_load(case.model)
    return document, oracle.decide(document, case.questions[0], 0.0)


def test_the_written_case_holds_once_the_fault_is_gone(task, planted, monkeypatch):
    paths = next(filter(None, (until_found(task, *seeded_case(seed)) for seed in range(300))))
    monkeypatch.undo()
    case = read_case(paths[0])
    document, expected = oracle_view(case)
    answer = engine_for(document, task.folder / "again.bundle").decide(case.questions[0], 0.0)
    assert {"decision": answer["decision"], **answer["context"]} == expected | {"reason": answer["context"]["reason"]}


def test_what_no_case_can_show_becomes_json(task, planted):
    trials = (
        Trial("decide", (seeded_case(1)[0], seeded_case(seed)[0]), (seeded_case(seed)[1:],)) for seed in range(99)
    )
    trial = next(one for one in trials if one.run() is not None)
    trial = replace(trial, law="explain")
    written = write(trial, task.cases, "a test")
    assert written.path.parent == task.cases / "found"
    assert read_trial(written.path) == written.trial
    assert written.trial.run() is not None


def test_the_exhaustive_run_finds_it_and_finds_nothing_else(task, monkeypatch, tmp_path):
    parts = [exhaustive.conditions_part(), exhaustive.roles_part(), exhaustive.facts_part()]
    assert sum(part.requests for part in parts) == 4_708_216
    for part in parts:
        exhaustive.check_block(task, part._replace(worlds=part.worlds[::60]), part.models[::2_000])
    assert (task.failures, task.examples > 500) == (0, True)
    monkeypatch.setattr(Engine, "allowed", lambda *_: True)
    exhaustive.check_block(task, parts[0], parts[0].models[:2])
    assert task.failures > 0


def test_larger_models_are_models_and_agree(task):
    """Whatever is drawn compiles, and so does what it changes to."""
    for seed in range(3):
        pick = Pick.seeded(seed)
        documents = larger.larger_models(pick, 2)
        seeded.check(task, documents, larger.larger_questions(pick, documents[-1], 2), seeded.INDEXED_FROM)
    assert task.failures == 0, task.notes


def test_the_questions_of_the_soak_are_answered_right(tmp_path):
    engine = engine_for(soak_model.model(), tmp_path / "m.bundle")
    questions = soak_model.questions()
    assert {expected["reason_code"] for _, expected in questions} >= {"ALLOWED", "DENY_OVERRIDE", "CONDITION_FAILED"}
    for request, expected in questions:
        answer = engine.decide(request)
        assert {"decision": answer["decision"], **answer["context"]} == expected | {
            "reason": answer["context"]["reason"]
        }
    body = b'{"decision":true,"context":{"reason_code":"ALLOWED","reason":"because"}}'
    assert soak_callers.is_right(200, body, {"decision": True, "reason_code": "ALLOWED"})
    assert not soak_callers.is_right(200, body, {"decision": False, "reason_code": "ALLOWED"})
    assert not soak_callers.is_right(500, body, {"decision": True, "reason_code": "ALLOWED"})


@pytest.mark.parametrize(
    ("samples", "grows"),
    [
        ([100.0] * 200, False),
        ([*range(100, 900, 4)], True),
        ([100.0] * 50 + [300.0] * 150, False),
        ([100.0, 900.0], False),
    ],
)
def test_memory_that_grows_without_end_is_told(samples, grows):
    watch = memory.Watch(0)
    watch._samples = samples
    assert (watch.grows_without_end() is not None) is grows


def test_a_run_ends_with_a_table_and_says_how_to_repeat_it(capsys, tmp_path, planted, monkeypatch):
    """The run has a minute, but its time is over as soon as it has written a case."""
    seconds_left = Task.left.fget
    ended = property(lambda task: 0.0 if [*tmp_path.glob("found_*.case")] else seconds_left(task))
    monkeypatch.setattr(Task, "left", ended)
    assert deep.main(["--group", "seeded", "--minutes", "1", "--seed", "6", "--cases", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("seed 6, 1 minutes\n")
    assert re.search(r"^seeded +[\d,]+ +[1-9][\d,]* +\d+$", shown, re.MULTILINE)
    assert list(tmp_path.glob("found_*.case"))
    assert "python -m tests.deep --group seeded --seed 6" in next(tmp_path.glob("found_*.case")).read_text()


def test_nothing_found_is_exit_code_zero(capsys):
    assert deep.main(["--group", "seeded", "--minutes", "0.02"]) == 0


def test_a_short_soak_ends_well(capsys, tmp_path, monkeypatch):
    """What needs a server, for a few seconds."""
    monkeypatch.setattr(soak, "LEAST_SECONDS", 2.0)
    arguments = ["--group", "wire", "--group", "soak", "--minutes", "0.05", "--cases", str(tmp_path)]
    assert deep.main(arguments) == 0, capsys.readouterr().out
    shown = capsys.readouterr().out
    assert "ordinary callers beside hostile callers" in shown
    assert "memory of all workers" in shown


@pytest.mark.parametrize("wrong", [["--minutes", "0"], ["--minutes", "x"], ["--group", "x"], ["--seed", "x"], ["x"]])
def test_wrong_usage_is_exit_code_two(wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        deep.main(wrong)
    assert ended.value.code == 2


def test_the_help_names_every_group():
    ran = subprocess.run([sys.executable, "-m", "tests.deep", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0
    assert all(f"{group.name} " in ran.stdout for group in GROUPS)


def test_a_drawn_law_that_fails_is_told(tmp_path):
    """The plugin, on a law that does not hold."""
    (tmp_path / "test_law.py").write_text(
        "from hypothesis import given, strategies as st\n@given(st.integers())\ndef test_it(n):\n    assert n < 1000\n"
        "@given(st.integers())\ndef test_other(n):\n    pass\n"
    )
    told = tmp_path / "told.jsonl"
    line = [sys.executable, "-m", "pytest", "-p", "tests.deep.plugin", "--hypothesis-seed=1", f"--deep-told={told}"]
    line += ["--deep-seconds=600", f"--rootdir={tmp_path}", "-c", "/dev/null", str(tmp_path / "test_law.py")]
    subprocess.run(line, cwd=ROOT, capture_output=True)
    from tests.deep.hypotheses import last_of_each

    rows = {row["test"].rpartition("::")[2]: row for row in last_of_each(told)}
    assert (rows["test_it"]["outcome"], rows["test_other"]["outcome"]) == ("failed", "passed")
    assert rows["test_other"]["examples"] >= 400
