"""The wheel: what it holds, and that it works beside an application whose packages are named like Writ's folders."""

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib import import_module
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from tests.support.server import KEY, started
from tests.support.structure import CLIENT_PACKAGES, LAYERS, ROOT

MODEL = """\
model: 1
resource_types: [{id: document, actions: [read]}]
policies:
- {id: all-read, effect: ALLOW, resource_types: [{resource_type_id: document, actions: [read]}]}
"""
REQUEST = {
    "subject": {"type": "user", "id": "ann"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
DECIDE = f"from writ import Engine; print(Engine.open('model.bundle').decide({REQUEST})['decision'])"

PLANTED = ("api/console/static/x.js", "compiler/grammar/policies.lark", "runtime/data.of-an-unknown-kind")
MARKERS = "import api, bundles, compiler, runtime; print(api.OWNER, bundles.OWNER, compiler.OWNER, runtime.OWNER)"
BUILD = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"


class Installed(NamedTuple):
    """An application's folder, and the folder of the commands of the environment that it runs in."""

    application: Path
    commands: Path

    def run(self, command: str, *arguments: str) -> str:
        """What a command of the environment prints, run from the application's folder."""
        line = [str(self.commands / command), *arguments]
        done = subprocess.run(line, cwd=self.application, env=self.variables(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def variables(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("WRIT_", "PYTHON"))}
        return kept | {"PYTHONPATH": ".", "WRIT_ADMIN_KEY": KEY}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, with data of kinds and in folders that no list names, and what Python leaves behind."""
    copy = tmp_path_factory.mktemp("checkout")
    for file in (path for path in ROOT.iterdir() if path.is_file() and not path.name.startswith(".")):
        shutil.copy(file, copy)
    for folder in (*LAYERS, "tests"):
        shutil.copytree(ROOT / folder, copy / folder)
    for name in (*PLANTED, "api/__pycache__/planted.cpython-311.pyc"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("planted")
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run([sys.executable, "-c", BUILD, folder], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a clean environment, which sees the other packages of this one but not its editable `writ`."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=True)
    base = {"base": str(environment), "platbase": str(environment)}
    packages, commands = (Path(sysconfig.get_path(name, "venv", vars=base)) for name in ("purelib", "scripts"))
    install = [
        "-m",
        "pip",
        "--isolated",
        "--python",
        str(commands / "python"),
        "install",
        "--no-deps",
        "--no-index",
        str(wheel),
    ]
    subprocess.run([sys.executable, *install], check=True, capture_output=True)
    # Python does not read the .pth files of folders that a .pth file adds: the editable installation stays unknown.
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("-packages")))
    return Installed(application(tmp_path_factory.mktemp("application")), commands)


def application(folder: Path) -> Path:
    for layer in LAYERS:
        (folder / layer).mkdir()
        (folder / layer / "__init__.py").write_text("OWNER = 'the application'\n")
    (folder / "model.yaml").write_text(MODEL)
    return folder


EXAMPLE = "api/client/example/"
"""The example is read and started in a checkout."""


def packed(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


# -- what the wheel holds


def test_the_wheel_holds_all_code_and_data_of_the_four_folders_and_nothing_else(source: Path, wheel: Path) -> None:
    files = {path.relative_to(source).as_posix() for layer in LAYERS for path in (source / layer).rglob("*")}
    expected = {
        f"writ/{name.removeprefix('api/client/') if name.count('/') > 2 else name}"  # packages with short names
        for name in files
        if (source / name).is_file() and "__pycache__" not in name and not name.startswith(EXAMPLE)
    }
    metadata = {name for name in packed(wheel) if name.split("/")[0].endswith(".dist-info")}
    assert packed(wheel) - metadata == expected | {"writ/__init__.py", "writ/__main__.py", "writ/py.typed"}
    assert {f"writ/{name}" for name in PLANTED} <= expected


PROGRAM = ROOT / "tests/typed_program.py"
PYRIGHT = ROOT / "build/node/node_modules/.bin/pyright"
"""`.ci/run` installs it."""

ELSEWHERE = {
    *("writ.client.AsyncClient", "writ.client.Client", "writ.decision_log.DecisionLog"),
    *("writ.django.QueryRefused", "writ.queries.ChangeRefused", "writ.queries.QueryRefused", "writ.starlette.Access"),
}
"""Names that the program imports from another module, which has the same object."""


def test_the_typed_program_uses_every_public_name() -> None:
    used = {
        (node.module, alias.name)
        for node in ast.walk(ast.parse(PROGRAM.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    modules = (import_module(name) for name in ("writ", *(f"writ.{name}" for name in CLIENT_PACKAGES)))
    public = {(module.__name__, name) for module in modules for name in getattr(module, "__all__", ())}
    assert {f"{module}.{name}" for module, name in public - used} == ELSEWHERE


@pytest.mark.deployment
def test_a_type_checker_knows_the_public_names(installed: Installed) -> None:
    shutil.copy(PROGRAM, installed.application)
    python = installed.commands / "python"
    line = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python), PROGRAM.name]
    done = subprocess.run(line, cwd=installed.application, env=installed.variables(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "Success: no issues found in 1 source file\n")


@pytest.mark.deployment
def test_another_type_checker_knows_them_too(installed: Installed) -> None:
    """Pyright says that a comment ignores nothing, so the wrong lines of the program are found as well."""
    if not PYRIGHT.exists():
        pytest.skip("pyright is not installed in build/node")
    shutil.copy(PROGRAM, installed.application)
    settings: dict[str, object] = {"typeCheckingMode": "standard", "enableTypeIgnoreComments": False}
    settings["reportUnnecessaryTypeIgnoreComment"] = "error"
    (installed.application / "pyrightconfig.json").write_text(json.dumps(settings))
    line = [str(PYRIGHT), "--pythonpath", str(installed.commands / "python"), PROGRAM.name]
    done = subprocess.run(line, cwd=installed.application, env=installed.variables(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0 errors, 0 warnings, 0 informations\n"), done.stderr


# -- what works beside another application


def test_the_application_keeps_its_packages(installed: Installed) -> None:
    assert installed.run("python", "-c", MARKERS) == " ".join(["the application"] * 4)
    where = installed.run("python", "-c", "import writ; print(writ.__file__)")
    assert Path(where).is_relative_to(installed.commands.parent)


def test_both_ways_to_call_the_command_work(installed: Installed) -> None:
    assert installed.run("writ", "--version") == installed.run("python", "-m", "writ", "--version")


def test_a_decision_in_process(installed: Installed) -> None:
    installed.run("writ", "compile", "model.yaml", "-o", "model.bundle")
    assert installed.run("python", "-c", DECIDE) == "True"


def test_a_decision_over_http(installed: Installed, tmp_path: Path) -> None:
    line = [str(installed.commands / "writ"), "serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0"]
    line += ["--workers", "1", "--import", "model.yaml"]
    log = tmp_path / "log"
    with started(line, installed.variables(), log, installed.application) as server, server.client() as client:
        assert client.post("/access/v1/evaluation", json=REQUEST).json()["decision"] is True
