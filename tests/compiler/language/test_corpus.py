"""The corpus: four realistic models, which use every construct of the language and leave nothing to find."""

import pytest
from lark import Lark
from writ.compiler.language.grammar import GRAMMAR
from writ.compiler.language.reading.all_readers import READERS
from writ.compiler.language.statements import statements
from writ.compiler.language.tokens import TokenInput, Tokens

from tests.support.writ_texts import CORPUS, load_writ


@pytest.mark.parametrize("name", CORPUS)
def test_a_model_of_the_corpus_has_no_findings(name):
    assert load_writ(CORPUS[name]).diagnostics == ()


def test_the_corpus_is_large_enough():
    models = [load_writ(text).model for text in CORPUS.values()]
    assert sum(len(model.policies) for model in models) >= 40


def test_the_corpus_uses_every_construct():
    """Each reader is that of one construct."""
    parser = Lark(GRAMMAR, parser="lalr", lexer=Tokens, keep_all_tokens=True, maybe_placeholders=False)
    used = set()
    for text in CORPUS.values():
        for start, end in statements(text):
            used |= {tree.data for tree in parser.parse(TokenInput(text, start, end, [])).iter_subtrees()}
    assert READERS.keys() - used == set()
