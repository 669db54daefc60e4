-- Run by psql once, as the superuser of a new cluster: an account that owns the journal's database and nothing else.
\set ON_ERROR_STOP on
\set password `cat "$NOUGHTS_JOURNAL_PASSWORD_FILE"`

CREATE ROLE noughts LOGIN PASSWORD :'password';
CREATE DATABASE noughts OWNER noughts;
REVOKE CONNECT ON DATABASE noughts FROM PUBLIC;

-- The superuser has no way in over the network.
ALTER ROLE CURRENT_USER PASSWORD NULL;
