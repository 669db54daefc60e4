-- A player has several origins now. Those of before have another key, and last for a day only.
DROP TABLE origins;
CREATE TABLE origins (
    player TEXT NOT NULL, -- its id
    origin BLOB NOT NULL,
    noted INTEGER NOT NULL, -- ms since the epoch
    PRIMARY KEY (player, origin)
) WITHOUT ROWID;
CREATE INDEX origins_by_time ON origins (noted);

-- Each change of a ban has the next revision, so that servers read only what has changed. A lifted ban ends at 0.
ALTER TABLE bans ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
UPDATE bans SET revision = numbers.number
FROM (SELECT network, row_number() OVER (ORDER BY network) AS number FROM bans) AS numbers
WHERE bans.network = numbers.network;
CREATE UNIQUE INDEX bans_by_revision ON bans (revision);
CREATE TABLE last_ban (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL); -- one row
INSERT INTO last_ban SELECT 1, count(*) FROM bans;
