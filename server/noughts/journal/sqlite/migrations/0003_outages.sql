CREATE TABLE heartbeat (at INTEGER NOT NULL); -- when a server was last known to be alive, ms since the epoch

-- From when until when no server was.
CREATE TABLE outages (
    until INTEGER PRIMARY KEY,
    since INTEGER NOT NULL
);
