-- readable from 10

-- Addresses and networks from which nobody may connect. Older servers let them in.
CREATE TABLE bans (
    network text COLLATE "C" PRIMARY KEY, -- such as 203.0.113.0/24
    until bigint NOT NULL -- ms since the epoch
);
CREATE INDEX bans_by_time ON bans (until);
