"""The complete example: its page shows its code, its own tests pass, and it answers as its page says when it runs."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.support import postgres
from tests.support.pages import page
from tests.support.ports import free_port
from tests.support.server import environment
from tests.support.structure import EXAMPLE
from tests.support.waiting import wait_until

PAGE: Final = page("api/client/example/README.md")
APPLICATION: Final = sorted((EXAMPLE / "documents").glob("*.py"))
OWN_PORT: Final = "http://127.0.0.1:8000"
MOST_GLUE: Final = 12
"""The most statements that are there only because the application asks Writ."""


@pytest.mark.parametrize(
    "block", [one for one in PAGE.blocks if one.language in ("python", "writ")], ids=lambda one: one.name
)
def test_the_page_shows_what_the_files_have(block: Any) -> None:
    sources = [*APPLICATION, *EXAMPLE.glob("tests/*.py"), *EXAMPLE.glob("policies/*.writ")]
    assert any(block.text in path.read_text() for path in sources)


def test_little_of_the_application_is_glue() -> None:
    """Glue is each statement that uses a name of Writ, or one made from it. Imports and signatures do not count."""
    trees = [ast.parse(path.read_text()) for path in APPLICATION]
    names = {"mirror", "may"}
    for one in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)):
        if (one.level == 0 and (one.module or "").startswith("writ")) or one.module == "access":
            names |= {alias.asname or alias.name for alias in one.names}
    glue = sorted({text for tree in trees for text in _using(tree, names)})
    assert len(glue) <= MOST_GLUE, "\n".join(glue)
    assert any(text.startswith("page = authorized(") for text in glue)
    assert any(text.startswith("request.state.mirror.wait(client.grants.share(") for text in glue)


def _using(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Yields the statements that use one of the names. The first line stands for one with a body."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef):
            continue
        own: list[ast.AST] = [node]
        if isinstance(node, ast.With):
            own = [item.context_expr for item in node.items]
        elif isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
            continue
        used = {one.id for part in own for one in ast.walk(part) if isinstance(one, ast.Name)}
        used |= {one.attr for part in own for one in ast.walk(part) if isinstance(one, ast.Attribute)}
        if used & names or "'type': 'user'" in ast.unparse(node):
            yield ast.unparse(node).splitlines()[0]


@pytest.mark.service
def test_its_policies_pass_their_tests() -> None:
    line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    done = subprocess.run(line, cwd=EXAMPLE, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 passed" in done.stdout


@dataclass
class Running:
    """The example, started by its command."""

    process: subprocess.Popen[bytes]
    log: Path
    url: str
    agent_url: str
    service_port: int

    @property
    def service(self) -> int:
        """The process group of the service."""
        bound = b"--bind\x00127.0.0.1:%d\x00" % self.service_port
        lines = ((path, path.read_bytes()) for path in Path("/proc").glob("[0-9]*/cmdline"))
        return os.getpgid(next(int(path.parent.name) for path, line in lines if bound in line))

    def ask(self, user: str, method: str, path: str, body: Any = None) -> httpx.Response:
        return httpx.request(method, self.url + path, headers={"X-User": user}, json=body, timeout=30)

    def titles(self, user: str, query: str = "") -> list[str]:
        return [one["title"] for one in self.ask(user, "GET", f"/documents{query}").raise_for_status().json()]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    postgres.needed()
    folder = tmp_path_factory.mktemp("example")
    ports = {name: free_port() for name in ("app", "service", "agent")}
    options = [part for name, port in ports.items() for part in (f"--{name}-port", str(port))]
    kept = {name: value for name, value in environment({"TMPDIR": "/tmp"}).items() if name != "DATABASE_URL"}
    with (folder / "log").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, EXAMPLE / "start.py", *options], env=kept, stdout=output, stderr=output, cwd=folder
        )
    urls = [f"http://127.0.0.1:{ports[name]}" for name in ("app", "agent")]
    made = Running(process, folder / "log", *urls, ports["service"])
    try:
        assert wait_until(lambda: "Ctrl-C stops" in made.log.read_text() or process.poll() is not None)
        assert process.poll() is None, made.log.read_text()
        yield made
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
    assert code == 0, made.log.read_text()
    assert "Stopping" in made.log.read_text()
    for url in urls:
        with pytest.raises(httpx.ConnectError):
            httpx.get(url)
    found = re.search(r"host=(\S+)", made.log.read_text())
    assert found is not None
    assert not Path(found[1]).exists()


@pytest.mark.service
def test_a_port_that_is_taken_is_refused(example: Running) -> None:
    free = ["--app-port", str(free_port()), "--service-port", str(free_port())]
    line = [sys.executable, EXAMPLE / "start.py", *free, "--agent-port", str(example.service_port)]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True)
    told = f"another program has the port {example.service_port}: choose one with --agent-port\n"
    assert (done.returncode, done.stderr) == (1, told)


@pytest.mark.service
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_it_answers_as_its_page_says(example: Running, tmp_path: Path) -> None:
    """It is the first test that asks: the page counts documents from 1."""
    blocks = PAGE.blocks
    first = next(place for place, one in enumerate(blocks) if "as ann" in one.text)
    helper, *_ = blocks[first].text.splitlines()
    for block, after in zip(blocks[first:], blocks[first + 1 :], strict=False):
        if block.language != "sh" or "as " not in block.text:
            continue
        script = "\n".join((helper, block.text)).replace(OWN_PORT, example.url)
        done = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        if after.language == "text":
            lines = [json.loads(one) if one.startswith("[") else one for one in after.text.splitlines()]
            got = done.stdout.replace("]", "]\n").replace("}\n]", "}]")
            assert [json.loads(one) if one.startswith("[") else one for one in got.split()] == lines


@pytest.mark.service
def test_a_confirmed_share_is_in_the_next_list(example: Running) -> None:
    for number in range(20):
        made = example.ask("ann", "POST", "/documents", {"title": f"Share {number}"}).json()
        readers = f"/documents/{made['id']}/readers/cleo"
        assert example.ask("ann", "PUT", readers).status_code == 204
        assert example.titles("cleo", f"?after={made['id'] - 1}") == [made["title"]]
        assert example.ask("cleo", "GET", f"/documents/{made['id']}").status_code == 200
        assert example.ask("ann", "DELETE", readers).status_code == 204
        assert example.titles("cleo", f"?after={made['id'] - 1}") == []
        assert example.ask("cleo", "GET", f"/documents/{made['id']}").status_code == 403


@pytest.mark.service
def test_people_do_what_the_rules_say(example: Running) -> None:
    made = example.ask("ann", "POST", "/documents", {"title": "Rules", "team": "acme-design"}).json()
    path, draft = f"/documents/{made['id']}", {"title": "Rules 2", "text": "as agreed"}
    assert example.ask("ben", "PUT", path, draft).json() == {**made, **draft}
    assert example.ask("ben", "DELETE", path).headers["x-writ-reason-code"] == "CONDITION_FAILED"
    assert example.ask("ben", "PUT", f"{path}/readers/cleo").status_code == 403
    assert example.ask("dan", "GET", path).headers["x-writ-reason-code"] == "EXPLICIT_DENY"
    assert example.ask("ann", "PUT", f"{path}/readers/dan").status_code == 404
    assert example.ask("eve", "GET", path).status_code == 401
    assert example.ask("ann", "PUT", f"{path}/readers/cleo").status_code == 204
    assert example.ask("ann", "DELETE", path).status_code == 204
    assert example.ask("ann", "GET", path).status_code == 404


@pytest.mark.service
def test_pages_of_a_list_are_full(example: Running) -> None:
    before = example.ask("ann", "POST", "/documents", {"title": "Pages begin"}).json()["id"]
    for number in range(6):
        for user in ("dan", "ben"):
            example.ask(user, "POST", "/documents", {"title": f"{user} {number}"}).raise_for_status()
    first = example.ask("ben", "GET", f"/documents?after={before}&limit=4").json()
    second = example.ask("ben", "GET", f"/documents?after={first[-1]['id']}&limit=4").json()
    assert [one["title"] for one in first + second] == [f"ben {number}" for number in range(6)]


@pytest.mark.service
def test_the_application_reads_and_lists_while_the_service_is_away(example: Running) -> None:
    made = example.ask("ann", "POST", "/documents", {"title": "Away"}).json()
    os.killpg(example.service, signal.SIGSTOP)
    try:
        assert example.ask("ann", "GET", f"/documents/{made['id']}").json() == made
        assert example.titles("ann", f"?after={made['id'] - 1}") == ["Away"]
        assert example.ask("dan", "GET", f"/documents/{made['id']}").status_code == 403
    finally:
        os.killpg(example.service, signal.SIGCONT)
