"""The sharing of a store on PostgreSQL by servers of two formats.

Reading path: `older_servers`, `unread`.
"""
