-- readable from 10

-- Where players ask for rated games from: keyed hashes of public addresses, deleted after a day.
CREATE TABLE origins (
    player text PRIMARY KEY, -- its id
    origin bytea NOT NULL, -- empty for an address that is not public or not known
    noted bigint NOT NULL -- ms since the epoch
);

CREATE INDEX origins_by_time ON origins (noted);
