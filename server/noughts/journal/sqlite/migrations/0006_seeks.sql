CREATE TABLE seeks (
    player TEXT NOT NULL PRIMARY KEY,
    key TEXT NOT NULL,
    game TEXT NOT NULL,
    terms TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    since INTEGER NOT NULL, -- ms since the epoch, as all times here
    until INTEGER NOT NULL, -- when it waits no more, unless it is kept
    room TEXT, -- that it was paired in
    paired_at INTEGER
) WITHOUT ROWID;

CREATE INDEX seeks_waiting ON seeks (game, terms, since, player) WHERE room IS NULL;
CREATE INDEX seeks_paired ON seeks (paired_at) WHERE room IS NOT NULL;
