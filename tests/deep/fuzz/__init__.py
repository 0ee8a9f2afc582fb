"""Fuzzing by coverage: Atheris changes the bytes that reach the most code, and each target holds a law about them.

Read on in `targets.py` (what is fuzzed), `kept.py` (the inputs that are kept), `__main__.py` (one target in a process
of its own, since Atheris ends it) and `group.py` (all of them, for the time of a deep run).
"""
