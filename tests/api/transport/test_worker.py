"""Workers and signals."""

from pathlib import Path

import pytest

from tests.support.server import running, wait_until

SIGNALLED = """
import importlib, os, signal, sys
from pathlib import Path

here = Path(__file__).parent
try:
    (here / "once").touch(exist_ok=False)
except FileExistsError:
    pass
else:
    os.kill(os.getpid(), signal.SIGTERM)
sys.path.remove(str(here))
if not {with_uvloop}:
    raise ImportError
del sys.modules["uvloop"]
importlib.import_module("uvloop")
"""
"""A module that a worker imports while it boots; the first one gets a signal then."""


@pytest.mark.parametrize("with_uvloop", [False, True])
def test_a_worker_that_is_asked_to_stop_while_it_boots_stops(tmp_path: Path, with_uvloop: bool) -> None:
    """A lost signal would let the master wait for `GRACEFUL_SECONDS` when it stops."""
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "uvloop.py").write_text(SIGNALLED.format(with_uvloop=with_uvloop))
    with running(tmp_path / "data", path=[tmp_path / "first"]) as server:
        assert wait_until(lambda: server.log.count("Booting worker") == 2) is True, server.log
        assert server.log.count("Worker exiting") == 1
        assert server.stop() == 0
        assert server.log.count("Worker exiting") == 2
