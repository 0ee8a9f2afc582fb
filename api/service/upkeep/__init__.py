"""Work that a running service does from time to time: the audit log (`audit_upkeep`), last uses (`use_upkeep`), expired
elements (`expiry_sweep`). Each is a few `tasks` of one `upkeep`.
"""
