-- readable from 1

-- When a server was last known to be alive, and when before that; ms since the epoch.
CREATE TABLE heartbeat (
    one boolean PRIMARY KEY DEFAULT TRUE CHECK (one),
    at bigint NOT NULL,
    before bigint NOT NULL
);

-- From when until when no server was.
CREATE TABLE outages (
    until bigint PRIMARY KEY,
    since bigint NOT NULL
);
