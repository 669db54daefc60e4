-- readable from 8

-- A player's rooms are found by these: the ids of the people and bots who sit there, NULL for an open seat and a computer.
-- An older server leaves them as they are: what it opens is found once a newer one has written the room's row.
ALTER TABLE rooms
    ADD COLUMN first text,
    ADD COLUMN second text;
UPDATE rooms SET
    first = CASE WHEN seats #>> '{first,kind}' <> 'computer' THEN seats #>> '{first,id}' END,
    second = CASE WHEN seats #>> '{second,kind}' <> 'computer' THEN seats #>> '{second,id}' END
FROM (
    SELECT number, convert_from(listing, 'UTF8')::jsonb -> 'seats' AS seats FROM rooms WHERE status <> 'over'
) AS listed
WHERE listed.number = rooms.number;

CREATE INDEX rooms_of_first ON rooms (first, number) WHERE first IS NOT NULL AND status <> 'over';
CREATE INDEX rooms_of_second ON rooms (second, number) WHERE second IS NOT NULL AND status <> 'over';
CREATE INDEX seeks_by_time ON seeks (since, player) WHERE room IS NULL;
