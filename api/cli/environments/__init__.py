"""The commands on environments: list and change them, promote between them, show drift, roll back.

Reading path: `environment_host` has the interface of a store or a server, `stored_environments` and
`served_environments` are these; `environment_options` chooses one; `refusing` ends a refused command; `shown_answers`
shows answers; `environments`, `promote`, `drift`, `rollback`, `push` are the commands.
"""
