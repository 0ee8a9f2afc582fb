"""The manifests of Kubernetes that the deployment page has, and what they say of their pods."""

from typing import Any, Final

import yaml

from tests.support.server import ROOT


class Manifest:
    """A file of objects."""

    def __init__(self, name: str) -> None:
        """`name` is that of a file beside the deployment page."""
        text = (ROOT / "api/deployment" / name).read_text()
        self.objects: list[dict[str, Any]] = [one for one in yaml.safe_load_all(text) if one is not None]
        self.workloads = {one["metadata"]["name"]: one["spec"] for one in self.objects if one["kind"] == "Deployment"}

    def of_kind(self, kind: str) -> dict[str, dict[str, Any]]:
        """Returns the objects of a kind by their names."""
        return {one["metadata"]["name"]: one for one in self.objects if one["kind"] == kind}


class Pod:
    """The pods of a workload."""

    def __init__(self, manifest: Manifest, name: str) -> None:
        self.manifest, self.name = manifest, name
        self.workload = manifest.workloads[name]
        self.labels: dict[str, str] = self.workload["template"]["metadata"]["labels"]
        self.spec: dict[str, Any] = self.workload["template"]["spec"]
        (self.container,) = self.spec["containers"]

    def argument(self, option: str) -> str:
        """Returns the value that the container's command has for an option."""
        (value,) = (word.partition("=")[2] for word in self.container["args"] if word.startswith(f"{option}="))
        return str(value)

    def secrets(self) -> set[str]:
        """Returns the names of the secrets that are files of the pod."""
        return {one["secret"]["secretName"] for one in self.spec["volumes"] if "secret" in one}


ONE: Final = Manifest("kubernetes.yaml")
"""One service with its store, and agents."""

SERVERS: Final = Manifest("kubernetes-servers.yaml")
"""Several servers on one database."""

PODS: Final = [Pod(manifest, name) for manifest in (ONE, SERVERS) for name in manifest.workloads]
