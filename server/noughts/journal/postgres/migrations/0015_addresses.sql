-- readable from 10

-- A player has several origins now. Those of before have another key, and last for a day only.
DROP TABLE origins;
CREATE TABLE origins (
    player text NOT NULL, -- its id
    origin bytea NOT NULL,
    noted bigint NOT NULL, -- ms since the epoch
    PRIMARY KEY (player, origin)
);
CREATE INDEX origins_by_time ON origins (noted);

-- Each change of a ban has the next revision, so that nodes read only what has changed. A lifted ban ends at 0.
ALTER TABLE bans ADD COLUMN revision bigint NOT NULL DEFAULT 0;
UPDATE bans SET revision = numbers.number
FROM (SELECT network, row_number() OVER (ORDER BY network) AS number FROM bans) AS numbers
WHERE bans.network = numbers.network;
CREATE UNIQUE INDEX bans_by_revision ON bans (revision);
CREATE TABLE last_ban ( -- one row, which a change locks, so that revisions appear in order
    one integer PRIMARY KEY CHECK (one = 1),
    revision bigint NOT NULL
);
INSERT INTO last_ban SELECT 1, count(*) FROM bans;
