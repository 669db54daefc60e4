-- readable from 10

-- Tournaments as they are after their last record.
CREATE TABLE tournaments (
    tournament text NOT NULL PRIMARY KEY,
    version bigint NOT NULL, -- of the last record
    by text NOT NULL, -- the id of the organiser
    status text NOT NULL, -- open, running or finished
    public boolean NOT NULL,
    listing bytea NOT NULL, -- as a list shows it, JSON
    changed bigint NOT NULL -- ms since the epoch
);
CREATE INDEX tournaments_unfinished ON tournaments (tournament, version) WHERE status <> 'finished';
CREATE INDEX tournaments_by ON tournaments (by) WHERE status <> 'finished';

CREATE TABLE tournament_records (
    tournament text NOT NULL,
    version bigint NOT NULL,
    record bytea NOT NULL,
    PRIMARY KEY (tournament, version)
);
