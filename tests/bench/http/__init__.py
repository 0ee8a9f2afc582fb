"""Benchmark over HTTP: Writ beside OPA and Cerbos, one core for the server and one for the client. See ../README.md.

Read the files in this order:

- `questions`: what every service is asked, with the right answers.
- `rego`, `cerbos_policies`: the same model for the two others.
- `service`: what a service is to the benchmark; `writ_service`, `opa_service`, `cerbos_service`: the three of them.
- `opa_filters`, `cerbos_filters`: whether a filter of the others holds for a resource.
- `installing`: where the binaries of the others come from.
- `processes`: processes on their cores, with their processor time and memory.
- `load`: the figures of a turn; `busy_load`, `python_load`, `handshakes`: the clients.
- `contest`, `workers`, `idle`, `versions`, `in_process`: what is measured.
- `report`: the table.
"""
