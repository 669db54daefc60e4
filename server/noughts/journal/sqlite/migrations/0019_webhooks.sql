-- Where players want to be told that it is their move, and how the last call went.
CREATE TABLE webhooks (
    player TEXT NOT NULL PRIMARY KEY, -- its id
    url TEXT NOT NULL,
    secret BLOB NOT NULL,
    tried_at INTEGER, -- ms since the epoch
    outcome TEXT -- in words
) WITHOUT ROWID;

-- Whom to tell, and when next. A later turn in the room takes the place of the one before.
CREATE TABLE notices (
    player TEXT NOT NULL,
    room TEXT NOT NULL, -- empty for a first call, to try the webhook
    version INTEGER NOT NULL,
    due_at INTEGER NOT NULL, -- ms since the epoch
    attempts INTEGER NOT NULL,
    PRIMARY KEY (player, room)
) WITHOUT ROWID;
CREATE INDEX notices_due ON notices (due_at);
