"""Workers and signals."""

from pathlib import Path

from tests.support.server import running, wait_until

SIGNALLED = """
import importlib, os, signal, sys
from pathlib import Path

here = Path(__file__).parent
sys.path.remove(str(here))
del sys.modules["uvloop"]
real = importlib.import_module("uvloop")
new_event_loop = real.new_event_loop


def signalled():
    try:
        (here / "once").touch(exist_ok=False)
    except FileExistsError:
        pass
    else:
        os.kill(os.getpid(), signal.SIGTERM)
    return new_event_loop()


real.new_event_loop = signalled
"""
"""Takes the place of uvloop: the first worker that asks for a loop, while it boots, gets a signal then."""


def test_a_worker_that_is_asked_to_stop_while_it_boots_stops(tmp_path: Path) -> None:
    """A lost signal would let the master wait for `GRACEFUL_SECONDS` when it stops."""
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "uvloop.py").write_text(SIGNALLED)
    with running(tmp_path / "data", path=[tmp_path / "first"]) as server:
        assert wait_until(lambda: server.log.count("Booting worker") == 2) is True, server.log
        assert server.log.count("Worker exiting") == 1
        assert server.stop() == 0
        assert server.log.count("Worker exiting") == 2
