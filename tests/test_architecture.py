"""The shape of the code: who imports whom, where libraries stand, how long files and functions grow (design.md)."""

import ast
import re
import subprocess
import sys
import tomllib

import pytest

from tests.support.pages import page
from tests.support.structure import (
    CLIENT,
    CLIENT_PACKAGES,
    FILES,
    FRONT,
    LAYERS,
    MODULES,
    ROOT,
    SCRIPTS,
    children_graph,
    graph,
    imports,
    name_of,
    nodes,
    package_of,
    reached,
    script_graph,
    script_imports,
    tree,
)

MAY_IMPORT = {
    "bundles": set(),
    "compiler": {"bundles"},
    "runtime": {"bundles"},
    "api": {"bundles", "compiler", "runtime"},
}


def _down(names):
    return tuple(names.split())


ROOMS = {
    "writ.api": _down(
        """
        cli agent service endpoints engines console identity review server telemetry http store settings
        """
    ),
    "writ.api.cli": _down(
        """
        agent keys explaining differences doctor language main reconciling replaying routing serve
        environments greeting offline testing model_elements overwriting reports service_options start_model
        named_model git_revisions stores demo sentences server_options remote_service source_paths output
        """
    ),
    "writ.api.service": _down(
        """
        start app session_answers write_revisions refused_changes parts server_program server_parts observing upkeep
        routes jobs
        """
    ),
    "writ.api.agent": _down(
        """
        service follow following reaching options follower pacing in_force status state followed_bundle freshness
        sources trust
        """
    ),
    "writ.api.endpoints": _down("sign_in gateway previewing insight metrics_page tokens decisions errors management"),
    "writ.api.engines": _down("leases publishing exports live jobs work"),
    "writ.api.identity": _down(
        """
        sign_in issuers tokens known_credentials request_actor recent_headers noting_guard guard admin_keys credential
        keys attempt_counts failed_attempts uses secret_format credential_shapes admin_access admin_key
        """
    ),
    "writ.api.review": _down("asking people replaying testing wording effects"),
    "writ.api.server": _down(
        """
        server worker supervision tls acceptor listening connection deadline exchange outlet known_head
        owner lane_calls connection_queues request_parser response_head shares refusal
        """
    ),
    "writ.api.telemetry": _down("decision_log log metrics bounded_queue log_lines"),
    "writ.api.http": _down(
        """
        handlers caller error_answers lines revision_tokens openapi outgoing entity_tags pace public_url raw_paths
        source_address streams bodies queries request_id json_limits field_values rejections
        """
    ),
    "writ.api.store": _down(
        """
        historical_model store upgrades insight environment_changes promotions gateway_changes trials policy_tests
        copying
        expiring gathered_writes writing examination models duties leases backups history sign_ins credentials audit
        finding
        search elements credential_rows actor pages gateway_settings environments environment_ids database errors
        """
    ),
    "writ.api.settings": _down(
        """
        durations model_limits settings written_instants sign_in_settings decision_log_settings store_settings store_url
        setting_rows setting_readers
        """
    ),
    "writ.runtime": _down(
        """
        trial_engine engine asking in_force rate_counters why_not searches decisions rates snapshot specialisation_cache
        filters strictness rules requests state translate routing effort limits decision shapes
        """
    ),
    "writ.compiler": _down(
        """
        rego analysis renaming compile load check_policy lint_model check_elements forms passes rewrites lints checks
        lowering documents language model diagnostics source limits
        """
    ),
    "writ.bundles": _down(
        """
        feed delta signing file zones manifest publish routing prepared program declarations json_members wording
        opposites conditions formats errors extensions event_loop progress system_errors
        """
    ),
}
"""The files and folders of a package from the top down: each imports only what stands below it."""

SCRIPT_ROOMS = _down("app pages editing parts core vendor")
"""The folders of the console's modules from the top down."""

FOLDERS = sorted({module.rpartition(".")[0] for module in MODULES if "." in module})
NO_IO = {"os", "time", "random", "socket", "sqlite3", "threading", "logging", "pathlib", "secrets", "subprocess", "io"}
ENTRY_POINTS = {
    "runtime/engine.py": "it opens files and holds a clock",
    "runtime/rate_counters.py": "it makes a secret and a lock for the counters of one process",
    "runtime/translate/sqlalchemy.py": "no parameter of an execution may hit the random name of a value",
}
ONE_PLACE = {
    "lark": ("compiler/language/",),
    "pyrsistent": ("runtime/state/overlay.py",),
    "jwt": ("bundles/signing/", "api/identity/tokens/", "api/identity/keys/", "api/identity/issuers/"),
    "cryptography": (
        "bundles/signing/",
        "api/identity/tokens/",
        "api/identity/keys/",
        "api/server/tls.py",
    ),
    "sqlite_utils": ("api/store/database/sqlite/",),
    "sqlite3": ("api/store/database/sqlite/", "api/store/database/driver_errors.py", "api/store/database/schema.py"),
    "psycopg": ("api/store/database/postgresql/", "api/store/duties/", "api/store/leases/"),
    "falcon": ("api/",),
    "urllib3": (
        "api/agent/sources/",
        "api/telemetry/decision_log/sinks/collector.py",
        "api/http/outgoing/",
    ),
    "httpx": ("api/client/client/",),
    "fsspec": ("api/agent/sources/published.py", "api/engines/publishing/publishing_target.py"),
    "prometheus_client": ("api/telemetry/metrics/exposition.py",),
    "opentelemetry": ("api/service/observing/telemetry.py",),
    "gunicorn": ("api/server/",),
    "grpc": ("api/endpoints/gateway/envoy/",),
    "google": ("api/endpoints/gateway/envoy/",),
    "click": ("api/cli/",),
    "rich": ("api/cli/",),
    "yaml": ("compiler/documents/yaml/", "compiler/forms/yaml_form.py"),
    "re2": ("bundles/conditions/automata.py",),
    "tzdata": ("bundles/zones.py",),
}
FILE_LIMIT, FUNCTION_LIMIT, FOLDER_LIMIT = 400, 60, 17


def faults(found):
    """What is wrong in each file, by its name. One test asks about all files: thousands of tests took minutes."""
    listed = ((name_of(path), sorted(wrong)) for path, wrong in found)
    return {name: wrong for name, wrong in listed if wrong}


def test_a_layer_imports_only_what_it_may():
    def strangers(path):
        layer = name_of(path).split("/")[0]
        imported = {name.split(".")[1] for name in imports(path) if name.startswith("writ.")} & MAY_IMPORT.keys()
        return imported - {layer} - MAY_IMPORT[layer]

    assert faults((path, strangers(path)) for path in FILES if path not in FRONT) == {}


def test_imports_of_ours_are_relative():
    """The four folders are never imported by their bare names: another application may have a package `api`."""

    def bare(path):
        for node in nodes(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            yield from {name.split(".")[0] for name in names} & {*LAYERS, "writ", "tests"}

    assert faults((path, bare(path)) for path in FILES) == {}


def test_no_file_imports_itself_through_others():
    for module in MODULES:
        assert module not in reached(graph(), module), f"{module} imports itself through others"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_circle_between_the_files_and_folders_of_a_folder(folder):
    """At every level, what stands in a folder has one direction of imports."""
    examples = children_graph(folder)
    graph = {here: set(there) for here, there in examples.items()}
    for here in graph:
        assert here not in reached(graph, here), f"{folder}.{here} stands in a circle: {examples[here]}"


@pytest.mark.parametrize("folder", ROOMS)
def test_imports_go_down_the_rooms_of_a_package(folder):
    order = ROOMS[folder]
    for here, below in children_graph(folder).items():
        for there, example in below.items():
            assert order.index(here) < order.index(there), f"{example[0]} must not import {example[1]}"


@pytest.mark.parametrize("folder", ROOMS)
def test_every_room_of_a_package_has_its_place(folder):
    path = ROOT.joinpath(*folder.split(".")[1:])
    found = {child.stem for child in path.iterdir() if child.suffix == ".py" or (child / "__init__.py").exists()}
    assert found - {"__init__"} == set(ROOMS[folder])


def test_the_map_shows_the_rooms_from_the_top_down():
    rows = re.findall(r"^\| \[`(\w+)`\]\((\S+)\)", page("CONTRIBUTING.md").section("Find your way"), re.MULTILINE)
    assert [name for name, target in rows if target.startswith(f"api/{name}/")] == list(ROOMS["writ.api"])


def test_no_script_of_the_console_imports_itself_through_others():
    assert [name for name in script_graph() if name in reached(script_graph(), name)] == []


def test_scripts_of_the_console_import_down_its_folders():
    def upwards(name):
        place = SCRIPT_ROOMS.index(folder_of(name))
        return [one for one in script_graph()[name] if SCRIPT_ROOMS.index(folder_of(one)) < place]

    assert {name: upwards(name) for name in script_graph() if upwards(name)} == {}


def test_pages_of_the_console_are_loaded_by_their_table_alone():
    dynamic = {name for name in script_graph() if any(is_dynamic for _, is_dynamic in script_imports(SCRIPTS / name))}
    assert dynamic == {"app/pages.js"}


def test_every_script_of_the_console_is_used():
    pages = ("app/start.js", "app/arrived.js")
    used = {*pages, *(one for page in pages for one in reached(script_graph(), page))}
    assert used - {"vendor/lit-html.js"} == set(script_graph())


def folder_of(name):
    """The folder of a module of the console."""
    return name.split("/")[0]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_has_few_files(folder):
    path = ROOT.joinpath(*folder.split(".")[1:])
    assert len([file for file in path.glob("*.py") if file.name != "__init__.py"]) <= FOLDER_LIMIT


def test_a_library_stands_in_one_place():
    def strangers(path):
        for name in imports(path):
            places = ONE_PLACE.get(name.split(".")[0])
            if places is not None and not name_of(path).startswith(places):
                yield f"{name} belongs to {places}"

    assert faults((path, strangers(path)) for path in FILES) == {}


def test_compiler_and_runtime_do_no_io_and_read_no_clock():
    def outside(path):
        yield from {name.split(".")[0] for name in imports(path)} & NO_IO
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield from {node.func.id} & {"open", "print", "input"}

    inside = [name for name in FILES if name_of(name).startswith(("compiler", "runtime"))]
    assert faults((path, outside(path)) for path in inside if name_of(path) not in ENTRY_POINTS) == {}


def test_the_contract_package_imports_nothing():
    assert list(imports(ROOT / "bundles/__init__.py")) == []


def test_a_module_opens_with_one_sentence():
    def opening(path):
        doc = ast.get_docstring(tree(path)) or ""
        first = doc.split("\n\n")[0].replace("\n", " ")
        return [] if first.endswith((".", ":")) else [first]

    assert faults((path, opening(path)) for path in FILES) == {}


def test_files_and_functions_stay_short():
    def long(path):
        lines = len(path.read_text().splitlines())
        if lines > FILE_LIMIT:
            yield f"{lines} lines"
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LIMIT:
                    yield f"{node.name} has {length} lines"

    assert faults((path, long(path)) for path in FILES) == {}


def test_what_is_public_is_documented():
    def undocumented(path):
        for node in tree(path).body:
            is_named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            if is_named and not node.name.startswith("_") and not ast.get_docstring(node):
                yield node.name

    assert faults((path, undocumented(path)) for path in FILES) == {}


def test_every_suppression_has_a_reason():
    def unexplained(path):
        for line in path.read_text().splitlines():
            for mark in ("# noqa", "# type: ignore", "# pragma"):
                if mark in line and not (" - " in line.split(mark)[1] or "  # " in line.split(mark)[1]):
                    yield line.strip()

    assert faults((path, unexplained(path)) for path in FILES) == {}


def test_no_module_is_named_like_a_test():
    assert [name for name in (*map(name_of, FILES), *script_graph()) if name.split("/")[-1].startswith("test_")] == []


@pytest.mark.parametrize("name", ["utils", "util", "helpers", "common", "core", "base", "manager", "misc"])
def test_no_file_is_named_after_nothing(name):
    assert [path for path in FILES if path.stem == name or path.parent.name == name] == []


def test_an_installation_has_every_package():
    """A folder with an `__init__.py` is a package; one that pyproject.toml does not list would not be installed."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert listed == sorted({package_of(path) for path in FILES})
    assert {package_of(path) for path in FILES if path.stem == "__init__"} == {*listed}


def test_what_applications_import_has_short_names():
    """`api/client` is no package itself, and each folder in it is installed as `writ.NAME` (design.md)."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    named = {f"writ.{name}": f"api/client/{name}" for name in CLIENT_PACKAGES}
    assert settings["setuptools"]["package-dir"] == {"writ": "."} | named
    assert set(named) <= set(settings["mypy"]["packages"])
    assert not list(CLIENT.glob("*.py"))


def test_commands_alone_import_what_applications_import():
    ours = {f"writ.{name}" for name in CLIENT_PACKAGES}

    def users(path):
        used = {name for name in imports(path) if ".".join(name.split(".")[:2]) in ours}
        return used if not path.is_relative_to(CLIENT) and not name_of(path).startswith("api/cli/") else ()

    assert faults((path, users(path)) for path in FILES if path not in FRONT) == {}


def test_what_applications_import_imports_no_command_and_no_server():
    def strangers(path):
        above = ("writ.api.cli", "writ.api.service", "writ.api.endpoints", "writ.api.server", "writ.api.console")
        return {name for name in imports(path) if name.startswith(above)}

    # in tests of applications alone: what runs policy tests as `writ test` does, and what answers as the service does
    but = {CLIENT / "testing" / name for name in ("policy_tests.py", "answering.py")}
    files = [path for path in FILES if path.is_relative_to(CLIENT) and path not in but]
    assert faults((path, strangers(path)) for path in files) == {}


@pytest.mark.parametrize(
    ("module", "strangers"),
    [
        ("writ", ("writ.runtime", "writ.compiler", "writ.api", "writ.bundles", "falcon", "sqlite_utils")),
        ("writ.runtime.engine", ("writ.compiler", "lark", "yaml", "falcon", "jwt", "cryptography")),
        ("writ.api.agent.follow", ("writ.compiler", "writ.api.store", "lark", "sqlite_utils", "falcon", "fsspec")),
        (
            "writ.client",
            (
                *("writ.compiler", "writ.api", "writ.testing", "writ.runtime.engine", "writ.bundles.file.reader"),
                *("falcon", "sqlite_utils", "lark", "cryptography", "re2"),
            ),
        ),
        (
            "writ.decision_log",
            ("writ.compiler", "writ.api.store", "writ.api.http", "httpx", "falcon", "urllib3", "lark"),
        ),
        ("writ.sqlalchemy", ("writ.compiler", "writ.api", "falcon", "jwt", "cryptography", "lark")),
        ("writ.django", ("writ.compiler", "writ.api", "sqlalchemy", "falcon", "jwt", "lark")),
        ("writ.mirror", ("writ.compiler", "writ.api.store", "lark", "sqlite_utils", "falcon", "fsspec")),
        ("writ.testing", ("writ.compiler", "writ.runtime", "pytest")),
        ("writ.testing.pytest_plugin", ("writ.compiler", "writ.runtime", "writ.api")),
        ("writ.testing.engines", ("writ.api.store", "writ.api.service", "writ.api.cli", "falcon", "pytest")),
        ("writ.api.agent.sources.published", ("writ.compiler", "writ.api.store", "lark", "sqlite_utils", "falcon")),
        ("writ.compiler.compile", ("writ.runtime", "falcon")),
        ("writ.api.cli.offline.check", ("writ.runtime", "writ.bundles.file.reader", "rich", "falcon", "sqlite_utils")),
    ],
)
def test_a_part_loads_without_the_others(module, strangers):
    """An agent runs without the compiler, a build machine without the evaluator, and neither loads a server."""
    code = f"import sys, {module}; print([name for name in {strangers!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
