"""The command line: one module a command, loaded when it is called. `main` is the command `writ`.

Each folder has a command, or several that belong together:

- `demo/`: the model of an invented company;
- `offline/`, `language/`, `routing/`: commands on model documents and bundle files;
- `testing/`, `replaying/`, `differences/`, `explaining/`: `writ test`, `replay`, `diff`, `explain`;
- `stores/`, `keys/`, `environments/`, `doctor/`, `reconciling/`: commands on a store or a service.

`serve` starts the service: `server_options` reads its options, `start_model` loads its model, and `greeting` shows how
to ask it. `agent` starts an agent.

Several commands share these: `output`, `sentences` and `reports/` show results, `source_paths`, `model_elements`,
`named_model` and `git_revisions` read models, `overwriting` protects files, `service_options` and `remote_service` call
a running service.
"""
