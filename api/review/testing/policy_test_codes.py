"""The codes of the diagnostics that only files of policy tests have. The other codes are those of model documents."""

from ....compiler.diagnostics.codes import Code

TEST_CODES = (
    Code("bad-filter", "error", "an expected filter is not a filter tree (F5)"),
    Code("bad-request", "error", "a test's request or search is malformed, so Writ would refuse it"),
    Code("no-expectation", "error", "a test or a file of tests expects nothing, so it could never fail"),
    Code("no-model", "error", "the model of the tests can't be read"),
    Code("no-registry", "error", "a stored test asks with registered attributes, which only tests of documents can"),
    Code("no-results", "error", "a stored test expects `results`, which only tests of a model in documents can"),
    Code("refused", "error", "the model wants strict requests, and refuses one of a test (E8)"),
    Code("too-many-tests", "error", "stored tests exceed a limit"),
    Code("undeclared", "error", "a test names a type, an action, an attribute or a value that is not declared"),
    Code("unknown-name", "error", "a table of tests allows something for a name that the table does not have"),
)


def show_test_codes() -> str:
    """Returns the codes as a Markdown table."""
    rows = [f"| `{code.name}` | {code.meaning} |" for code in TEST_CODES]
    return "\n".join(["| code | what it says |", "|---|---|", *rows]) + "\n"
