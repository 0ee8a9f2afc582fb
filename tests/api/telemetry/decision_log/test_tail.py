"""The tail of a decision log: whole lines, the last one first, whatever is written meanwhile."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writ.api.settings.settings import DecisionLogSettings
from writ.api.telemetry.decision_log.log_start import readable_log
from writ.api.telemetry.decision_log.tail import newest_lines


@given(st.binary(max_size=40).map(lambda data: data.replace(b"\0", b"\n")), st.integers(1, 45))
def test_it_is_the_end_of_the_whole_lines(tmp_path_factory: pytest.TempPathFactory, data: bytes, most: int) -> None:
    path = tmp_path_factory.mktemp("tail") / "log"
    path.write_bytes(data)
    *whole, _unfinished = data.split(b"\n")
    found = [*newest_lines(path, most)]
    assert found == whole[::-1][: len(found)]
    left = sum(len(line) + 1 for line in whole[: len(whole) - len(found)])
    assert not found or len(data) - left <= most
    if len(data) <= most:
        assert len(found) == len(whole)
    elif len(found) < len(whole):
        following = len(whole[len(whole) - len(found) - 1]) + 1
        assert len(data) - left + following >= most, "no line is left out that is in reach"


def test_what_is_no_file_has_none(tmp_path: Path) -> None:
    assert [*newest_lines(tmp_path / "gone")] == []
    assert [*newest_lines(Path(os.devnull))] == []
    os.mkfifo(tmp_path / "pipe")
    assert [*newest_lines(tmp_path / "pipe")] == []
    assert [*newest_lines(tmp_path)] == []


@pytest.mark.parametrize(
    ("target", "shape", "readable"),
    [
        (None, "writ", False),
        ("-", "writ", False),
        ("https://logs.example/", "writ", False),
        ("log.jsonl", "opa", False),
        ("log.jsonl", "writ", True),
    ],
)
def test_a_file_in_our_shape_is_readable(target: str | None, shape: str, readable: bool) -> None:
    found = readable_log(DecisionLogSettings(target=target, shape=shape))
    assert found == (Path("log.jsonl") if readable else None)
