"""A real Keycloak with one realm, for the tests of the sign-in. Without Java or its archive, they are skipped."""

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.support.ports import free_port
from tests.support.waiting import wait_until

VERSION: Final = "26.0.7"
ARCHIVE: Final = (
    Path.home() / f".m2/repository/org/keycloak/keycloak-quarkus-dist/{VERSION}/keycloak-quarkus-dist-{VERSION}.zip"
)
QUICK_START: Final = "-XX:TieredStopAtLevel=1"
"""To compile less well takes 38 processor seconds in place of 66 for a start, and little of it runs more than once."""

CLIENT, SECRET, PASSWORD = "writ", "secret-of-the-client", "password-of-a-person"


def realm(console: str, people: Mapping[str, str | None]) -> dict[str, Any]:
    """A realm for the console at that URL. It has people by their names, each in a group, or in none."""
    groups = {"protocol": "openid-connect", "name": "groups", "protocolMapper": "oidc-group-membership-mapper"}
    shown = {"claim.name": "groups", "full.path": "false", "id.token.claim": "true"}
    client = {
        "clientId": CLIENT,
        "secret": SECRET,
        "redirectUris": [f"{console}callback"],
        "attributes": {"pkce.code.challenge.method": "S256", "post.logout.redirect.uris": console},
        "protocolMappers": [groups | {"config": shown}],
    }
    users = [
        {
            "username": name.lower(),
            "firstName": name,
            "lastName": "Example",
            "email": f"{name.lower()}@example.com",
            "emailVerified": True,
            "enabled": True,
            "credentials": [{"type": "password", "value": PASSWORD}],
            "groups": [] if group is None else [group],
        }
        for name, group in people.items()
    ]
    listed = [{"name": group} for group in sorted({group for group in people.values() if group is not None})]
    return {"realm": "staff", "enabled": True, "groups": listed, "clients": [client], "users": users}


@contextmanager
def keycloak(folder: Path, document: dict[str, Any]) -> Iterator[str]:
    """The issuer of a realm in a Keycloak that runs."""
    if shutil.which("java") is None or not ARCHIVE.exists():
        pytest.skip("java, or Keycloak's archive, is not here")
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(folder)
    home = folder / f"keycloak-{VERSION}"
    (home / "data/import").mkdir(parents=True)
    (home / "data/import/realm.json").write_text(json.dumps(document))
    port = free_port()
    options = (f"--http-port={port}", "--http-host=127.0.0.1", "--import-realm", "--log-level=warn")
    command = ["sh", str(home / "bin/kc.sh"), "start-dev", *options]
    variables = {**os.environ, "JAVA_OPTS_KC_HEAP": "-Xms64m -Xmx512m", "JAVA_OPTS_APPEND": QUICK_START}
    log = (folder / "keycloak.log").open("wb")
    process = subprocess.Popen(command, env=variables, stdout=log, stderr=log, start_new_session=True)
    issuer = f"http://127.0.0.1:{port}/realms/staff"
    try:
        for _ in range(12):  # it compiles itself at its first start, which takes 20 seconds of two processors alone
            if wait_until(lambda: _answers(issuer) or process.poll() is not None):
                break
        assert _answers(issuer), (folder / "keycloak.log").read_text()
        yield issuer
    finally:
        os.killpg(process.pid, 9)
        process.wait()
        log.close()


def _answers(issuer: str) -> bool:
    try:
        return httpx.get(f"{issuer}/.well-known/openid-configuration", timeout=5).status_code == 200
    except httpx.TransportError:
        return False
