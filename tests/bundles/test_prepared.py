"""Types are prepared before threads decode with them: two threads at once would crash the process."""

import os
import signal
import sys
from pathlib import Path

from tests.support.bundling import compiled

THREADS, PROCESSES = 4, 12
MODEL = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "policies": [
        {
            "id": f"p{number}",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {
                "resource_attrs": [{"key": "a", "op": "eq", "value": number}],
                "time_window": {"days": ["mon"], "timezone": "UTC"},
                "ip_allowlist": ["10.0.0.0/8"],
            },
        }
        for number in range(20)
    ],
}
REQUEST = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d", "properties": {"a": 3}},
    "options": {"explain": True},
}


def test_threads_may_decide_at_once_in_a_fresh_process(tmp_path: Path) -> None:
    """The first decisions of an application, each in its own thread, decode the same clauses and records."""
    path = tmp_path / "model.bundle"
    with path.open("w+b") as file:
        compiled(MODEL).write(file)
    line = [sys.executable, "-c", _PROGRAM, str(path)]
    statuses = [os.spawnv(os.P_WAIT, sys.executable, line) for _ in range(PROCESSES)]
    assert -signal.SIGSEGV not in statuses
    assert statuses == [0] * PROCESSES


_PROGRAM = f"""
import sys, threading
from writ import Engine
sys.setswitchinterval(1e-6)
request = {REQUEST!r}
for _ in range(3):
    engine, start = Engine.open(sys.argv[1], clock=lambda: 0.0), threading.Barrier({THREADS})
    def decide():
        start.wait()
        assert "decision" in engine.decide(request)
    threads = [threading.Thread(target=decide) for _ in range({THREADS})]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""
