"""The endpoints that decide: evaluations, searches, discovery and health."""
