-- Where players ask for rated games from: keyed hashes of public addresses, deleted after a day.
CREATE TABLE origins (
    player TEXT NOT NULL PRIMARY KEY, -- its id
    origin BLOB NOT NULL, -- empty for an address that is not public or not known
    noted INTEGER NOT NULL -- ms since the epoch
) WITHOUT ROWID;

CREATE INDEX origins_by_time ON origins (noted);
