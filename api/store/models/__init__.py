"""Whole models: read from documents into the store, replaced, and read back."""
