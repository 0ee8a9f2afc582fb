"""The kept inputs of fuzzing keep their laws, without Atheris; and a deep run finds a planted fault and keeps it."""

from importlib.util import find_spec
from itertools import islice
from random import Random

import pytest

from tests.deep.fuzz import group
from tests.deep.fuzz.failing import broken, smallest
from tests.deep.fuzz.kept import data_of, kept, line_of
from tests.deep.fuzz.targets import TARGETS, Target, target
from tests.deep.task import Task

STARTS = 6


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_kept_keeps_its_law(name, tmp_path):
    if name == "envoy":
        pytest.importorskip("google.protobuf", reason="the extra `envoy` is not installed")
    found = target(name)
    law = found.law(tmp_path)
    wrong = {
        line_of(data)[:200]: why
        for data in (*kept(name), *islice(found.starts(), STARTS))
        if (why := broken(law, data))
    }
    assert wrong == {}


@pytest.mark.parametrize("data", [b"", b"\x00\xff\n\\", b"\\x41", "é\u2028".encode(), bytes(range(256))])
def test_a_line_is_read_as_it_was_written(data):
    assert "\n" not in line_of(data)
    assert data_of(line_of(data)) == data


def planted(folder):
    """A law that is broken by each input with an `x` after an `a`."""

    def law(data):
        if b"a" in data and b"x" in data.partition(b"a")[2]:
            raise AssertionError("planted")

    return law


def test_a_finding_becomes_a_small_kept_input(tmp_path, monkeypatch):
    """Without Atheris: its process leaves an input."""
    task = Task("fuzz", Random(5), 60.0, tmp_path, tmp_path / "cases", 5)

    def run(name, folder, seconds, seed):
        folder.mkdir(exist_ok=True)
        (folder / "crash-1").write_bytes(b"some a and some x and more")
        return "#70\tDONE"

    monkeypatch.setattr(group, "run", run)
    group.fuzz(task, Target("planted", planted, lambda: iter(()), lambda pick, data: data), 30.0)
    (path,) = (tmp_path / "cases/found").glob("fuzz_planted_*.txt")
    assert path.read_text() == "ax\n"
    assert kept("planted", tmp_path / "cases") == [b"ax"]
    assert (task.failures, task.examples) == (3, 210)
    assert any(path.name in note for note in task.notes)


def test_what_keeps_its_law_is_not_made_smaller(tmp_path):
    assert smallest(planted(tmp_path), b"harmless") == b"harmless"


def test_a_run_without_atheris_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(group, "find_spec", lambda name: None)
    task = Task("fuzz", Random(5), 60.0, tmp_path, tmp_path, 5)
    group.check_fuzz(task)
    assert (task.failures, task.examples) == (0, 0)
    assert task.notes == ["not run: Atheris is not installed; install the extra `fuzz`"]


@pytest.mark.service
@pytest.mark.skipif(find_spec("atheris") is None, reason="the extra `fuzz` is not installed")
def test_a_target_runs_under_atheris(tmp_path):
    task = Task("fuzz", Random(5), 60.0, tmp_path, tmp_path, 5)
    group.fuzz(task, target("routes"), 2.0)
    assert task.failures == 0, task.notes
    assert task.examples > 0
