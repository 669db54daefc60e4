-- Tournaments as they are after their last record.
CREATE TABLE tournaments (
    tournament TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL, -- of the last record
    by TEXT NOT NULL, -- the id of the organiser
    status TEXT NOT NULL, -- open, running or finished
    public INTEGER NOT NULL,
    listing BLOB NOT NULL, -- as a list shows it, JSON
    changed INTEGER NOT NULL -- ms since the epoch
) WITHOUT ROWID;
CREATE INDEX tournaments_unfinished ON tournaments (tournament, version) WHERE status <> 'finished';
CREATE INDEX tournaments_by ON tournaments (by) WHERE status <> 'finished';

CREATE TABLE tournament_records (
    tournament TEXT NOT NULL,
    version INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY (tournament, version)
) WITHOUT ROWID;
