"""The answers of the three searches: filters, and the judges that decide candidates."""
