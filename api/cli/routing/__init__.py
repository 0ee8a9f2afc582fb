"""The commands on routes."""
