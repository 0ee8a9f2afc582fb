"""Publishes an environment to a folder or an object store, for agents that follow that instead of the service.

Reading path: `publishing_target` → `content` → `publisher`.
"""
