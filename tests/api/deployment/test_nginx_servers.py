"""nginx's file for several servers: it has all of the file for one, and asks again only where nothing changes."""

import re
from pathlib import Path

from writ.api.service.routes.all_routes import ROUTES

from tests.support.fronts import FILES, SERVERS_FILE

DECIDES = re.compile(r"^/(environments/.+/)?(access/v1/|v1/authorize$)")


def lines(file: Path) -> list[str]:
    """The settings of a file of nginx, without the group of its servers."""
    text = re.sub(r"upstream writ \{.*?\n\}\n", "", file.read_text(), flags=re.DOTALL)
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def test_it_has_all_that_the_file_for_one_service_has() -> None:
    """The same headers, limits and closed paths."""
    own = lines(SERVERS_FILE)
    missing = [line for line in lines(FILES["nginx"]) if line not in own]
    assert missing == ["proxy_connect_timeout 2s;"], "shorter, since another server may answer"


def test_only_decisions_are_asked_again() -> None:
    """A POST that another service may have taken is sent again where it changes nothing, and nowhere else."""
    text = SERVERS_FILE.read_text()
    assert text.count("non_idempotent") == 1
    before, after = text.split("non_idempotent")
    assert before.rpartition("location ")[2].startswith(f"~ {DECIDES.pattern} {{")
    assert "proxy_pass" in after.partition("}")[0]
    paths = {route.path for route in ROUTES if DECIDES.match(route.path)}
    assert {path.removeprefix("/environments/{env}") for path in paths} == {
        "/access/v1/evaluation",
        "/access/v1/evaluations",
        "/access/v1/search/action",
        "/access/v1/search/resource",
        "/access/v1/search/subject",
        "/v1/authorize",
    }
