"""Work that a running service does from time to time: the audit log, last uses, expired elements."""
