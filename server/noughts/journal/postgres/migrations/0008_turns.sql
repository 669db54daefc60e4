-- readable from 8

-- Whose turn it is when computers' moves wait: a keyed hash of the address from which the room was opened.
ALTER TABLE rooms
    ADD COLUMN opener bytea, -- NULL if it is not known, and once the game is over
    ADD COLUMN sleeps boolean NOT NULL DEFAULT FALSE; -- only computers play: nothing happens while nobody watches
UPDATE rooms SET sleeps = TRUE, due_at = NULL
WHERE status = 'playing' AND thinking AND convert_from(listing, 'UTF8') LIKE '%"first":{"id":"computer:%"second":{"id":"computer:%';
