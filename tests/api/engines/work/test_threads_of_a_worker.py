"""The table of `writ.api.engines.work` has every thread that the service starts."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from writ.api.engines import work

from tests.support.structure import ROOT

STARTERS = {"FairThreads", "QueueThread", "ThreadPoolExecutor", "Thread"}
ELSEWHERE = {
    "writ-follow": "it belongs to an application that follows bundles",
    "writ-mirror": "it belongs to an application that keeps a mirror of grants",
    "telemetry-end": "it ends the sending of traces",
    "lease": "it belongs to the process that keeps a server's lease",
    "late-renewals": "it belongs to that process too",
    "duty": "it belongs to that process too, or to a publisher",
}
UNNAMED = {
    "api/engines/work/fair_threads.py": "the pool takes its name from its caller",
    "api/telemetry/bounded_queue.py": "the thread takes its name from its caller",
    "api/client/testing/fake_service.py": "the thread belongs to a test of an application",
    "api/cli/reconciling/setting.py": "the pool belongs to a command",
    "api/engines/jobs/body.py": "the thread belongs to the process of a job",
    "api/review/people/bounded_comparison.py": "the thread belongs to the process of a job",
}


def started() -> Iterator[tuple[str, str]]:
    """The file and the name of each thread or pool."""
    for path in sorted((ROOT / "api").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _name(node.func) in STARTERS:
                yield str(path.relative_to(ROOT)), _text(node)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _text(call: ast.Call) -> str:
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "name")]
    return next((one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)), "")


def test_the_table_has_every_thread() -> None:
    threads = (work.__doc__ or "").partition("| thread |")[2]
    listed = set(re.findall(r"^\| `([\w-]+)` \|", threads, re.MULTILINE))
    assert listed == {name for _, name in started() if name} - ELSEWHERE.keys()
    assert {file for file, name in started() if not name} == UNNAMED.keys()


def test_the_table_of_mechanisms_names_modules_that_exist() -> None:
    mechanisms = (work.__doc__ or "").partition("| thread |")[0]
    for cell in re.findall(r"\| ([^|]+) \|$", mechanisms, re.MULTILINE)[1:]:
        for name in re.findall(r"`([\w/]+)`", cell):
            places = [Path(*start, name) for start in ((), ("api",), ("api", "engines", "work"))]
            assert any((ROOT / place).is_dir() or (ROOT / place).with_suffix(".py").exists() for place in places), name
