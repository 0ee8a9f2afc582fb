"""The steps between formats of a store, and how they are taken beside older servers.

Reading path: `step` → `shared_tables`.
"""
