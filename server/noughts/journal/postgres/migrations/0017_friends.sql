-- readable from 10

-- Invitations to the server, and who has come by which. Those of deleted players are kept, so that each counts once.
CREATE TABLE passes (
    hash bytea PRIMARY KEY, -- of the code, SHA-256
    label text NOT NULL, -- whom it is for
    made bigint NOT NULL, -- ms since the epoch
    until bigint NOT NULL, -- ms since the epoch
    uses bigint NOT NULL -- how many players may come by it
);
ALTER TABLE players ADD COLUMN pass_hash bytea; -- of the invitation by which the player came
CREATE INDEX players_invited ON players (pass_hash) WHERE pass_hash IS NOT NULL;

-- A deleted player's name stays in the records, but is shown no more.
ALTER TABLE players ADD COLUMN deleted boolean NOT NULL DEFAULT FALSE;
CREATE INDEX players_deleted ON players (id) WHERE deleted;

-- How the operator wants a room to end that is to be closed; NULL for no result.
ALTER TABLE rooms ADD COLUMN verdict text;

-- What the operator has done. Servers read what is new there, by the revision.
CREATE TABLE acts (
    revision bigint PRIMARY KEY,
    at bigint NOT NULL, -- ms since the epoch
    who text NOT NULL, -- the account on the machine
    kind text NOT NULL,
    subject text NOT NULL, -- a player's id, a room's, an address
    detail text NOT NULL
);
CREATE TABLE last_act ( -- one row, which an act locks, so that revisions appear in order
    one integer PRIMARY KEY CHECK (one = 1),
    revision bigint NOT NULL
);
INSERT INTO last_act VALUES (1, 0);
