"""The code as the architecture tests see it: files, modules, the console's scripts, and who imports whom."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
LAYERS: Final = ("api", "bundles", "compiler", "runtime")
FRONT: Final = (ROOT / "__init__.py", ROOT / "__main__.py")
EXAMPLE: Final = ROOT / "api/client/example"
"""The complete example. It is an application that uses Writ, and no part of Writ."""

_OURS: Final = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))
FILES: Final = [*FRONT, *(path for path in _OURS if not path.is_relative_to(EXAMPLE))]


def name_of(path: Path) -> str:
    """Returns a file's path from the root, `api/service/app.py`."""
    return path.relative_to(ROOT).as_posix()


CLIENT: Final = ROOT / "api/client"
"""The folder of what applications import. It is no package: each folder in it is installed as `writ.NAME`."""

CLIENT_PACKAGES: Final = tuple(sorted(path.name for path in CLIENT.iterdir() if (path / "__init__.py").exists()))


def module_of(path: Path) -> str:
    """Returns a file's module, `writ.api.service.app`, or `writ.testing.engines` of what applications import."""
    base = CLIENT if path.is_relative_to(CLIENT) else ROOT
    parts = ("writ", *path.relative_to(base).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(path: Path) -> str:
    """Returns the package of a file, `writ.api.service`."""
    return module_of(path.with_name("__init__.py"))


@cache
def tree(path: Path) -> ast.Module:
    """Returns the syntax tree of a file. It is parsed once."""
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Returns the nodes of the syntax tree of a file. It is walked once."""
    return tuple(ast.walk(tree(path)))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Returns what a file imports as absolute names: modules, and the names in them, wherever the import stands."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    package = module_of(path) if path.name == "__init__.py" else module_of(path).rpartition(".")[0]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            yield from _dynamic(node, package)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    return ".".join(filter(None, (*parts[: len(parts) - node.level + 1], node.module)))


def _dynamic(call: ast.Call, package: str) -> Iterator[str]:
    """Yields the texts in the first argument of a dynamic import; a name that starts with a dot is made absolute."""
    if getattr(call.func, "id", getattr(call.func, "attr", "")) not in ("import_module", "__import__"):
        return
    for part in ast.walk(call.args[0]):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield (package + part.value if part.value.startswith(".") else part.value).rstrip(".")


def imported_modules(path: Path, modules: dict[str, Path]) -> set[str]:
    """Returns the modules of ours that a file imports, itself left out."""
    return {name for name in imports(path) if name in modules} - {module_of(path)}


MODULES: Final = {module_of(path): path for path in FILES}


@cache
def graph() -> dict[str, set[str]]:
    """Returns which modules each module imports. It is read once, by the first test that needs it."""
    return {module: imported_modules(path, MODULES) for module, path in MODULES.items()}


def children_graph(folder: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Returns which file or folder directly in `folder` imports which other one, each with an example.

    `folder` is dotted, `writ.api`. A package's `__init__` stands for the whole package and is left out.
    """
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for module, imported in graph().items():
        for other in imported:
            here, there = _child(folder, module), _child(folder, other)
            if here and there and here != there:
                found.setdefault(here, {}).setdefault(there, (module, other))
    return found


def _child(folder: str, module: str) -> str | None:
    return module.removeprefix(f"{folder}.").partition(".")[0] if module.startswith(f"{folder}.") else None


SCRIPTS: Final = ROOT / "api/console/page"
"""The folder of the console's modules, which browsers load."""

_SCRIPT_IMPORT = re.compile(
    r"""^(?:import\s*(?:[^"'`;]*?\bfrom\s*)?|export\b[^"'`;=]*?\bfrom\s*)["']([^"'\n]*)["']"""
    r"""|\b(import)\(\s*(?:["']([^"'\n]*)["'])?""",
    re.MULTILINE,
)
"""Static imports and exports, and dynamic imports. One that computes its name has no third group."""


def script_imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yields what a module of the console imports, as a path below `SCRIPTS`, and whether it does so dynamically.

    Raises ValueError if a name is computed or leads out of the console.
    """
    for static, dynamic, loaded in _SCRIPT_IMPORT.findall(path.read_text()):
        name = static or loaded
        imported = (path.parent / name).resolve()
        if not name.startswith(".") or not imported.is_relative_to(SCRIPTS) or not imported.is_file():
            raise ValueError(f"{path} imports `{name}`, which is no file of the console")
        yield imported.relative_to(SCRIPTS).as_posix(), bool(dynamic)


@cache
def script_graph() -> dict[str, set[str]]:
    """Returns which modules each module of the console imports, by their paths below `SCRIPTS`, libraries left out."""
    ours = [path for path in sorted(SCRIPTS.rglob("*.js")) if path.parent.name != "vendor"]
    return {path.relative_to(SCRIPTS).as_posix(): {name for name, _ in script_imports(path)} for path in ours}


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Returns everything that `start` reaches along the arrows of `graph`."""
    found: set[str] = set()
    waiting = list(graph.get(start, ()))
    while waiting:
        here = waiting.pop()
        if here not in found:
            found.add(here)
            waiting.extend(graph.get(here, ()))
    return found
