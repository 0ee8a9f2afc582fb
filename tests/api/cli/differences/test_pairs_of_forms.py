"""`writ diff --people` of the hospital's nineteen changes, over every pair of forms, and each word of `--fail-on`."""

import json
import subprocess
from itertools import product

import pytest
from click.testing import CliRunner
from writ.api.cli.main import writ

from tests.compiler.analysis.test_nineteen_changes import CHANGES
from tests.support.hospital import hospital

FORMS = ("yaml", "json", "writ", "folder", "bundle", "git", "store")
PAIRS = [*product(FORMS, FORMS)]
SAME = {"7 policies reordered", "8 order of lists"}
"""The changes after which the models are equal."""


def run(*words):
    return CliRunner().invoke(writ, [str(word) for word in words])


def done(*words):
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result


class Forms:
    """The models before and after each change, in the form that is asked for, made when it is first asked for."""

    def __init__(self, folder):
        self._folder = folder
        self._made = {}
        for name in ("before", *CHANGES):
            model = hospital()
            if name in CHANGES:
                CHANGES[name][0](model)
            (self._at(name) / "all.json").write_text(json.dumps(model))
        self._git("init", "-q")
        self._git("add", ".")
        self._git("-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "all")

    def path(self, name, form):
        key = name, form
        if key not in self._made:
            self._made[key] = self._make(name, form)
        return self._made[key]

    def _at(self, name):
        found = self._folder / f"m{name.split()[0]}"
        found.mkdir(exist_ok=True)
        return found

    def _git(self, *words):
        subprocess.run(["git", *words], cwd=self._folder, check=True)

    def _make(self, name, form):
        folder = self._at(name)
        given = folder / "all.json"
        match form:
            case "json":
                return given
            case "yaml" | "writ":
                done("convert", given, "--as", form, "-o", folder / f"as.{form}")
                return folder / f"as.{form}"
            case "folder":
                return in_parts(json.loads(given.read_text()), folder / "parts")
            case "bundle":
                done("compile", given, "-o", folder / "as.bundle")
                return folder / "as.bundle"
            case "git":
                return f"HEAD:{folder.name}/all.json"
            case _:
                done("import", given, "--data", "data", "--env", folder.name, "--create")
                return f"store:data#{folder.name}"


def in_parts(model, folder):
    """A folder with the policies of a model in one file, and the rest in another one."""
    folder.mkdir()
    policies = {name: model[name] for name in ("model", "policies")}
    (folder / "policies.json").write_text(json.dumps(policies))
    (folder / "rest.json").write_text(json.dumps({name: many for name, many in model.items() if name != "policies"}))
    return folder


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("forms")
        patch.chdir(folder)
        yield Forms(folder)


def shown(regions):
    return {
        (tuple(one["id"] for one in region["subjects"]), region["action"], region["resource_type"])
        for region in regions
    }


@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_a_change_is_the_same_in_all_forms(forms, number):
    """Each pair of forms has one of the changes, in turn."""
    old, new = PAIRS[number]
    name = [*CHANGES][number % len(CHANGES)]
    _, gains, loses, unknown = CHANGES[name]
    result = run("diff", forms.path("before", old), forms.path(name, new), "--people", "--format", "json")
    assert result.exit_code in (0, 1), result.output
    found = json.loads(result.stdout)["people"]
    assert (shown(found["gains"]), shown(found["loses"])) == (gains, loses)
    assert {one["reason"] for one in found["unknown"]} == unknown
    is_bundle = "bundle" in (old, new)
    assert all((region["resources"] is None) is is_bundle for region in found["gains"] + found["loses"])
    for region in found["gains"] + found["loses"]:
        assert region["witness"]["action"]["name"] == region["action"]


@pytest.mark.parametrize("form", FORMS)
def test_models_are_equal_to_themselves(forms, form):
    for other in FORMS:
        result = run("diff", forms.path("before", form), forms.path("before", other), "--people")
        assert (result.exit_code, "no effect" in result.output) == (0, True), (other, result.output)


def members(group):
    """The members of a group, at any depth."""
    (found,) = (one["members"] for one in hospital()["groups"] if one["id"] == group)
    return {name for one in found for name in (members(one["group"]) if "group" in one else {one["id"]})}


def words(name):
    """Each word of `--fail-on`, and whether it is true of a change."""
    _, gains, loses, unknown = CHANGES[name]
    changed = gains | loses
    yield "widened", bool(gains or unknown)
    yield "narrowed", bool(loses or unknown)
    yield "any", bool(changed or unknown)
    for group in ("wards", "physicians"):
        yield f"people:{group}", bool(unknown) or any(members(group) & {*people} for people, _, _ in changed)
    for action in ("read", "dispense"):
        limited = unknown and action == "dispense"  # the limit is that of one policy
        yield f"action:{action}", bool(limited) or any(one == action for _, one, _ in changed)


@pytest.mark.parametrize("name", CHANGES)
def test_each_word_decides_the_exit_code(forms, name):
    old, new = forms.path("before", "json"), forms.path(name, "json")
    for word, expected in words(name):
        assert run("diff", old, new, "--fail-on", word).exit_code == int(expected), word
    assert run("diff", old, new, "--people").exit_code == int(name not in SAME)
