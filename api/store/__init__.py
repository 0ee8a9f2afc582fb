"""The embedded store: models, their change log, credentials and the audit log in one SQLite database.

All SQL of Writ is in this package. Reading path, from the bottom up:

- `errors`, `database`: connections, schema, migrations;
- `environment_ids`, `environments`, `gateway_settings`: the environments of the store;
- `pages`: the cursors of lists; `actor`: the author of a change;
- `elements`, `search`, `finding`: the elements of a model, the candidates of a search, and a part of a name;
- `audit`, `credential_rows`, `credentials`, `sign_ins`: the audit log, clients and keys, people and their sessions;
- `history`, `models`, `writing`, `gathered_writes`: the change log, whole models, and a write;
- `expiring`, `policy_tests`, `trials`, `gateway_changes`, `promotions`, `environment_changes`, `insight`, `upgrades`:
  one task each;
- `store`: the interface to all of these;
- `leases`, `duties`: how several servers on one database keep in step, and which of them works for all;
- `backups`, `copying`, `examination`, `historical_model`: a copy in a file, a copy in another store, a check from
  outside, and the model at an earlier revision.
"""
