-- A player may hold several tokens, one for each device. SQLite cannot drop a unique column, so the table is made again.
CREATE TABLE tokens (
    hash BLOB NOT NULL PRIMARY KEY, -- SHA-256
    player TEXT NOT NULL,
    label TEXT NOT NULL,
    added INTEGER NOT NULL, -- ms since the epoch, as all times here; 0 if it is not known
    used INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO tokens (hash, player, label, added, used) SELECT token_hash, id, '', 0, 0 FROM players;
CREATE INDEX tokens_of_player ON tokens (player);

-- Codes by which a player gets another token: one to join with another device, and one for recovery.
CREATE TABLE codes (
    player TEXT NOT NULL,
    purpose TEXT NOT NULL, -- 'join' or 'recovery'
    hash BLOB NOT NULL UNIQUE,
    made INTEGER NOT NULL,
    PRIMARY KEY (player, purpose)
) WITHOUT ROWID;

CREATE TABLE people (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    seated INTEGER NOT NULL,
    greeted INTEGER, -- when, ms since the epoch
    name_key TEXT, -- what name_key() makes of the name
    registered INTEGER NOT NULL DEFAULT FALSE,
    muted_until INTEGER NOT NULL DEFAULT 0, -- ms since the epoch
    banned_until INTEGER NOT NULL DEFAULT 0, -- ms since the epoch
    changed INTEGER -- when the name, a token or a right was last changed, ms since the epoch
) WITHOUT ROWID;
INSERT INTO people (id, name, kind, seated, greeted, name_key, registered, muted_until, banned_until, changed)
SELECT id, name, kind, seated, greeted, name_key, registered, muted_until, banned_until, changed FROM players;
DROP TABLE players;
ALTER TABLE people RENAME TO players;

CREATE INDEX players_greeted ON players (greeted) WHERE NOT seated;
CREATE INDEX players_named ON players (name_key);
CREATE UNIQUE INDEX players_registered ON players (name_key) WHERE registered;
CREATE INDEX players_changed ON players (changed) WHERE changed IS NOT NULL;
CREATE TRIGGER players_forgotten AFTER DELETE ON players BEGIN
    DELETE FROM tokens WHERE player = OLD.id;
    DELETE FROM codes WHERE player = OLD.id;
END;
