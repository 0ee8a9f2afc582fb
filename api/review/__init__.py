"""Tells what would happen: policy tests, the replay of logged requests, and policies in words."""
