"""`writ explain`, which explains decisions to people.

Reading path: `answering` asks a bundle, a store or a service; `explain` is the command. The words are in
`api/wording`.
"""
