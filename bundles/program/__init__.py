"""The rule program and its facts: the clauses, the demands on requests, the laws of a legal program, and its text form.

Reading path: `clauses` → `demands` → `laws` → `text` → `facts` → `closure`.
"""
