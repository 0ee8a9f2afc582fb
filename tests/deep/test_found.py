"""What deep runs found and no case file can show: each trial in `tests/cases/found/` keeps its law now."""

from tests.deep.failures import read_trial
from tests.support.cases import FOLDER


def test_what_was_found_is_found_no_more():
    trials = {path.name: read_trial(path) for path in (FOLDER / "found").glob("*.json")}
    assert {name: wrong for name, trial in trials.items() if (wrong := trial.run())} == {}
