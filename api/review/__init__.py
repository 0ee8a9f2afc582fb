"""Tells what would happen: policies in words (`wording/`), policy tests (`testing/`) and the replay of logged requests
(`replaying/`).
"""
