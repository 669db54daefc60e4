-- What is said in rooms. It goes with the room's records.
CREATE TABLE chat (
    number INTEGER PRIMARY KEY,
    room INTEGER NOT NULL, -- its number
    players INTEGER NOT NULL, -- whether the players heard it, or the spectators
    player TEXT NOT NULL, -- the speaker's id
    line BLOB NOT NULL
);
CREATE INDEX chat_by_room ON chat (room, players, number);

-- Whom a player does not want to hear.
CREATE TABLE mutes (
    muted TEXT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (muted, player)
) WITHOUT ROWID;
CREATE INDEX mutes_by_player ON mutes (player);

-- What players have reported to the operator.
CREATE TABLE reports (
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL, -- ms since the epoch
    room TEXT NOT NULL,
    player TEXT NOT NULL, -- the id of the player who is reported
    reporter TEXT NOT NULL, -- the id of who reports
    reason TEXT NOT NULL,
    lines BLOB NOT NULL -- the chat that the reporter had seen last, a JSON list
);
