"""The commands on environments: list and change them, promote between them, show drift, roll back.

Reading path: `place` has the interface of a store or a server, `stored` and `served` are these; `place_options` chooses
one; `refusing` ends a refused command; `told` shows answers; `environments`, `promote`, `drift`, `rollback`, `push` are
the commands.
"""
