"""The commands on the keys of a data directory.

Reading path: `keys` for those that sign, `admin_key` for those of the administrator.
"""
