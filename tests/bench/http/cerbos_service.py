"""Cerbos with the model as files. It has no credential for its decisions but a client's certificate over TLS."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.http import cerbos_filters
from tests.bench.http.cerbos_policies import ALL, OPENED, policy_files
from tests.bench.http.processes import pinned, running
from tests.bench.http.questions import BATCH, OPEN, SINGLE, Question
from tests.bench.http.service import Call, Running, scheme
from tests.bench.models import Document
from tests.support.certificates import Pair
from tests.support.ports import free_port

CHECK, PLAN = "/api/check/resources", "/api/plan/resources"


class Cerbos:
    """`cerbos server`."""

    name, credential = "Cerbos", "nothing, since it offers no key or token"

    def __init__(self, binary: Path, document: Document, roles: Callable[[Document], list[str]]) -> None:
        """`roles` gives the roles of a subject."""
        self._binary, self._document, self._roles = binary, document, roles
        self._known: dict[str, list[str]] = {}
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
        self.version = said.split()[0]

    @contextmanager
    def start(self, folder: Path, cores: list[int], pair: Pair | None) -> Iterator[Running]:
        """See `Service`."""
        policies, address = folder / "policies", f"127.0.0.1:{free_port()}"
        policies.mkdir(exist_ok=True)
        for name, text in policy_files(self._document).items():
            (policies / name).write_text(text)
        server = {"httpListenAddr": address, "grpcListenAddr": f"127.0.0.1:{free_port()}", "metricsEnabled": False}
        tls = {} if pair is None else {"tls": {"cert": str(pair.certificate), "key": str(pair.key)}}
        storage = {"driver": "disk", "disk": {"directory": str(policies), "watchForChanges": False}}
        settings = {"server": server | tls, "storage": storage, "telemetry": {"disabled": True}}
        config = folder / f"cerbos-{scheme(pair)}.yaml"
        config.write_text(json.dumps(settings))  # YAML takes JSON
        line = [str(self._binary), "server", "--config", str(config), "--log-level", "ERROR"]
        url = f"{scheme(pair)}://{address}"
        with running(pinned(line, cores), config.with_suffix(".log"), f"{url}/_cerbos/health", {}) as pid:
            yield Running(pid, url)

    def call(self, question: Question) -> Call:
        """See `Service`."""
        asked = question.request
        subject = asked["subject"]
        attributes = subject["properties"] | {"context": asked["context"]}
        principal = {"id": subject["id"], "roles": self._roles_of(subject), "attr": attributes}
        if question.kind in (SINGLE, BATCH):
            items = asked["evaluations"] if question.kind == BATCH else [asked]
            return Call(CHECK, {"principal": principal, "resources": list(map(_checked, items))})
        resource = {"kind": asked["resource"]["type"], "policyVersion": OPENED if question.kind == OPEN else ALL}
        return Call(PLAN, {"action": asked["action"]["name"], "principal": principal, "resource": resource})

    def answers(self, question: Question, answer: Any) -> tuple[bool, ...]:
        """See `Service`."""
        if question.kind in (SINGLE, BATCH):
            effects = (result["actions"].values() for result in answer["results"])
            return tuple(effect == "EFFECT_ALLOW" for (effect,) in effects)
        return (cerbos_filters.holds(answer["filter"], question.row),)

    def _roles_of(self, subject: Document) -> list[str]:
        if subject["id"] not in self._known:
            self._known[subject["id"]] = self._roles(subject)
        return self._known[subject["id"]]


def _checked(item: Document) -> Document:
    resource = item["resource"]
    named = {"kind": resource["type"], "id": resource["id"], "attr": resource["properties"]}
    return {"resource": named, "actions": [item["action"]["name"]]}
