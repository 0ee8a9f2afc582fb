"""A small application for documents: FastAPI, SQLAlchemy and PostgreSQL, authorized by Writ."""
