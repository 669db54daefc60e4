-- Invitations to the server, and who has come by which. Those of deleted players are kept, so that each counts once.
CREATE TABLE passes (
    hash BLOB NOT NULL PRIMARY KEY, -- of the code, SHA-256
    label TEXT NOT NULL, -- whom it is for
    made INTEGER NOT NULL, -- ms since the epoch
    until INTEGER NOT NULL, -- ms since the epoch
    uses INTEGER NOT NULL -- how many players may come by it
) WITHOUT ROWID;
ALTER TABLE players ADD COLUMN pass_hash BLOB; -- of the invitation by which the player came
CREATE INDEX players_invited ON players (pass_hash) WHERE pass_hash IS NOT NULL;

-- A deleted player's name stays in the records, but is shown no more.
ALTER TABLE players ADD COLUMN deleted INTEGER NOT NULL DEFAULT FALSE;
CREATE INDEX players_deleted ON players (id) WHERE deleted;

-- How the operator wants a room to end that is to be closed; NULL for no result.
ALTER TABLE rooms ADD COLUMN verdict TEXT;

-- What the operator has done. Servers read what is new there, by the revision.
CREATE TABLE acts (
    revision INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL, -- ms since the epoch
    who TEXT NOT NULL, -- the account on the machine
    kind TEXT NOT NULL,
    subject TEXT NOT NULL, -- a player's id, a room's, an address
    detail TEXT NOT NULL
);
CREATE TABLE last_act (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL); -- one row
INSERT INTO last_act VALUES (1, 0);
