-- Run once by psql, as the superuser of a new cluster: create an account that owns the journal's database, nothing else.
\set ON_ERROR_STOP on
\set password `cat "$NOUGHTS_JOURNAL_PASSWORD_FILE"`

CREATE ROLE noughts LOGIN PASSWORD :'password';
CREATE DATABASE noughts OWNER noughts;
REVOKE CONNECT ON DATABASE noughts FROM PUBLIC;

-- The superuser cannot log in over the network.
ALTER ROLE CURRENT_USER PASSWORD NULL;
