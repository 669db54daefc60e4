-- readable from 1

-- Records go by the room's number, not by its random id: rooms in play are then neighbours in the index.
CREATE TABLE rooms (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    room text NOT NULL UNIQUE,
    version bigint NOT NULL, -- of the last record
    changed bigint NOT NULL, -- the greater, the later the room changed, within what was written at the same moment
    game text NOT NULL,
    opened_by text NOT NULL,
    status text NOT NULL,
    public boolean NOT NULL,
    due_at bigint, -- ms since the epoch
    thinking boolean NOT NULL,
    attended boolean NOT NULL,
    listing bytea NOT NULL,
    claimed_by text, -- for the computer's move after this version
    claimed_until timestamptz
) WITH (fillfactor = 70);

CREATE TABLE records (
    room bigint NOT NULL, -- its number
    version bigint NOT NULL,
    record bytea NOT NULL,
    PRIMARY KEY (room, version)
);

CREATE SEQUENCE changes;

CREATE INDEX rooms_due ON rooms (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX rooms_attended ON rooms (number) WHERE attended AND status <> 'over';
CREATE INDEX rooms_thinking ON rooms (changed) WHERE thinking AND status <> 'over';
CREATE INDEX rooms_opened ON rooms (opened_by) WHERE status <> 'over';
CREATE INDEX rooms_listed ON rooms (changed) WHERE public AND status <> 'over';
CREATE INDEX rooms_listed_by_game ON rooms (game, changed) WHERE public AND status <> 'over';

CREATE TABLE players (
    id text PRIMARY KEY,
    name text NOT NULL,
    kind text NOT NULL,
    token_hash bytea NOT NULL UNIQUE,
    seated boolean NOT NULL,
    greeted bigint -- when, ms since the epoch
);

CREATE INDEX players_greeted ON players (greeted) WHERE NOT seated;

CREATE TABLE secret (
    one boolean PRIMARY KEY DEFAULT TRUE CHECK (one),
    secret bytea NOT NULL
);
