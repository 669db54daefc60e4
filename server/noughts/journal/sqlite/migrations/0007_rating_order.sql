-- Games are rated in one order: that in which they were rated first. A game's position in it never changes.
ALTER TABLE results ADD COLUMN position INTEGER; -- NULL: never rated

CREATE TEMP TABLE rated_order (position INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE);
INSERT INTO rated_order (room) SELECT room FROM results WHERE rated ORDER BY ended_at, room;
UPDATE results SET position = (SELECT o.position FROM rated_order AS o WHERE o.room = results.room) WHERE rated;
DROP TABLE rated_order;

DROP INDEX results_unrated;
ALTER TABLE results DROP COLUMN rated;
CREATE UNIQUE INDEX results_in_rating_order ON results (position) WHERE position IS NOT NULL;
CREATE INDEX results_never_rated ON results (ended_at, room) WHERE pool IS NOT NULL AND position IS NULL;

-- Up to which position games are rated: those after it must be rated again. One row.
DROP TABLE rated_until;
CREATE TABLE rated_until (position INTEGER NOT NULL);
INSERT INTO rated_until (position) SELECT coalesce(max(position), 0) FROM results;

-- Each player's rating after each rated game.
CREATE TABLE rating_history (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    position INTEGER NOT NULL, -- of the game
    ended_at INTEGER NOT NULL, -- ms since the epoch
    rating REAL NOT NULL,
    PRIMARY KEY (player, game, pool, position)
) WITHOUT ROWID;
INSERT INTO rating_history (player, game, pool, position, ended_at, rating)
SELECT courses.player, courses.game, courses.pool, results.position, courses.ended_at, courses.rating
FROM courses JOIN results USING (room);
DROP TABLE courses;
