"""The Lua function of APISIX's example, on nginx with the Lua module, which is what APISIX runs it on."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.endpoints.gateway.test_examples import loaded
from tests.api.endpoints.gateway.test_real_gateways import got, sent
from tests.support.gateways import PRODUCTS, backend, listens
from tests.support.header_names import other_forms
from tests.support.ports import free_port
from tests.support.waiting import wait_until

pytestmark = pytest.mark.gateway

MODULES = Path("/usr/lib/nginx/modules")
MAIN = """\
load_module {modules}/ndk_http_module.so;
load_module {modules}/ngx_http_lua_module.so;
{user}daemon off;
pid {folder}/pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    # As in APISIX, which so passes them on.
    underscores_in_headers on;
    ignore_invalid_headers off;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            rewrite_by_lua_file {folder}/function.lua;
            proxy_pass http://127.0.0.1:{backend};
        }}
    }}
}}
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Of an nginx that runs the function before it passes a request on."""
    program, folder, port = PRODUCTS["nginx"].program(), tmp_path_factory.mktemp("lua"), free_port()
    if program is None or not (MODULES / "ngx_http_lua_module.so").exists():
        pytest.skip("nginx's module for Lua is not installed")
    (function,) = loaded("apisix")["routes"][0]["plugins"]["serverless-pre-function"]["functions"]
    (folder / "function.lua").write_text(f"(function()\n{function}\nend)()()\n")
    with backend() as behind, (folder / "log").open("wb") as log:
        user = "user root;\n" if os.getuid() == 0 else ""
        main = MAIN.format(modules=MODULES, user=user, folder=folder, port=port, backend=behind)
        (folder / "main.conf").write_text(main)
        command = [program, "-p", str(folder), "-e", "stderr", "-c", str(folder / "main.conf")]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            assert wait_until(lambda: listens(port) or process.poll() is not None)
            assert process.poll() is None, (folder / "log").read_text()
            yield port
        finally:
            process.terminate()
            process.wait(30)


def test_it_removes_every_name_of_writ_and_every_name_with_two_readings(port: int) -> None:
    names = ("X-Writ-Team", "X-Writ-Subject-Id", "x-wRIT-anything")
    forms = [form for name in (*names, "X-Forwarded-For", "X-HTTP-Method-Override") for form in other_forms(name)]
    for first in range(0, len(forms), 40):
        fields = [(form, "forged") for form in (*names, *forms[first : first + 40])]
        headers = got(sent(port, "GET", "/", *fields, ("X-Writer", "7"), ("Accept", "a/b"), ("X-Team-9", "docs")))
        assert "forged" not in str(headers)
        assert (headers["x-writer"], headers["accept"], headers["x-team-9"]) == (["7"], ["a/b"], ["docs"])
