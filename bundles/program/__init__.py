"""The rule program and its facts: the clauses, the laws of a legal program, and its text form.

Reading path: `clauses` → `laws` → `text` → `facts` → `closure`.
"""
