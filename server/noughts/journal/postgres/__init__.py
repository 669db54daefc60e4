"""The journal in PostgreSQL, which any number of servers share."""
