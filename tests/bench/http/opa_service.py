"""OPA with the model as a bundle, and if wanted, a token that its authorization policy checks."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.http import opa_filters, rego
from tests.bench.http.processes import pinned, running
from tests.bench.http.questions import BATCH, DECIDED, OPEN, SINGLE, Question
from tests.bench.http.service import Call, Running, scheme
from tests.bench.models import Document
from tests.support.certificates import Pair
from tests.support.ports import free_port
from tests.support.server import KEY

OPTIONS = ("--optimize-store-for-read-speed", "--log-level=error")
CHECKING = ("--authentication=token", "--authorization=basic")
TOKEN, BARE = "OPA, token", "OPA"
"""The names with and without a token check."""

DECISIONS = {SINGLE: "/v1/data/company/decision", BATCH: "/v1/data/batch/decisions"}
COMPILE = "/v1/compile"
QUERIES = {OPEN: "data.opened.permit == true", DECIDED: "data.company.permit == true"}


class Opa:
    """`opa run --server`."""

    def __init__(
        self, binary: Path, document: Document, roles: Callable[[Document], list[str]], *, checks: bool
    ) -> None:
        """`roles` gives the roles of a subject. `checks` asks for a token on every request."""
        self.name = TOKEN if checks else BARE
        self.credential = "a bearer token, by a policy `system.authz`" if checks else "nothing"
        self._options = (*CHECKING, *OPTIONS) if checks else OPTIONS
        self._headers = {"Authorization": f"Bearer {KEY}"} if checks else {}
        self._binary, self._document, self._roles = binary, document, roles
        said = subprocess.run([binary, "version"], capture_output=True, text=True, check=True).stdout
        self.version = said.partition("Version: ")[2].split()[0]

    @contextmanager
    def start(self, folder: Path, cores: list[int], pair: Pair | None) -> Iterator[Running]:
        """See `Service`."""
        bundle, address = folder / "bundle", f"127.0.0.1:{free_port()}"
        bundle.mkdir(exist_ok=True)
        for name, text in rego.modules(self._document).items():
            (bundle / name).write_text(text)
        (bundle / "data.json").write_text(json.dumps(rego.data(self._document, self._roles, KEY)))
        line = [str(self._binary), "run", "--server", "--addr", address, "--skip-version-check", *self._options]
        if pair is not None:
            line += ["--tls-cert-file", str(pair.certificate), "--tls-private-key-file", str(pair.key)]
        line += ["--bundle", str(bundle)]
        url, log = f"{scheme(pair)}://{address}", folder / f"opa-{scheme(pair)}.log"
        with running(pinned(line, cores), log, f"{url}/health?bundles", self._headers) as pid:
            yield Running(pid, url, self._headers)

    def call(self, question: Question) -> Call:
        """See `Service`."""
        if question.kind in DECISIONS:
            return Call(DECISIONS[question.kind], {"input": question.request})
        unknown = [".".join(opa_filters.UNKNOWN)]
        return Call(COMPILE, {"query": QUERIES[question.kind], "input": question.request, "unknowns": unknown})

    def answers(self, question: Question, answer: Any) -> tuple[bool, ...]:
        """See `Service`."""
        result = answer["result"]
        if question.kind == SINGLE:
            return (result,)
        return tuple(result) if question.kind == BATCH else (opa_filters.holds(result, question.row),)
