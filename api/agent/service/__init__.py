"""The agent's HTTP service: decisions from what a follower keeps in force, without a store.

Reading path: `engines` → `default_environment`, `callers_file` → `admitted_callers` → `keys_file` → `agent_searches`,
`all_workers` → `readiness`, `browsers` → `agent_app` → `agent_start`.
"""
