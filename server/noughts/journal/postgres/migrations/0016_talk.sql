-- readable from 10

-- What is said in rooms. It goes with the room's records.
CREATE TABLE chat (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    room bigint NOT NULL, -- its number
    players boolean NOT NULL, -- whether the players heard it, or the spectators
    player text NOT NULL, -- the speaker's id
    line bytea NOT NULL
);
CREATE INDEX chat_by_room ON chat (room, players, number);

-- Whom a player does not want to hear.
CREATE TABLE mutes (
    muted text NOT NULL,
    player text NOT NULL,
    PRIMARY KEY (muted, player)
);
CREATE INDEX mutes_by_player ON mutes (player);

-- What players have reported to the operator.
CREATE TABLE reports (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at bigint NOT NULL, -- ms since the epoch
    room text NOT NULL,
    player text NOT NULL, -- the id of the player who is reported
    reporter text NOT NULL, -- the id of who reports
    reason text NOT NULL,
    lines bytea NOT NULL -- the chat that the reporter had seen last, a JSON list
);
