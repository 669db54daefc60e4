-- readable from 10

-- Where players want to be told that it is their move, and how the last call went.
CREATE TABLE webhooks (
    player text NOT NULL PRIMARY KEY, -- its id
    url text NOT NULL,
    secret bytea NOT NULL,
    tried_at bigint, -- ms since the epoch
    outcome text -- in words
);

-- Whom to tell, and when next. A later turn in the room takes the place of the one before.
CREATE TABLE notices (
    player text NOT NULL,
    room text NOT NULL, -- empty for a first call, to try the webhook
    version bigint NOT NULL,
    due_at bigint NOT NULL, -- ms since the epoch
    attempts bigint NOT NULL,
    PRIMARY KEY (player, room)
);
CREATE INDEX notices_due ON notices (due_at);
