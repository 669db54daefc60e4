-- readable from 1

CREATE TABLE seeks (
    player text PRIMARY KEY,
    key text NOT NULL,
    game text NOT NULL,
    terms text NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    since bigint NOT NULL, -- ms since the epoch, as all times here
    until bigint NOT NULL, -- when it waits no more, unless it is kept
    room text, -- that it was paired in
    paired_at bigint
) WITH (fillfactor = 50);

CREATE INDEX seeks_waiting ON seeks (game, terms, since, player) WHERE room IS NULL;
CREATE INDEX seeks_paired ON seeks (paired_at) WHERE room IS NOT NULL;
