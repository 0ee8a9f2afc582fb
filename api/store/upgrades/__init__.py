"""The way of a store on PostgreSQL from one format to the next one, while servers of both share it.

A newer server only adds what its format has besides (`database/postgresql/migrating`), and `database/unread` refuses
what older servers can't read. `contraction` ends the sharing. `plan` says beforehand what an upgrade does.
"""
