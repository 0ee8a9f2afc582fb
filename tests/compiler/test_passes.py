"""The laws hold after every pass, and a clause is checked once."""

from dataclasses import replace

import pytest
from writ.bundles.program.clauses import Rate
from writ.bundles.program.laws import IllegalProgram, check_clause
from writ.compiler import passes
from writ.compiler.passes import compile_program

from tests.support.diagnosing import load_text, model_text, policy

MODEL = model_text(policies=policy('{"resource_attrs": [{"key": "k", "op": "eq", "value": 1}]}', effect="DENY"))


def ill(program):
    """A pass that gives a DENY a rate limit (C10)."""
    return replace(program, clauses=tuple(replace(one, body=(Rate(1, 1),)) for one in program.clauses))


@pytest.mark.parametrize("place", range(len(passes.REWRITES) + 1))
def test_a_pass_that_breaks_a_law_is_caught_wherever_it_stands(place, monkeypatch):
    rewrites = [*passes.REWRITES[:place], ill, *passes.REWRITES[place:]]
    monkeypatch.setattr(passes, "REWRITES", rewrites)
    with pytest.raises(IllegalProgram, match="clause of policy `p` breaks the law: no DENY has a rate limit"):
        compile_program(load_text(MODEL).model)


def test_a_pass_that_takes_a_type_away_is_caught(monkeypatch):
    monkeypatch.setattr(passes, "REWRITES", [lambda program: replace(program, types=())])
    with pytest.raises(IllegalProgram, match="every type is declared"):
        compile_program(load_text(MODEL).model)


@pytest.mark.parametrize(("repeated", "times"), [("2", 1), ("1.0", 2)])
def test_a_clause_is_checked_again_only_where_a_pass_changed_it(repeated, times, monkeypatch):
    """Of `1` and `1.0` on one key, one is dropped."""
    seen = []
    monkeypatch.setattr(
        passes, "check_clause", lambda clause, types: seen.append(clause) or check_clause(clause, types)
    )
    compile_program(load_text(MODEL.replace("1}]}", f'1}}, {{"key": "k", "op": "eq", "value": {repeated}}}]}}')).model)
    assert [clause.policy for clause in seen] == ["p"] * times
