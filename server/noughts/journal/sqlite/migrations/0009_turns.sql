-- Whose turn it is when computers' moves wait: a keyed hash of the address from which the room was opened.
ALTER TABLE rooms ADD COLUMN opener BLOB; -- NULL if it is not known, and once the game is over
ALTER TABLE rooms ADD COLUMN sleeps INTEGER NOT NULL DEFAULT 0; -- only computers play: nothing happens while nobody watches
UPDATE rooms SET sleeps = 1, due_at = NULL
WHERE status = 'playing' AND thinking AND CAST(listing AS TEXT) LIKE '%"first":{"id":"computer:%"second":{"id":"computer:%';
