"""Work that a running service does from time to time: the audit log (`audit_upkeep`), last uses (`use_upkeep`), expired
elements (`expiry_sweep`), the keys of several servers (`key_upkeep`), changed keys of the administrator
(`admin_key_upkeep`), the format of a store that two versions share (`format_upkeep`).

Each is a few `tasks` of one `upkeep`. Some are for `one_worker` alone.
"""
