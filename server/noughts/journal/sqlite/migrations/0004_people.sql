-- What name_key() makes of the name. For those who are stored already it is their name in small letters, which differs
-- from that only in letters beyond ASCII: such a name is then not taken from who has not registered it.
ALTER TABLE players ADD COLUMN name_key TEXT;
ALTER TABLE players ADD COLUMN registered INTEGER NOT NULL DEFAULT FALSE;
ALTER TABLE players ADD COLUMN muted_until INTEGER NOT NULL DEFAULT 0; -- ms since the epoch
ALTER TABLE players ADD COLUMN banned_until INTEGER NOT NULL DEFAULT 0; -- ms since the epoch
ALTER TABLE players ADD COLUMN changed INTEGER; -- when the name, the token or a right was last changed, ms since the epoch
UPDATE players SET name_key = lower(name);

CREATE INDEX players_named ON players (name_key);
CREATE UNIQUE INDEX players_registered ON players (name_key) WHERE registered;
CREATE INDEX players_changed ON players (changed) WHERE changed IS NOT NULL;
