"""Deep runs: every law with fresh seeds, all small models, faults and a soak: `python -m tests.deep --help`.

Read on in `groups.py` (what there is to run), `task.py` (what a group is given), `trial.py` (one question put to a law)
and `failures.py` (how a failure becomes a case of the ordinary suite).
"""
