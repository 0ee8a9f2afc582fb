"""Docstrings: their examples are true, a package's lists its children. Words are plain, in comments and pages too."""

import ast
import doctest
import re
import tokenize
from importlib import import_module

import pytest

from tests.support.pages import pages
from tests.support.structure import FILES, MODULES, ROOT, SCRIPTS, name_of, nodes, tree

PACKAGES = [path for path in FILES if path.name == "__init__.py"]
OF_ALL = {"tests", "__init__", "__main__"}
SUPPORT = sorted((ROOT / "tests/support").rglob("*.py"))

_NO_START = re.compile(r"(What|Who|Whom|How|Of|Whether|Where|Why|When|As)\b")
_MANNERED = re.compile(
    r"\b(nobody|no one|whoever|thereof|likewise|anew|in vain|(tells?|told) of|of (its|their|our|his) own)\b",
    re.IGNORECASE,
)
_COMMENT_OF_A_SCRIPT = re.compile(r"(?:^|[ \t])// ?((?:.*\n[ \t]*// ?)*.*)", re.MULTILINE)
_CODE_OF_A_PAGE = re.compile(r"^( *)```.*?^\1```$|`[^`]*`", re.DOTALL | re.MULTILINE)
_IN_CODE = re.compile(r"`([^`]+)`")
_IN_A_PATH = re.compile(r"`([\w/]+)`(?= →)|(?<=→ )`([\w/]+)`")


def children(package):
    """The modules and packages directly in a package."""
    folder = package.parent
    return {one.stem for one in folder.iterdir() if one.suffix == ".py" or (one / "__init__.py").exists()} - OF_ALL


def of_packages(check):
    """The answers of `check` to each package and its docstring, of those that have one."""
    found = ((path, check(path, " ".join((ast.get_docstring(tree(path)) or "").split()))) for path in PACKAGES)
    return {name_of(path): sorted(wrong) for path, wrong in found if wrong}


@pytest.mark.parametrize("module", sorted(module for module, path in MODULES.items() if ">>>" in path.read_text()))
def test_examples(module):
    """pytest's own collection of docstrings would import the root package under the name of the checkout's folder."""
    tried = doctest.testmod(import_module(module))
    assert (tried.attempted > 0, tried.failed) == (True, 0)


IN_A_PROJECT = {"writ.django.backend", "writ.django.rest_framework"}
"""Modules that need the settings of a project of Django. Their own tests have one."""


def test_every_module_can_be_imported():
    for module in set(MODULES) - {"writ.__main__"} - IN_A_PROJECT:
        import_module(module)


def test_a_package_lists_its_children():
    def missing(path, text):
        named = {word for code in _IN_CODE.findall(text) for word in re.findall(r"\w+", code)}
        return children(path) - named

    assert of_packages(missing) == {}, "name these modules in the docstring of their package, in reading order"


def test_a_reading_path_names_only_what_is_there():
    def gone(path, text):
        steps = {first or second for first, second in _IN_A_PATH.findall(text)}
        places = {step: path.parent / step for step in steps}
        return {step for step, place in places.items() if not (place.is_dir() or place.with_suffix(".py").exists())}

    assert of_packages(gone) == {}, "these modules are gone: take them from the reading path"


def docstrings(path):
    """The texts that stand alone as statements: the docstrings of modules, classes, functions and attributes."""
    for node in nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


def comments(path):
    """The comments of a file."""
    with tokenize.open(path) as file:
        yield from (token.string for token in tokenize.generate_tokens(file.readline) if token.type == tokenize.COMMENT)


SCRIPT_COMMENTS = {
    name_of(path): _COMMENT_OF_A_SCRIPT.findall(path.read_text())
    for path in sorted(SCRIPTS.rglob("*.js"))
    if path.parent.name != "vendor"
}
"""The comments of the console's modules. Those on consecutive lines are one."""


def test_a_docstring_says_at_once_what_the_thing_is():
    """It begins with a verb or a noun. So does a comment of the console's modules, which have no docstrings."""
    texts = {name_of(path): docstrings(path) for path in (*FILES, *SUPPORT)} | SCRIPT_COMMENTS
    found = {name: [text for text in of_file if _NO_START.match(text)] for name, of_file in texts.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_the_words_of_code_and_pages_are_plain():
    texts = {name_of(path): (*docstrings(path), *comments(path)) for path in FILES} | SCRIPT_COMMENTS
    texts |= {page.name: [_CODE_OF_A_PAGE.sub("", page.text)] for page in pages()}
    found = {name: [one[0] for text in of_file for one in _MANNERED.finditer(text)] for name, of_file in texts.items()}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}, "see `Write docstrings` in CONTRIBUTING.md"
