-- readable from 1

-- What name_key() makes of the name. For those who are stored already it is their name in small letters, which may differ
-- from that; for those whom an older server stores it is NULL. Such a name is then not taken from who has not
-- registered it.
ALTER TABLE players
    ADD COLUMN name_key text,
    ADD COLUMN registered boolean NOT NULL DEFAULT FALSE,
    ADD COLUMN muted_until bigint NOT NULL DEFAULT 0, -- ms since the epoch
    ADD COLUMN banned_until bigint NOT NULL DEFAULT 0, -- ms since the epoch
    ADD COLUMN changed bigint; -- when the name, the token or a right was last changed, ms since the epoch
UPDATE players SET name_key = lower(name);

CREATE INDEX players_named ON players (name_key);
CREATE UNIQUE INDEX players_registered ON players (name_key) WHERE registered;
CREATE INDEX players_changed ON players (changed) WHERE changed IS NOT NULL;
