-- Addresses and networks from which nobody may connect.
CREATE TABLE bans (
    network TEXT NOT NULL PRIMARY KEY, -- such as 203.0.113.0/24
    until INTEGER NOT NULL -- ms since the epoch
) WITHOUT ROWID;
CREATE INDEX bans_by_time ON bans (until);
