"""The corpus: four realistic models, which use every construct of the language and leave nothing to find."""

import pytest
from lark import Lark
from writ.bundles.zones import zone_names
from writ.compiler.language.grammar import GRAMMAR
from writ.compiler.language.statements import statements
from writ.compiler.language.tokens import Cut, Tokens
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.writ_texts import CORPUS

WITHOUT_READER = {"name_of_nothing"}


@pytest.mark.parametrize("name", CORPUS)
def test_a_model_of_the_corpus_has_no_findings(name):
    assert load([Source(name, CORPUS[name].encode())], zone_names()).diagnostics == ()


def test_the_corpus_is_large_enough():
    models = [load([Source(name, text.encode())], zone_names()).model for name, text in CORPUS.items()]
    assert sum(len(model.policies) for model in models) >= 40


def test_the_corpus_uses_every_construct():
    """A construct is a rule of the grammar, or a form of one that has a reader of its own."""
    parser = Lark(GRAMMAR, parser="lalr", lexer=Tokens, keep_all_tokens=True, maybe_placeholders=False)
    used = set()
    for text in CORPUS.values():
        for start, end in statements(text):
            used |= {tree.data for tree in parser.parse(Cut(text, start, end, [])).iter_subtrees()}
    rules = {rule.alias or rule.options.template_source or rule.origin.name for rule in parser.rules}
    named = {name for name in rules if not name.startswith("_")}
    assert named - used - {"start"} == set()
