"""Real backends that get the headers of a request as variables: PHP, WSGI, CGI and Rack.

Each answers `PATH` with its variables as JSON. The names are those that a program in it reads.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.gateways import PRODUCTS, listens
from tests.support.ports import free_port
from tests.support.waiting import wait_until

PATH: Final = "/cgi-bin/d1"
"""The one path of the backends, since BusyBox runs only what is in this folder."""

_PHP: Final = """\
<?php
$told = json_encode($_SERVER);
header("Content-Type: application/json");
header("Content-Length: " . strlen($told));
echo $told;
"""
_CADDY_OF_PHP: Final = """\
{{
	admin off
	auto_https off
	default_bind 127.0.0.1
	storage file_system {folder}
}}
http://:{port} {{
	root * {folder}
	rewrite * /headers.php
	php_fastcgi 127.0.0.1:{php}
}}
"""
_WSGI: Final = """\
import json

def app(environ, start):
    told = json.dumps({name: value for name, value in environ.items() if isinstance(value, str)}).encode()
    start("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(told)))])
    return [told]
"""
# BusyBox closes each connection, and does not say so.
_CGI: Final = """\
#!{python}
import json, os
told = json.dumps(dict(os.environ))
head = "Content-Type: application/json", "Connection: close", f"Content-Length: {{len(told)}}"
print("\\r\\n".join([*head, "", told]), end="")
"""
_RACK: Final = """\
require "json"
run lambda { |env|
  told = env.select { |_name, value| value.is_a?(String) && value.valid_encoding? }
  [200, {"content-type" => "application/json"}, [JSON.generate(told)]]
}
"""


class Variables(NamedTuple):
    """A backend: the programs that it needs, what else of a name it reads as `-`, and the commands that run it.

    The commands get a new folder and the port to listen on. Each has the port where its program listens.
    """

    programs: tuple[str, ...]
    folds: str
    commands: Callable[[Path, int], dict[int, list[str]]]

    def missing(self) -> str | None:
        """Returns the name of a program that is not installed, or None."""
        return next((name for name in self.programs if _found(name) is None), None)


def _found(program: str) -> str | None:
    return PRODUCTS[program].program() if program in PRODUCTS else shutil.which(program)


def _php(folder: Path, port: int) -> dict[int, list[str]]:
    (folder / "headers.php").write_text(_PHP)
    main, php = folder / "Caddyfile", free_port()
    main.write_text(_CADDY_OF_PHP.format(folder=folder, port=port, php=php))
    caddy = [str(_found("caddy")), "run", "--config", str(main), "--adapter", "caddyfile"]
    return {php: ["php-cgi", "-b", f"127.0.0.1:{php}"], port: caddy}


def _wsgi(folder: Path, port: int) -> dict[int, list[str]]:
    """Returns gunicorn as it was before it dropped names with `_`, which other servers for WSGI still pass on."""
    (folder / "headers.py").write_text(_WSGI)
    options = ["--bind", f"127.0.0.1:{port}", "--header-map", "dangerous", "--no-control-socket"]
    return {port: [sys.executable, "-m", "gunicorn", *options, "--chdir", str(folder), "headers:app"]}


def _cgi(folder: Path, port: int) -> dict[int, list[str]]:
    script = folder / PATH.removeprefix("/")
    script.parent.mkdir()
    script.write_text(_CGI.format(python=sys.executable))
    script.chmod(0o755)
    return {port: ["busybox", "httpd", "-f", "-p", f"127.0.0.1:{port}", "-h", str(folder)]}


def _rack(folder: Path, port: int) -> dict[int, list[str]]:
    (folder / "config.ru").write_text(_RACK)
    options = ["-s", "webrick", "-o", "127.0.0.1", "-p", str(port), "-E", "none"]
    return {port: ["rackup", *options, str(folder / "config.ru")]}


BACKENDS: Final = {
    "php": Variables(("php-cgi", "caddy"), "_.", _php),
    "wsgi": Variables((), "_", _wsgi),
    "cgi": Variables(("busybox",), "_.!#$%&'*+^`|~", _cgi),
    "rack": Variables(("rackup",), "_", _rack),
}
"""The backends that the tests run."""


@contextmanager
def variables_of(name: str, folder: Path) -> Iterator[int]:
    """The port of a backend that answers with its variables; `folder` is new."""
    folder.mkdir()
    port = free_port()
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TMPDIR": str(folder)}
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("wb"))
        for place, command in BACKENDS[name].commands(folder, port).items():
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=folder
            )
            stack.callback(process.wait, 30)
            stack.callback(process.terminate)
            assert wait_until(partial(_listens_or_ended, place, process))
            assert process.poll() is None, (folder / "log").read_text()
        yield port


def _listens_or_ended(port: int, process: subprocess.Popen[bytes]) -> bool:
    return listens(port) or process.poll() is not None
