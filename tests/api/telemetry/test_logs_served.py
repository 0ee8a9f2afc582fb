"""The log of real servers: every line has the format that was asked for, from the first to the last."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.bundling import bundle_file
from tests.support.command import writ
from tests.support.server import KEY, Server, command, environment, running, started

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACED = {"X-Request-ID": "r-7", "traceparent": f"00-{TRACE_ID}-b7ad6b7169203331-01"}


def lines(text: str) -> list[dict[str, Any]]:
    """The lines of a log. Fails if one is not a JSON object."""
    found = [json.loads(line) for line in text.splitlines()]
    assert all({"time", "level", "logger", "message", "pid"} <= line.keys() for line in found)
    return found


def break_a_token_request(server: Server, data: Path) -> int:
    """A request that fails with a line in the log, since no signing key can be read."""
    with server.client() as client:
        made = client.post("/v1/clients", json={"name": "c", "scopes": ["read"]}).json()
        form = {"grant_type": "client_credentials", "client_id": made["client_id"]}
        for file in (data / "keys").iterdir():
            file.write_bytes(b"damaged")
        return httpx.post(
            f"{server.url}/v1/oauth/token", data=form | {"client_secret": made["client_secret"]}, headers=TRACED
        ).status_code


@pytest.mark.parametrize("way", ["option", "setting"])
def test_every_line_is_json_with_the_request_that_caused_it(tmp_path: Path, way: str) -> None:
    arguments = ["--log-format", "json"] if way == "option" else []
    settings = {} if way == "option" else {"WRIT_LOG_FORMAT": "json"}
    with running(tmp_path / "data", "--demo", *arguments, settings=settings | {"WRIT_NONSENSE": "1"}) as server:
        assert break_a_token_request(server, tmp_path / "data") == 500
    found = lines(server.log)
    messages = [line["message"] for line in found]
    assert any(message.startswith("Writ decides at http") for message in messages)
    assert any("curl" in message for message in messages)
    assert any("is not a setting" in message for message in messages)
    caused = [line for line in found if "request_id" in line]
    assert caused
    assert {line["level"] for line in caused} == {"error"}
    assert {(line["request_id"], line["trace_id"]) for line in caused} == {("r-7", TRACE_ID)}
    assert all(line["worker"] == 0 for line in caused)
    assert KEY not in server.log


def test_text_lines_name_the_request_too(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        break_a_token_request(server, tmp_path / "data")
    assert f"request_id=r-7 traceparent={TRACED['traceparent']}" in server.log


@pytest.mark.parametrize(
    "settings", [{"WRIT_ADMIN_KEY": "short"}, {"WRIT_MAX_NESTING": "none"}, {"WRIT_PUBLIC_URL": "x"}]
)
def test_a_start_that_fails_says_so_in_json(tmp_path: Path, settings: dict[str, str]) -> None:
    variables = {"WRIT_ADMIN_KEY": KEY, **settings}
    ended = writ("serve", "--data", tmp_path / "d", "--bind", "127.0.0.1:0", "--log-format", "json", settings=variables)
    assert ended.returncode == 2
    assert [line["level"] for line in lines(ended.stderr.decode())] == ["error"]


def test_the_command_line_comes_before_the_setting(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--log-format", "text", settings={"WRIT_LOG_FORMAT": "json"}) as server:
        pass
    assert not any(line.startswith("{") for line in server.log.splitlines())


def test_an_agent_has_the_same_lines(tmp_path: Path) -> None:
    bundle = bundle_file({}, tmp_path / "m.bundle")
    line = command("agent", "--bundle", str(bundle), "--unsigned", "--bind", "127.0.0.1:0", "--workers", "1")
    with started([*line, "--log-format", "json"], environment(), tmp_path / "agent.log", tmp_path) as agent:
        pass
    assert any(line["message"].startswith("The agent decides at") for line in lines(agent.log))
