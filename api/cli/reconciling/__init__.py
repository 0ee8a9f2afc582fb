"""`writ reconcile`: sets the grants on resources as a list says.

Reading path: `grant_rows` reads the list, `setting` compares it with a service and sets what differs, and `reconcile`
is the command.
"""
