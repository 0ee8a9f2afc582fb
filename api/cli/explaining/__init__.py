"""`writ explain`, and the prose that explains a decision to people.

Reading path: `window_words` and `condition_prose` word the parts of a proof, `prose` words an answer; `answering` asks
a bundle, a store or a service; `explain` is the command.
"""
