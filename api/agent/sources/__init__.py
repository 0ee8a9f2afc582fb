"""The sources of bundles and updates: a server of Writ, a published folder, or a file.

Reading path: `source` has the interface. `connection`, `body` and `download` serve `upstream`. `published` and `file`
are the other two.
"""
