"""The shape of the code: who imports whom, where libraries stand, how long files and functions grow (design.md)."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "bundles": set(),
    "compiler": {"bundles"},
    "runtime": {"bundles"},
    "api": {"bundles", "compiler", "runtime"},
}
FILES = sorted(path for layer in MAY_IMPORT for path in (ROOT / layer).rglob("*.py"))
NO_IO = {"os", "time", "random", "socket", "sqlite3", "threading", "logging", "pathlib", "secrets", "subprocess", "io"}
FRONT_DOOR = "runtime/engine.py"
ONE_PLACE = {
    "lark": ("compiler/parse",),
    "pyrsistent": ("runtime/overlay.py",),
    "jwt": ("bundles/signing.py", "api/tokens"),
    "cryptography": ("bundles/signing.py", "api/tokens"),
    "sqlite_utils": ("api/store/",),
    "sqlite3": ("api/store/",),
    "falcon": ("api/",),
    "gunicorn": ("api/",),
    "click": ("api/cli/",),
    "rich": ("api/cli/",),
    "yaml": ("compiler/yaml_",),
    "re2": ("bundles/conditions/patterns.py",),
    "tzdata": ("bundles/zones.py",),
}
FILE_LIMIT, FUNCTION_LIMIT = 400, 60


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports, wherever the import stands, hidden ones too, with how relative it is."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level
            yield from ((f"{node.module}.{alias.name}", node.level) for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in (
            "import_module",
            "__import__",
        ):
            yield from ((found, 0) for found in _dynamic(node))


def _dynamic(call: ast.Call) -> Iterator[str]:
    """The package that a dynamic import names at least."""
    for part in ast.walk(call.args[0]):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value.rstrip(".")


def our_imports(path: Path, modules: set[str]) -> set[str]:
    return {name for name, _ in imports(path) if name in modules}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_layer_imports_only_what_it_may(path):
    layer = name_of(path).split("/")[0]
    tops = {name.split(".")[0] for name, _ in imports(path)}
    assert (tops & MAY_IMPORT.keys()) - {layer} <= MAY_IMPORT[layer]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_are_absolute(path):
    assert [name for name, level in imports(path) if level] == []


def test_no_import_cycles():
    modules = {module_of(path): path for path in FILES}
    graph = {module: our_imports(path, set(modules)) - {module} for module, path in modules.items()}
    for module, imported in graph.items():
        reached, waiting = set(), list(imported)
        while waiting:
            found = waiting.pop()
            if found not in reached:
                reached.add(found)
                waiting.extend(graph[found])
        # A package's own `__init__` may gather names from its modules; they do not import it back.
        assert module not in reached, f"{module} imports itself through {sorted(reached)}"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_library_stands_in_one_place(path):
    for name, _ in imports(path):
        places = ONE_PLACE.get(name.split(".")[0])
        assert places is None or name_of(path).startswith(places), f"{name} belongs to {places}"


@pytest.mark.parametrize(
    "path", [path for path in FILES if name_of(path).startswith(("compiler", "runtime"))], ids=name_of
)
def test_compiler_and_runtime_do_no_io_and_read_no_clock(path):
    if name_of(path) == FRONT_DOOR:
        return
    assert {name.split(".")[0] for name, _ in imports(path)} & NO_IO == set()
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls & {"open", "print", "input"} == set()


def test_the_contract_package_imports_nothing():
    assert list(imports(ROOT / "bundles/__init__.py")) == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_opens_with_one_sentence(path):
    doc = ast.get_docstring(ast.parse(path.read_text())) or ""
    first = doc.split("\n\n")[0].replace("\n", " ")
    assert first.endswith((".", ":")), "a module opens with a sentence"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_and_functions_stay_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= FILE_LIMIT
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= FUNCTION_LIMIT, f"{node.name} has {length} lines"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_what_is_public_is_documented(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} has no docstring"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_suppression_has_a_reason(path):
    for line in path.read_text().splitlines():
        for mark in ("# noqa", "# type: ignore", "# pragma"):
            if mark in line:
                assert " - " in line.split(mark)[1] or "  # " in line.split(mark)[1], line.strip()


@pytest.mark.parametrize("name", ["utils", "util", "helpers", "common", "core", "base", "manager", "misc"])
def test_no_file_is_named_after_nothing(name):
    assert [path for path in FILES if path.stem == name or path.parent.name == name] == []


def test_an_agent_runs_without_the_compiler_and_a_build_machine_without_the_evaluator():
    """Importing one side loads nothing of the other, nor the other's libraries."""
    import subprocess

    for module, strangers in (
        ("runtime", ("compiler", "lark", "yaml", "falcon")),
        ("compiler.compile", ("runtime", "falcon")),
    ):
        code = f"import sys, {module}; print([name for name in {strangers!r} if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
        assert done.stdout.strip() == "[]"
