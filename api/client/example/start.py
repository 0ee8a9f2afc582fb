"""Starts the example with all that it needs: PostgreSQL, the service of Writ, an agent, and the application.

Run `python api/client/example/start.py`. Ctrl-C stops everything. Nothing is kept.
"""

import argparse
import hashlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
from postgres import throwaway

HERE = Path(__file__).parent
WRIT = [sys.executable, "-m", "writ"]
START_SECONDS = 60.0
STOP_SECONDS = 15.0


def main() -> None:
    """Starts everything, and waits for Ctrl-C."""
    parser = argparse.ArgumentParser(description="Start the example, with all that it needs.")
    for name, port in (("app", 8000), ("service", 8001), ("agent", 8002)):
        parser.add_argument(f"--{name}-port", type=int, default=port, help="the default is %(default)s")
    ports = parser.parse_args()
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    with ExitStack() as running:
        try:
            folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="writ-example-")))
            folder.chmod(0o711)  # the user of PostgreSQL passes through
            processes = Started(folder, running, ports)
            processes.database()
            processes.service()
            processes.agent()
            processes.application()
            print(NEXT.format(app=processes.app_url), flush=True)
            processes.wait()
        except KeyboardInterrupt:
            print("\nStopping …", flush=True)
            signal.signal(signal.SIGINT, signal.SIG_IGN)


class Started:
    """The processes. Each stops when `running` ends, the last one first."""

    def __init__(self, folder: Path, running: ExitStack, ports: argparse.Namespace):
        """Nothing is started yet. Logs and keys are in the folder. Raises SystemExit for a port that is taken."""
        self._folder, self._running, self._ports = folder, running, ports
        for name, port in vars(ports).items():
            _refuse_taken(port, "--" + name.replace("_", "-"))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._settings: dict[str, str] = {}
        self.app_url, self._service_url, self._agent_url = (
            f"http://127.0.0.1:{port}" for port in (ports.app_port, ports.service_port, ports.agent_port)
        )

    def database(self) -> None:
        """Starts PostgreSQL, unless DATABASE_URL names a database."""
        url = os.environ.get("DATABASE_URL")
        if not url:
            place = self._folder / "postgres"
            place.mkdir()
            url = self._running.enter_context(throwaway(place))
        self._settings["DATABASE_URL"] = url
        _say("PostgreSQL", url.partition("@")[2], "the database of the application")

    def service(self) -> None:
        """Starts the service with the policies, and makes its keys: of bundles, of the agent and of the application."""
        data, admin = self._folder / "writ-data", secrets.token_urlsafe(32)
        options = ["--data", data, "--import-if-empty", HERE / "policies", "--workers", 1]
        line = [*WRIT, "serve", *options, "--bind", _bind(self._service_url)]
        self._start("service", line, {"WRIT_ADMIN_KEY": admin}, f"{self._service_url}/readyz")
        _written([*WRIT, "keys", "rotate", "--kind", "bundle", "--data", data])
        self._settings["APP_BUNDLE_KEYS"] = _written([*WRIT, "keys", "--kind", "bundle", "--data", data])
        with httpx.Client(headers={"Authorization": f"Bearer {admin}"}) as http:
            for name, scope in (("agent", "read"), ("app", "write")):
                body = {"name": name, "scopes": [scope], "environments": ["default"]}
                made = http.post(f"{self._service_url}/v1/api-keys", json=body).raise_for_status().json()
                self._file(f"{name}-key", made["key"])
        self._settings |= {"APP_SERVICE_URL": self._service_url, "APP_API_KEY": self._read("app-key")}
        _say("Writ's service", self._service_url, "keeps the policies and the grants")

    def agent(self) -> None:
        """Starts the agent. It admits the application by the SHA-256 of its key."""
        digest = hashlib.sha256(self._read("app-key").encode()).hexdigest()
        callers = self._file("callers", json.dumps({"name": "app", "sha256": digest}) + "\n")
        pem = self._file("bundles.pem", self._settings["APP_BUNDLE_KEYS"])
        source = ["--env", "default", "--upstream", self._service_url, "--token-file", self._folder / "agent-key"]
        options = ["--key", pem, "--state", self._folder / "agent-state", "--callers", callers, "--workers", 1]
        line = [*WRIT, "agent", *source, *options, "--bind", _bind(self._agent_url)]
        self._start("agent", line, {}, f"{self._agent_url}/readyz")
        self._settings["APP_AGENT_URL"] = self._agent_url
        _say("Writ's agent", self._agent_url, "decides for the application")

    def application(self) -> None:
        """Starts the application. It has one worker, since only one process may keep the mirror."""
        line = [sys.executable, "-m", "uvicorn", "documents.app:app", "--app-dir", HERE, "--port", self._ports.app_port]
        self._start("application", line, self._settings, f"{self.app_url}/openapi.json")
        _say("the application", self.app_url, f"see {self.app_url}/docs")

    def wait(self) -> None:
        """Waits for Ctrl-C. Ends with an error if a process stops before."""
        while True:
            for name, process in self._processes.items():
                if process.poll() is not None:
                    raise SystemExit(f"{name} has stopped:\n{self._log(name)}")
            time.sleep(0.2)

    def _start(self, name: str, line: list[object], settings: Mapping[str, str], ready: str) -> None:
        self._processes[name] = process = self._running.enter_context(
            _process(line, settings, self._folder / f"{name}.log")
        )
        ends = time.monotonic() + START_SECONDS
        while not _answers(ready):
            if process.poll() is not None or time.monotonic() > ends:
                raise SystemExit(f"{name} does not start:\n{self._log(name)}")
            time.sleep(0.05)

    def _file(self, name: str, text: str) -> Path:
        path = self._folder / name
        path.touch(0o600)
        path.write_text(text)
        return path

    def _read(self, name: str) -> str:
        return (self._folder / name).read_text()

    def _log(self, name: str) -> str:
        return self._read(f"{name}.log")[-2000:]


@contextmanager
def _process(line: list[object], settings: Mapping[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own session: Ctrl-C reaches this program alone, which stops the others in order."""
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603
            [str(part) for part in line],
            env=os.environ | dict(settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _refuse_taken(port: int, option: str) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise SystemExit(f"another program has the port {port}: choose one with {option}")


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.HTTPError:
        return False


def _bind(url: str) -> str:
    return url.removeprefix("http://")


def _written(line: list[object]) -> str:
    done = subprocess.run([str(part) for part in line], capture_output=True, text=True)  # noqa: S603
    if done.returncode != 0:
        raise SystemExit(done.stderr.rstrip())
    return done.stdout


def _say(name: str, place: str, text: str) -> None:
    print(f"{name:16} {place:24} {text}", flush=True)


NEXT = """
Try it in another terminal:

  curl -s {app}/documents -H 'X-User: ann' -H 'Content-Type: application/json' -d '{{"title": "Plan"}}'
  curl -s {app}/documents -H 'X-User: cleo'
  curl -s {app}/documents/1/readers/cleo -H 'X-User: ann' -X PUT
  curl -s {app}/documents -H 'X-User: cleo'

Ctrl-C stops everything. Nothing is kept."""

if __name__ == "__main__":
    main()
