"""The pages about trust: each test that they name exists, each dependency has its reason and its licence."""

import ast
import re
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from tests.support.server import ROOT

TRUST = ROOT / "api/trust"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RUNNING = ("postgres", "envoy", "s3", "gs", "otel")
"""The extras that an installation may have."""

ROWS = re.findall(r"^\| `([\w-]+)` \| (.+) \| (.+) \|$", (TRUST / "DEPENDENCIES.md").read_text(), re.MULTILINE)
NAMED = re.findall(r"\[(test_\w+)\]\(([^)]+\.py)\)", (TRUST / "THREATS.md").read_text())
CLASSIFIERS = {"BSD License": "BSD", "MIT License": "MIT", "Apache Software License": "Apache"}


@cache
def functions_of(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("name", "link"), NAMED)
def test_a_promise_of_the_threat_model_names_a_test_that_exists(name: str, link: str) -> None:
    assert name in functions_of((TRUST / link).resolve())


def test_each_boundary_says_what_is_not_promised() -> None:
    boundaries = re.split(r"^### ", (TRUST / "THREATS.md").read_text(), flags=re.MULTILINE)[1:]
    assert len(boundaries) == 10
    assert [one.splitlines()[0] for one in boundaries if "**Promised" not in one or "**Not promised." not in one] == []


def test_each_dependency_has_a_row_and_each_row_a_dependency() -> None:
    extras = [one for extra in RUNNING for one in PROJECT["optional-dependencies"][extra]]
    wanted = [re.match(r"[\w-]+", one) for one in (*PROJECT["dependencies"], *extras)]
    assert [name for name, _, _ in ROWS] == [found[0] for found in wanted if found is not None]


@pytest.mark.parametrize(("name", "licence"), [(name, licence) for name, _, licence in ROWS])
def test_a_licence_is_that_of_the_package(name: str, licence: str) -> None:
    try:
        stated = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")
    expression = stated.get("License-Expression")
    if expression:
        assert licence == expression
    else:  # older packages state a free text, or only a class
        classes = [one.rpartition(" :: ")[2] for one in stated.get_all("Classifier") or () if "License" in one]
        kinds = {CLASSIFIERS[one] for one in classes} | set(re.findall("BSD|MIT|Apache", stated.get("License") or ""))
        assert licence.partition("-")[0] in kinds


@pytest.mark.parametrize("name", [re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]])  # type: ignore[index]
def test_a_dependency_is_imported(name: str) -> None:
    """What is not imported goes."""
    modules = {
        module for module, owners in metadata.packages_distributions().items() if normal(name) in map(normal, owners)
    }
    pattern = re.compile(rf"^\s*(?:from|import) (?:{'|'.join(sorted(modules))})\b", re.MULTILINE)
    files = (file for part in ("api", "bundles", "compiler", "runtime") for file in (ROOT / part).rglob("*.py"))
    assert any(pattern.search(file.read_text()) for file in files)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
