"""The callers of an agent, without a server: when a change counts, and what reading them may cost."""

import hashlib
import json
import logging
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from writ.api.agent.service.agent_app import _Versions
from writ.api.agent.service.callers_file import MOST_BYTES, UnusableCallers, read_callers
from writ.api.agent.service.keys_file import CallerKeys


def test_each_list_of_callers_and_each_engine_is_another_version() -> None:
    """A list may come to lie where an earlier one was. Otherwise a revoked token would count for a second more."""
    following = SimpleNamespace(callers=None, newest=None)
    versions = _Versions(SimpleNamespace(following=following, keys=None))  # type: ignore[arg-type]  # it needs these two members alone
    seen: set[Any] = set()
    for number in range(100):
        setattr(following, "newest" if number % 2 else "callers", SimpleNamespace(number=number))
        seen.add(versions.version())
        assert versions.version() in seen
    assert len(seen) == 100


def test_the_longest_file_of_callers_is_read_between_two_decisions(tmp_path: Path) -> None:
    file = tmp_path / "callers"
    line = json.dumps({"name": "app", "sha256": hashlib.sha256(b"").hexdigest()}, separators=(",", ":"))
    names = [line.replace(hashlib.sha256(b"").hexdigest(), f"{number:064x}") for number in range(MOST_BYTES // 96)]
    file.write_text("\n".join(names))
    keys = CallerKeys(file, None, logging.getLogger("tests"), time.thread_time)
    took = []
    for _ in range(5):  # the garbage of other tests may be collected in one of them
        begun = time.thread_time()
        assert len(keys._read()) == len(names)
        took.append(time.thread_time() - begun)
    assert min(took) < 0.05
    file.write_bytes(b" " * (MOST_BYTES + 1))
    with pytest.raises(UnusableCallers, match="more than"):
        read_callers(file)
