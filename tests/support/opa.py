"""A real OPA that decides by an exported model: one long-running process, with one model after another."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
from writ.bundles import zones
from writ.bundles.conditions.instants import from_seconds
from writ.compiler.load import load
from writ.compiler.rego.opa_files import bundle_files
from writ.compiler.source import Source

from tests.bench.http.installing import OPA_VERSION, PEERS, Unavailable, opa_binary
from tests.bench.http.processes import running
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE_SECONDS

__all__ = ["PEERS", "Opa", "Unavailable", "built_opa", "files_of", "opa_binary", "running_opa"]

Document = dict[str, Any]

_ASKING = b"""package asking

decisions := [decision |
	some asked in input
	decision := data.writ.decision with input as asked.request with time.now_ns as asked.now
]
"""


def built_opa() -> Path | None:
    """Returns OPA's binary if some earlier run has built it."""
    binary = PEERS / f"opa-{OPA_VERSION}" / "opa"
    return binary if binary.exists() else None


def files_of(document: Document) -> dict[str, bytes]:
    """The files of the bundle of a valid document. Raises NotInRego."""
    return files_of_source(Source("model.json", json.dumps({"model": 1} | document).encode()))


def files_of_source(source: Source) -> dict[str, bytes]:
    """The files of the bundle of a valid document as text. Raises NotInRego."""
    loaded = load([source], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    return bundle_files(loaded.model, zones.zone_data, "test", {})


class Opa:
    """A server of OPA without a bundle. It gets the files of one model after another."""

    def __init__(self, url: str):
        self._client = httpx.Client(base_url=url, timeout=PATIENCE_SECONDS)
        self._loaded: dict[str, bytes] = {}

    def load(self, files: dict[str, bytes]) -> None:
        """Replace the model by that of a bundle. Only the files that differ are sent."""
        self._put("/v1/data/writ", files["writ/data.json"])
        modules = {name: text for name, text in files.items() if name.endswith(".rego")} | {"asking.rego": _ASKING}
        for name, text in modules.items():
            if self._loaded.get(name) != text:
                self._put(f"/v1/policies/{name}", text)
                self._loaded[name] = text

    def decide(self, questions: Sequence[tuple[Any, float]]) -> list[Document]:
        """The decision on each request at its instant, in epoch seconds."""
        asked = [{"request": request, "now": from_seconds(now)} for request, now in questions]
        answer = self._client.post("/v1/data/asking/decisions", content=json.dumps({"input": asked}))
        assert answer.status_code == 200, answer.text
        decisions: list[Document] = answer.json()["result"]
        assert len(decisions) == len(questions), "some decision is undefined"
        return decisions

    def post(self, body: bytes) -> Document:
        """The decision on a request as OPA's own API takes it: `{"input": …}`, as text."""
        answer = self._client.post("/v1/data/writ/decision", content=body)
        assert answer.status_code == 200, answer.text
        decision: Document = answer.json()["result"]
        return decision

    def close(self) -> None:
        """Close the connection; the server goes on."""
        self._client.close()

    def _put(self, path: str, content: bytes) -> None:
        answer = self._client.put(path, content=content)
        assert answer.status_code in (200, 204), answer.text


@contextmanager
def running_opa(binary: Path) -> Iterator[Opa]:
    """Runs a server on the loopback interface until the block ends."""
    address = f"127.0.0.1:{free_port()}"
    line = [str(binary), "run", "--server", "--addr", address, "--skip-version-check", "--log-level=error"]
    with (
        tempfile.TemporaryDirectory() as folder,
        running(line, Path(folder) / "opa.log", f"http://{address}/health", {}),
        closing(Opa(f"http://{address}")) as opa,
    ):
        yield opa


def evaluated(binary: Path, bundle: Path, request: Document, query: str = "data.writ.decision") -> Any:
    """Returns the answer of `opa eval` for a bundle file, as a sidecar would load it."""
    line = [str(binary), "eval", "--bundle", str(bundle), "--format", "json", "--stdin-input", query]
    done = subprocess.run(line, input=json.dumps(request).encode(), capture_output=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["result"][0]["expressions"][0]["value"]
