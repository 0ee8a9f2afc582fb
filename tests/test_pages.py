"""What the pages name exists: files, anchors, commands, options, paths, settings, modules; their models are sound."""

import json
import re
from importlib.util import find_spec

import pytest
from writ.api.cli.main import COMMANDS
from writ.api.endpoints.gateway.contracts.all_contracts import CONTRACTS
from writ.api.engines.live.build import TEST_ENDINGS
from writ.api.review.testing.file_reading import read_file
from writ.api.service.routes.all_routes import ROUTES
from writ.api.settings.settings import COMMAND_VARIABLES, TABLE
from writ.bundles import zones
from writ.compiler.documents.yaml.document import yaml_value
from writ.compiler.limits import DEFAULTS
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.commands import found, options, root
from tests.support.diagnosing import ABOUT_ALL
from tests.support.pages import ROOT, page, pages

PAGES = pages()
FRONT, GUIDE = page("README.md"), page("compiler/README.md")

BLOCKS = [block for one in PAGES for block in one.blocks]
DJANGO_SETTINGS = ("WRIT_ENGINE", "WRIT_ASYNC_ENGINE", "WRIT_SUBJECT")
ADDED = "adds to the model"
PIPELINE = "pipeline: "
MODELS = ("writ", "yaml")

_COMMAND = re.compile(r"(?<![\w./-])writ((?: +[^|;>`)$\n]+)+)")
_PATH = re.compile(
    r"(?<![\w.-])/(?:v1|access|environments|gateway|\.well-known|healthz|readyz|openapi\.json)[^\s\"'`?…\\,]*"
)
_CALL = re.compile(r"^((?:[A-Z]+, )*[A-Z]+) (/\S+)$")
_FILE = re.compile(r"^(?:api|bundles|compiler|runtime|tests|\.ci)/[\w./-]+$")
_ROUTES = {re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(route.path))): route.methods.keys() for route in ROUTES}
_GATEWAY = re.compile(rf"(?:/environments/[^/]+)?/gateway/(?:{'|'.join(CONTRACTS)}|)")


def code_of(shown):
    """The commands of a page and its inline code."""
    return [block.text.replace("\\\n", " ") for block in shown.blocks if block.language == "sh"] + shown.spans


by_name = pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown.name)
each_block = pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)


def test_the_front_page_is_short():
    assert len(FRONT.text.splitlines()) <= 160


def test_the_two_commands_are_there():
    assert "writ serve --demo" in FRONT.marked("start command")
    assert "pytest" in FRONT.marked("test command")


@by_name
def test_links_lead_somewhere(shown):
    for link in shown.links:
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (shown.path.parent / name).resolve() if name else shown.path
        assert target.exists(), f"{shown.name}: {link}"
        if anchor:
            assert anchor in page(target.relative_to(ROOT).as_posix()).anchors, f"{shown.name}: {link}"


@by_name
def test_every_page_is_reached_from_the_front_page(shown):
    reached, waiting = {FRONT.name}, [FRONT]
    while waiting:
        here = waiting.pop()
        for link in here.links:
            target = (here.path.parent / link.partition("#")[0]).resolve()
            name = target.relative_to(ROOT).as_posix() if target.suffix == ".md" and target.exists() else here.name
            if name not in reached:
                reached.add(name)
                waiting.append(page(name))
    assert shown.name in reached


@each_block
def test_a_block_says_what_it_is(block):
    assert block.language in ("json", "mermaid", "python", "sh", "text", "writ", "yaml"), block.name


@pytest.mark.parametrize("block", [one for one in BLOCKS if one.language == "json"], ids=lambda block: block.name)
def test_what_looks_like_json_is_json(block):
    for text in block.text.splitlines() if block.mark.endswith(".jsonl") else [block.text]:
        json.loads(text)


@pytest.mark.parametrize("block", [one for one in BLOCKS if one.language in MODELS], ids=lambda block: block.name)
def test_a_model_has_the_findings_that_the_page_says(block):
    if block.mark.startswith(PIPELINE):
        assert isinstance(yaml_value(Source(block.name, block.text.encode()), DEFAULTS), dict)
        return
    if block.mark.endswith(TEST_ENDINGS):
        assert read_file(Source(block.mark, block.text.encode())).diagnostics == (), block.name
        return
    added, _, expected = block.mark.partition(", finds ")
    added, _, _ = added.partition(", ")
    sources = [Source(f"page.{block.language}", block.text.encode())]
    if added == ADDED:
        version = "model: 1\n" if block.language == "yaml" else ""
        sources = [Source("guide.yaml", GUIDE.marked("file: model.yaml").encode())]
        sources.append(Source(f"page.{block.language}", f"{version}{block.text}".encode()))
    codes = {row.code for row in load(sources, zones.zone_names()).diagnostics}
    if block.language == "writ" or block.name.startswith(
        "compiler/LANGUAGE.md"
    ):  # an example of one construct uses little of what it declares
        codes -= (ABOUT_ALL | {"role-without-holder"}) - {expected}
    assert codes == ({expected} if expected else set()), block.name


@by_name
def test_commands_and_their_options_exist(shown):
    for line in _COMMAND.findall("\n".join(code_of(shown))):
        words = line.split()
        names = [word for word in words if word in COMMANDS or re.fullmatch(r"[a-z]+", word)]
        full, command = found(names) if names else ("", root)
        used = {word.strip("[]…,") for word in words if re.match(r"\[?--?[a-z]", word)}
        assert used <= options(command), f"{shown.name}: `writ {full}` has no {used - options(command)}"


@by_name
def test_paths_are_served(shown):
    for text in code_of(shown):
        for path in _PATH.findall(text.replace("http://127.0.0.1:8080", "")):
            assert served(path) or (path.endswith("/") and served(path, beginning=True)), f"{shown.name}: {path}"
        call = _CALL.match(text)
        methods = [methods for route, methods in _ROUTES.items() if call and route.fullmatch(call[2])]
        if call and methods:
            assert set(call[1].split(", ")) <= methods[0], f"{shown.name}: {text}"


def served(path, beginning=False):
    """Whether a route has this path, or begins with it."""
    if _GATEWAY.fullmatch(path):
        return True
    return any(route.pattern.startswith(re.escape(path)) if beginning else route.fullmatch(path) for route in _ROUTES)


@by_name
def test_settings_exist(shown):
    assert set(re.findall(r"\bWRIT_[A-Z_]+[A-Z]", shown.text)) <= {*TABLE, *COMMAND_VARIABLES, *DJANGO_SETTINGS}


@by_name
def test_modules_and_files_exist(shown):
    for text in code_of(shown):
        for module in re.findall(r"python -m ([\w.]+)", text):
            assert find_spec(module), f"{shown.name}: {module}"
        if _FILE.match(text):
            assert (ROOT / text).exists(), f"{shown.name}: {text}"
