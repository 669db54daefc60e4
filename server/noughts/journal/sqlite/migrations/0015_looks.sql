-- What stored_look() makes of the name, by which names that look alike are found. NULL until a server that knows looks has
-- written it; older servers leave it as it is.
ALTER TABLE players ADD COLUMN look TEXT;

CREATE INDEX players_looks ON players (look) WHERE look IS NOT NULL;
