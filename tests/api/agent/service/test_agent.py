"""`writ agent`, as a process beside a real service: its answers, its callers, and what it does when others fail."""

import hashlib
import json
import math
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ.bundles.conditions.instants import SECOND, show_instant

from tests.support.clocks import Machine, library
from tests.support.command import writ
from tests.support.server import KEY, Server, command, environment, hide_modules, running, started
from tests.support.strategies import seeded_case
from tests.support.strategies_requests import requests
from tests.support.waiting import wait_until

pytestmark = pytest.mark.agent

MODEL = seeded_case(11)[0]
ROLES: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "reader"}],
    "policies": [
        {
            "id": "p1",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
    "assignments": [{"role": "reader", "subject": {"type": "user", "id": "alice"}}],
}
SINGLE, BATCH, SEARCH = "/access/v1/evaluation", "/access/v1/evaluations", "/access/v1/search/resource"
JSON = {"Content-Type": "application/json"}
MOMENT = SECOND // 1_000
HIDDEN = ("lark", "sqlite_utils", "sqlite3", "yaml")


def question(subject: str) -> dict[str, Any]:
    """Whether a user may read a document."""
    return {
        "subject": {"type": "user", "id": subject},
        "action": {"name": "read"},
        "resource": {"type": "document", "id": "d1"},
    }


class Edge:
    """A service, and the files that its agents are started with."""

    def __init__(self, service: Server, folder: Path, model: dict[str, Any]) -> None:
        self.service, self.folder = service, folder
        self.http = service.client()
        self.put(model)
        self.http.get("/v1/environments/default/bundle", timeout=60).raise_for_status()
        (folder / "key.pem").write_bytes(writ("keys", "--kind", "bundle", "--data", folder / "data").stdout)
        (folder / "token").write_text(KEY)
        self._count = 0

    def put(self, model: dict[str, Any]) -> None:
        """Replace the model."""
        self.http.put("/v1/environments/default/model", json=model).raise_for_status()

    def assign(self, subject: str) -> str:
        """Give a user the role that may read. Returns the token of the revision."""
        body = {"role": "reader", "subject": {"type": "user", "id": subject}}
        made = self.http.post("/v1/environments/default/assignments", json=body).raise_for_status()
        return made.headers["writ-revision"]

    @contextmanager
    def agent(
        self,
        *more: str,
        upstream: str | None = None,
        workers: int = 1,
        state: str = "state",
        machine: Machine | None = None,
    ) -> Iterator[Server]:
        """An agent that follows the service, without the modules of the service's store and compiler.

        It may be on a machine with clocks of its own.
        """
        self._count += 1
        place = self.folder / f"agent{self._count}"
        place.mkdir()
        source = ("--upstream", self.service.url, "--token-file", str(self.folder / "token"))
        line = command("agent", "--env", "default", *source, *self.common(workers, state), *more)
        hidden = hide_modules(place / "hidden", *HIDDEN)
        line = line if machine is None else machine.within(line)
        with started(line, environment({}, [hidden]), place / "log", place) as server:
            assert wait_until(lambda: {httpx.get(f"{server.url}/readyz").status_code for _ in range(20)} == {200})
            yield server

    def common(self, workers: int = 1, state: str = "state") -> tuple[str, ...]:
        """The options of every agent."""
        key, folder = str(self.folder / "key.pem"), str(self.folder / state)
        return ("--key", key, "--state", folder, "--bind", "127.0.0.1:0", "--workers", str(workers))


@contextmanager
def edge(folder: Path, model: dict[str, Any] = ROLES) -> Iterator[Edge]:
    """A service of its own."""
    with running(folder / "data") as service:
        made = Edge(service, folder, model)
        yield made
        made.http.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    with edge(tmp_path_factory.mktemp("edge")) as made:
        yield made


@pytest.fixture(scope="module")
def agent(shared: Edge) -> Iterator[Server]:
    with shared.agent(workers=2) as server:
        yield server


@pytest.fixture(scope="module")
def random_edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """Clients of a service with a random model, and of its agent."""
    with ExitStack() as stack:
        made = stack.enter_context(edge(tmp_path_factory.mktemp("random"), MODEL))
        server = stack.enter_context(made.agent())
        yield made.http, stack.enter_context(server.client())


def ask(server: Server, subject: str = "alice", key: str = KEY, **more: str) -> httpx.Response:
    """The answer of a server to a question."""
    headers = {"Authorization": f"Bearer {key}", **more}
    return httpx.post(f"{server.url}{SINGLE}", json=question(subject), headers=headers, timeout=30)


@settings(max_examples=90, deadline=None)
@given(st.data())
def test_an_agent_answers_as_the_service(random_edge: tuple[httpx.Client, httpx.Client], data: st.DataObject) -> None:
    """Byte for byte, for ordinary and hostile requests, alone and in batches. Filters too."""
    service, agent = random_edge
    asked = data.draw(requests(MODEL))
    path = data.draw(st.sampled_from((SINGLE, BATCH, f"/environments/default{SINGLE}")))
    body = {"evaluations": [asked, asked]} if path == BATCH else asked
    one, other = (http.post(path, content=json.dumps(body), headers=JSON) for http in (service, agent))
    assert (one.status_code, one.content) == (other.status_code, other.content)
    search = {**asked, "options": {"return": "filter", "include_direct": data.draw(st.sampled_from((True, "node")))}}
    one, other = (http.post(SEARCH, content=json.dumps(search), headers=JSON) for http in (service, agent))
    assert (one.status_code, one.content) == (other.status_code, other.content)


def test_an_agent_has_no_registered_attributes(agent: Server) -> None:
    """E9: 501, and in a batch for each item."""
    asked = {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "t", "id": "d"}}
    asked |= {"options": {"attributes": "registered", "return": "filter"}}
    with agent.client() as http:
        for path in ("evaluation", "search/resource"):
            assert http.post(f"/access/v1/{path}", json=asked).status_code == 501
        items = http.post("/access/v1/evaluations", json=asked | {"evaluations": [{}, {}]}).json()["evaluations"]
        assert [item["context"]["error"]["status"] for item in items] == [501, 501]


def test_an_agent_answers_the_short_form_as_the_service(random_edge: tuple[httpx.Client, httpx.Client]) -> None:
    for subject in ("user:alice", "user:mallory", "alice"):
        body = {"requests": [{"subject": subject, "action": "read", "resource": "document:d1"}]}
        for path in ("/v1/authorize", "/environments/default/v1/authorize"):
            one, other = (http.post(path, json=body) for http in random_edge)
            assert (one.status_code, one.content) == (200, other.content)


def test_an_agent_answers_gateways_as_the_service(shared: Edge, agent: Server) -> None:
    """Routes and gateway settings are in the bundle and in its updates."""
    root = "/v1/environments/default"
    route = {"id": "r", "methods": ["GET"], "path": "/documents/{id}", "resource_type": "document", "action": "read"}
    settings = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}
    shared.http.post(f"{root}/routes", json=route).raise_for_status()
    shared.http.put(f"{root}/gateway", json=settings).raise_for_status()
    told = {"X-Writ-Authorization": f"Bearer {KEY}", "X-Original-Method": "GET", "X-Original-URI": "/documents/d1"}

    def answers(server: Server) -> list[tuple[int, bytes]]:
        found = []
        for subject in ("user:alice", "user:mallory", ""):
            answer = httpx.get(f"{server.url}/gateway/nginx", headers=told | {"X-Writ-Subject": subject})
            found.append((answer.status_code, answer.content))
        return found

    expected = answers(shared.service)
    assert [status for status, _ in expected] == [200, 403, 401]
    assert wait_until(lambda: all(answers(agent) == expected for _ in range(5)))
    assert httpx.get(f"{agent.url}/gateway/nginx", headers=dict(list(told.items())[1:])).status_code == 401

    # E11: a mark and an anonymous subject, who is granted the document.
    subject = {"type": "visitor", "id": "anyone"}
    grant = {"id": "v", "subject": subject, "resource": {"type": "document", "id": "d1"}, "actions": ["read"]}
    shared.http.post(f"{root}/grants", json=grant).raise_for_status()
    shared.http.put(f"{root}/gateway", json=settings | {"anonymous": subject}).raise_for_status()
    assert httpx.get(f"{shared.service.url}/gateway/nginx", headers=told).status_code == 401
    shared.http.put(f"{root}/routes/r", json=route | {"anonymous": True}).raise_for_status()
    assert httpx.get(f"{shared.service.url}/gateway/nginx", headers=told).status_code == 200

    def visited() -> list[int]:
        fields: list[dict[str, str]] = [{}, {"Authorization": "Basic YTpi"}, {"Authorization": "Bearer"}]
        return [httpx.get(f"{agent.url}/gateway/nginx", headers=told | one).status_code for one in fields]

    assert wait_until(lambda: all(visited() == [200, 200, 401] for _ in range(5)))


def test_a_change_is_enforced_by_every_worker(shared: Edge, agent: Server) -> None:
    assert ask(agent, "bob").json()["decision"] is False
    revision = shared.assign("bob")
    assert wait_until(lambda: all(ask(agent, "bob").json()["decision"] for _ in range(10)))
    told = ask(agent, "bob").headers["writ-revision"]
    assert told.split(".")[:2] == revision.split(".")[:2]
    assert int(told.split(".")[2]) >= int(revision.split(".")[2])


def test_access_begins_and_ends_at_its_instant_without_a_write(tmp_path: Path) -> None:
    """P4: on the service and on every worker of an agent, for a role, a group's role and a grant."""
    machine = Machine(library(tmp_path), tmp_path / "clocks")
    start = (math.ceil(time.time()) + 3_600) * SECOND
    end = start + 60 * SECOND
    machine.stand_at(start - SECOND)
    span = {"starts_at": show_instant(start), "expires_at": show_instant(end)}
    root, role, asked = "/v1/environments/default", {"role": "reader"} | span, question("tess")
    line = machine.within(command("serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0", "--workers", "1"))
    with started(line, environment({"WRIT_ADMIN_KEY": KEY}), tmp_path / "log", tmp_path) as service:
        edge = Edge(service, tmp_path, ROLES)
        for path, body in (
            ("groups", {"id": "timed", "members": [{"type": "user", "id": "tina"}]}),
            ("assignments", role | {"group": "timed"}),
            ("assignments", role | {"subject": {"type": "user", "id": "tom"}}),
            ("grants", {"subject": asked["subject"], "resource": asked["resource"], "actions": ["read"]} | span),
        ):
            edge.http.post(f"{root}/{path}", json=body).raise_for_status()
        at = edge.http.get(root).json()
        wanted = {"Writ-Min-Revision": f"{at['uuid']}.{at['epoch']}.{at['revision']}"}
        with edge.agent(workers=2, machine=machine) as agent:
            assert wait_until(lambda: all(ask(agent, **wanted).status_code == 200 for _ in range(10)))
            for instant, holds in ((start - MOMENT, False), (start, True), (end - MOMENT, True), (end, False)):
                machine.stand_at(instant)
                for server, subject in product((service, *[agent] * 10), ("tina", "tom", "tess")):
                    assert ask(server, subject).json()["decision"] is holds, (server is agent, subject, instant - start)
        assert edge.http.get(root).json()["revision"] == at["revision"]
        edge.http.close()


def test_a_request_may_ask_for_a_revision(shared: Edge, agent: Server) -> None:
    """An agent that is behind says so, by the lane and by the application."""
    revision = shared.assign("carol")
    wanted = {"Writ-Min-Revision": revision}
    assert wait_until(lambda: ask(agent, "carol", **wanted).status_code == 200)
    assert ask(agent, "carol", **wanted).json()["decision"] is True
    uuid, epoch, _ = revision.split(".")
    answer = ask(agent, **{"Writ-Min-Revision": f"{uuid}.{epoch}.999999"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert ask(agent, **{"Writ-Min-Revision": f"{uuid}.{int(epoch) + 1}.1"}).status_code == 409
    assert ask(agent, "carol", **{"Writ-Min-Revision": "soon"}).status_code == 400


def test_only_filters_of_a_full_bundle_are_available(shared: Edge, agent: Server) -> None:
    search = {**question("alice"), "resource": {"type": "document"}}
    with agent.client() as http:
        for path, body in (
            (SEARCH, search),
            (SEARCH, {**search, "options": {"return": "results"}}),
            ("/access/v1/search/subject", {**question("alice"), "subject": {"type": "user"}}),
            ("/access/v1/search/action", question("alice")),
        ):
            answer = http.post(path, json=body)
            assert answer.status_code == 501, answer.text
            assert "ask the service" in answer.json()["error"]
        found = http.get("/.well-known/authzen-configuration").json()
        assert [name for name in found if name.startswith("search_")] == []
        assert found["writ_filter_endpoint"].endswith(SEARCH)


def test_another_environment_is_404(agent: Server) -> None:
    with agent.client() as http:
        assert http.post(f"/environments/other{SINGLE}", json=question("alice")).status_code == 404


def test_an_agent_of_another_environment_is_not_that_of_the_default_one(shared: Edge) -> None:
    """A path that names no environment means the agent's own. One that names `default` does not."""
    shared.http.post("/v1/environments", json={"id": "staging"}).raise_for_status()
    shared.http.put("/v1/environments/staging/model", json=ROLES).raise_for_status()
    with shared.agent("--env", "staging", state="staging") as server, server.client() as http:
        for path, status in (("", 200), ("/environments/staging", 200), ("/environments/default", 404)):
            answers = [http.post(f"{path}{SINGLE}", json=question("alice")) for _ in range(3)]
            assert {one.status_code for one in answers} == {status}


def test_who_may_call(shared: Edge, agent: Server) -> None:
    """The agent's own credential. No other key of the service."""
    assert ask(agent).status_code == 200
    other = shared.http.post("/v1/api-keys", json={"name": "other", "scopes": ["admin"]}).json()["key"]
    for key in (other, "junk", "ey.J.x"):
        assert ask(agent, key=key).status_code == 401
    assert httpx.post(f"{agent.url}{SINGLE}", json=question("alice")).status_code == 401
    for path in ("/healthz", "/readyz", "/.well-known/authzen-configuration"):
        assert httpx.get(f"{agent.url}{path}").status_code == 200


def test_keys_of_a_file_are_admitted_until_they_are_taken_out(shared: Edge, tmp_path: Path) -> None:
    file = tmp_path / "callers"
    line = json.dumps({"name": "app", "sha256": hashlib.sha256(b"the key of app").hexdigest()})
    file.write_text(f"{line}\n\n")
    with shared.agent("--callers", str(file), state="callers") as server:
        assert ask(server, key="the key of app").status_code == 200
        assert ask(server).status_code == 200
        file.write_text("")
        assert wait_until(lambda: ask(server, key="the key of app").status_code == 401)
        file.write_text("junk")
        assert wait_until(lambda: ask(server).status_code == 200 and "this is no caller" in server.log)
        assert ask(server).status_code == 200


def token_of(shared: Edge, client: dict[str, Any]) -> str:
    """A token of a client."""
    form = {"grant_type": "client_credentials"}
    answer = httpx.post(
        f"{shared.service.url}/v1/oauth/token", data=form, auth=(client["client_id"], client["client_secret"])
    )
    token: str = answer.json()["access_token"]
    return token


def test_tokens_of_the_service_are_admitted_until_they_end(shared: Edge, agent: Server) -> None:
    """A revoked token, and a token of a revoked client, are refused as soon as the agent has followed."""
    client = shared.http.post("/v1/clients", json={"name": "app", "scopes": ["read"]}).json()
    one, other = token_of(shared, client), token_of(shared, client)
    assert wait_until(lambda: all(ask(agent, key=one).status_code == 200 for _ in range(6)))
    assert ask(agent, key=other).status_code == 200
    assert ask(agent, key=f"{one[:-4]}AAAA").status_code == 401
    httpx.post(
        f"{shared.service.url}/v1/oauth/revoke",
        data={"token": one},
        auth=(client["client_id"], client["client_secret"]),
    ).raise_for_status()
    assert wait_until(lambda: all(ask(agent, key=one).status_code == 401 for _ in range(6)))
    assert ask(agent, key=other).status_code == 200
    shared.http.post(f"/v1/clients/{client['client_id']}/revoke").raise_for_status()
    assert wait_until(lambda: all(ask(agent, key=other).status_code == 401 for _ in range(6)))


def test_tokens_for_another_environment_are_not_admitted(shared: Edge, agent: Server) -> None:
    shared.http.post("/v1/environments", json={"id": "elsewhere"})
    bound = {"name": "bound", "scopes": ["read"], "environments": ["elsewhere"]}
    token = token_of(shared, shared.http.post("/v1/clients", json=bound).json())
    free = token_of(shared, shared.http.post("/v1/clients", json={"name": "free", "scopes": ["read"]}).json())
    assert wait_until(lambda: ask(agent, key=free).status_code == 200)
    assert ask(agent, key=token).status_code == 401


def test_a_signed_bundle_is_no_token(shared: Edge, agent: Server) -> None:
    """A JWS of another kind by a trusted key of bundles, and one with the type of a token, admit nobody."""
    answer = shared.http.get("/v1/environments/default/bundle", params={"since": "0"}, headers={"If-None-Match": '"x"'})
    words = [part for part in answer.content.split(b"ey") if part.count(b".") == 2]
    for part in words:
        assert ask(agent, key="ey" + part[:2_000].decode("latin-1").split("\x00")[0]).status_code == 401


def test_an_agent_goes_on_without_the_service_and_starts_again_without_it(tmp_path: Path) -> None:
    with edge(tmp_path) as made:
        with made.agent("--max-staleness", "2") as server:
            assert ask(server).json()["decision"] is True
            made.service.process.send_signal(signal.SIGKILL)
            assert wait_until(lambda: httpx.get(f"{server.url}/readyz").status_code == 503)
            assert wait_until(lambda: "error" in httpx.get(f"{server.url}/readyz").json())
            assert httpx.get(f"{server.url}/readyz").json()["status"] == "failing"
            assert ask(server).json()["decision"] is True
            assert ask(server, "mallory").json()["decision"] is False
        with made.agent() as server:
            assert ask(server).json()["decision"] is True
            assert httpx.get(f"{server.url}/readyz").status_code == 200


def test_an_agent_without_a_bundle_is_not_ready_and_decides_nothing(shared: Edge, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        source = ("--env", "default", "--upstream", url, "--token-file", str(shared.folder / "token"))
        line = command("agent", *source, *shared.common(state="nothing"), "--metrics-bind", "127.0.0.1:0")
        log = tmp_path / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(line, stdout=output, stderr=output, env=environment())
        try:
            assert wait_until(lambda: "decides at " in log.read_text())
            place = log.read_text().split("decides at ")[1].split(",")[0]
            assert wait_until(lambda: _status(f"{place}/readyz") == 503)
            headers = {"Authorization": f"Bearer {KEY}"}
            answer = httpx.post(f"{place}{SINGLE}", json=question("alice"), headers=headers)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            metrics = log.read_text().split("the metrics are at ")[1].split(",")[0]
            assert "\nwrit_ready 0.0\n" in httpx.get(metrics).text
        finally:
            process.terminate()
            process.wait(30)


def _status(url: str) -> int | None:
    try:
        return httpx.get(url).status_code
    except httpx.TransportError:
        return None


def test_an_agent_follows_a_published_folder(shared: Edge, tmp_path: Path) -> None:
    target = str(tmp_path / "published")
    assert writ("publish", target, "--data", shared.folder / "data").returncode == 0
    file = tmp_path / "callers"
    file.write_text(json.dumps({"name": "app", "sha256": hashlib.sha256(KEY.encode()).hexdigest()}))
    line = command("agent", "--env", "default", "--from", target, *shared.common(state="from"), "--callers", str(file))
    with started(line, environment(), tmp_path / "log", tmp_path) as server:
        assert ask(server, "dora").json()["decision"] is False
        shared.assign("dora")
        assert writ("publish", target, "--data", shared.folder / "data").returncode == 0
        assert wait_until(lambda: ask(server, "dora").json()["decision"])


def test_an_agent_of_a_file_decides_for_this_machine_alone(tmp_path: Path) -> None:
    """Without callers it listens where nobody else can reach it."""
    (tmp_path / "model.json").write_text(json.dumps(ROLES))
    bundle = tmp_path / "model.bundle"
    assert writ("compile", tmp_path / "model.json", "-o", bundle).returncode == 0
    line = command("agent", "--bundle", str(bundle), "--unsigned", "--workers", "1", "--bind")
    with started([*line, "127.0.0.1:0"], environment(), tmp_path / "log", tmp_path) as server:
        assert httpx.post(f"{server.url}{SINGLE}", json=question("alice")).json()["decision"] is True
        assert ask(server, "bob", key="anything").json()["decision"] is False
        # A web page under a name that leads here: its browser takes the agent for the page's own site.
        rebound = {"Host": "evil.example:8181", "Origin": "http://evil.example:8181"}
        assert ask(server, key="anything", **rebound).status_code == 403
        assert httpx.post(f"{server.url}{SINGLE}", json=question("alice"), headers=rebound).status_code == 403
    done = subprocess.run([*line, "0.0.0.0:0"], capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == 2
    assert "name the callers by `--callers`" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "give one of `--upstream`, `--from` and `--bundle`"),
        (["--bundle", "x", "--from", "y"], "give one of"),
        (["--upstream", "http://localhost:1"], "belong together"),
        (["--upstream", "http://localhost:1", "--token-file", "token"], "give `keys`"),
        (["--from", "folder", "--unsigned"], "only a bundle file may be unsigned"),
        (["--bundle", "x", "--key", "nowhere"], "nowhere: no such file"),
        (["--bundle", "x", "--unsigned", "--callers", "nowhere"], "nowhere: no such file"),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(tmp_path: Path, options: list[str], said: str) -> None:
    (tmp_path / "token").write_text(KEY)
    done = writ("agent", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_an_agent_of_a_compiled_file_says_at_its_start_that_it_has_no_environment(tmp_path: Path) -> None:
    """It would answer 503 for ever: no compiled file ever belongs to an environment."""
    (tmp_path / "model.json").write_text(json.dumps(ROLES))
    bundle = tmp_path / "model.bundle"
    assert writ("compile", tmp_path / "model.json", "-o", bundle).returncode == 0
    done = writ("agent", "--bundle", bundle, "--unsigned", "--env", "default", "--bind", "127.0.0.1:0", cwd=tmp_path)
    assert done.returncode == 2
    assert "belongs to no environment: leave `--env` out" in done.stderr.decode()
