PRAGMA application_id = 0x4e474854; -- "NGHT": some other program's database is not taken for a journal

-- Records go by the room's number, not by its random id: rooms in play are then neighbours in the file, a commit
-- touches few pages, and an append costs less than half (bench/journal).
CREATE TABLE records (
    room INTEGER NOT NULL REFERENCES rooms (number),
    version INTEGER NOT NULL,
    record BLOB NOT NULL,
    PRIMARY KEY (room, version)
) WITHOUT ROWID;

CREATE TABLE rooms (
    number INTEGER PRIMARY KEY,
    room TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL, -- of the last record
    changed INTEGER NOT NULL, -- the greater, the later the room changed
    game TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    status TEXT NOT NULL,
    public INTEGER NOT NULL,
    due_at INTEGER,
    thinking INTEGER NOT NULL,
    attended INTEGER NOT NULL,
    listing BLOB NOT NULL
);

CREATE INDEX rooms_due ON rooms (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX rooms_waking ON rooms (room) WHERE (thinking OR attended) AND status <> 'over';
CREATE INDEX rooms_opened ON rooms (opened_by) WHERE status <> 'over';
CREATE INDEX rooms_listed ON rooms (changed) WHERE public AND status <> 'over';
CREATE INDEX rooms_listed_by_game ON rooms (game, changed) WHERE public AND status <> 'over';

CREATE TABLE players (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    token_hash BLOB NOT NULL UNIQUE
) WITHOUT ROWID;
