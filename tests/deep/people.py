"""Fresh pairs of models: an answer changes exactly if the request lies in a region of the analysis."""

from collections import Counter

from tests.compiler.analysis.test_brute_force import check_edits, check_seed
from tests.compiler.analysis.test_small_models import check_small
from tests.compiler.analysis.test_strict_witnesses import check_strict
from tests.deep.task import Task


def check_people(task: Task) -> None:
    """Analyse one pair of models after another, until the time is over."""
    counts: Counter[str] = Counter()
    while task.left > 0:
        seed = task.random.getrandbits(40)
        check = (check_seed, check_edits, check_strict, check_small)[seed % 4]
        try:
            check(seed, counts, as_bundles=seed % 2 == 0)
        except Exception as ex:
            task.fail(f"{check.__name__}({seed}, Counter(), as_bundles={seed % 2 == 0}): {ex!r}"[:2_000])
        task.count(1)
    told = f"{counts['regions']:,} regions, {counts['no witness']:,} without a witness"
    task.note(f"{told}; {counts['changed']:,} requests with another answer")
