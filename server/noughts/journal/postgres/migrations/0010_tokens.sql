-- readable from 10

-- A player may hold several tokens, one for each device.
CREATE TABLE tokens (
    hash bytea PRIMARY KEY, -- SHA-256
    player text NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    label text NOT NULL,
    added bigint NOT NULL, -- ms since the epoch, as all times here; 0 if it is not known
    used bigint NOT NULL
);
INSERT INTO tokens (hash, player, label, added, used) SELECT token_hash, id, '', 0, 0 FROM players;
CREATE INDEX tokens_of_player ON tokens (player);
ALTER TABLE players DROP COLUMN token_hash;

-- Codes by which a player gets another token: one to join with another device, and one for recovery.
CREATE TABLE codes (
    player text NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    purpose text NOT NULL, -- 'join' or 'recovery'
    hash bytea NOT NULL UNIQUE,
    made bigint NOT NULL,
    PRIMARY KEY (player, purpose)
);
