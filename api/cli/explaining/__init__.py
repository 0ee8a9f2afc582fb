"""`writ explain`, and the prose that explains a decision to people.

Reading path: `window_words` and `condition_prose` word the parts of a proof, `prose` words an answer, `questions` reads
requests, `explain` is the command.
"""
