-- A player's rooms are found by these: the ids of the people and bots who sit there, NULL for an open seat and a computer.
ALTER TABLE rooms ADD COLUMN first TEXT;
ALTER TABLE rooms ADD COLUMN second TEXT;
UPDATE rooms SET
    first = CASE WHEN json_extract(CAST(listing AS TEXT), '$.seats.first.kind') <> 'computer'
        THEN json_extract(CAST(listing AS TEXT), '$.seats.first.id') END,
    second = CASE WHEN json_extract(CAST(listing AS TEXT), '$.seats.second.kind') <> 'computer'
        THEN json_extract(CAST(listing AS TEXT), '$.seats.second.id') END
WHERE status <> 'over';

CREATE INDEX rooms_of_first ON rooms (first, number) WHERE first IS NOT NULL AND status <> 'over';
CREATE INDEX rooms_of_second ON rooms (second, number) WHERE second IS NOT NULL AND status <> 'over';
CREATE INDEX seeks_by_time ON seeks (since, player) WHERE room IS NULL;
