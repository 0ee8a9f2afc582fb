"""Ten operations keep within their budget of instructions. `--update-golden` makes what they take now the budget."""

import warnings

import pytest

from tests.bench.budget import UPDATE, VERSION, budget, over, under, write_budget
from tests.bench.instructions import all_counts, counted


@pytest.mark.filterwarnings("default:a budget is too large")
def test_no_operation_takes_over_a_twentieth_more_than_its_budget(request: pytest.FixtureRequest) -> None:
    """An operation that takes far less is only told of: then a change was good, and its author may not know of it."""
    counts, allowed = all_counts(), budget()
    if request.config.getoption("--update-golden"):
        write_budget(counts)
        return
    if allowed is None:
        pytest.skip(f"Python {VERSION} has no budget yet: `{UPDATE}` writes one")
    found = list(over(counts, allowed))
    assert not found, "\n".join([*found, f"make it cheaper; or if that is its price, run `{UPDATE}`"])
    if spare := list(under(counts, allowed)):
        warnings.warn(f"a budget is too large, so run `{UPDATE}`: {'; '.join(spare)}", stacklevel=1)


def test_there_are_ten_operations_in_each_budget() -> None:
    assert (found := budget()) is None or len(found) == 10


def test_the_count_is_exact_and_grows_with_the_work() -> None:
    def work(times: int) -> int:
        return sum(number * number for number in range(times))

    # The first count prepares the functions: see `tests.bench.instructions`.
    _, few, again, many = (counted(lambda times=times: work(times)) for times in (10, 10, 10, 20))
    assert few == again
    assert 5 < (many - few) / 10 < 15, (few, many)


BUDGET = {"decide": 1_000, "filter": 2_000}


@pytest.mark.parametrize(
    ("counts", "said_over", "said_under"),
    [
        (BUDGET, [], []),
        ({"decide": 1_050, "filter": 1_900}, [], []),
        (
            {"decide": 1_051, "filter": 2_000},
            ["`decide` takes 1,051 instructions, 5% more than its budget of 1,000"],
            [],
        ),
        (
            {"decide": 1_000, "filter": 1_000},
            [],
            ["`filter` takes 1,000 instructions, 50% less than its budget of 2,000"],
        ),
        ({"decide": 1_000}, ["`filter` is in the budget, but is not counted"], []),
        (BUDGET | {"search": 5}, ["`search` is counted, but has no budget"], []),
    ],
)
def test_what_is_said(counts: dict[str, int], said_over: list[str], said_under: list[str]) -> None:
    assert list(over(counts, BUDGET)) == said_over
    assert list(under(counts, BUDGET)) == said_under
