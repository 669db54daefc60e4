-- readable from 6

-- Games are rated in one order: that in which they were rated first. A game's position in it never changes.
ALTER TABLE results ADD COLUMN position bigint; -- NULL: never rated
UPDATE results SET position = o.position
FROM (SELECT room, row_number() OVER (ORDER BY ended_at, room) AS position FROM results WHERE rated) AS o
WHERE results.room = o.room;

DROP INDEX results_unrated;
ALTER TABLE results DROP COLUMN rated;
CREATE UNIQUE INDEX results_in_rating_order ON results (position) WHERE position IS NOT NULL;
CREATE INDEX results_never_rated ON results (ended_at, room) WHERE pool IS NOT NULL AND position IS NULL;

-- Up to which position games are rated: those after it must be rated again.
DROP TABLE rated_until;
CREATE TABLE rated_until (
    one boolean PRIMARY KEY DEFAULT TRUE CHECK (one),
    position bigint NOT NULL
);
INSERT INTO rated_until (position) SELECT coalesce(max(position), 0) FROM results;

-- Each player's rating after each rated game.
CREATE TABLE rating_history (
    player text NOT NULL,
    game text NOT NULL,
    pool text NOT NULL,
    position bigint NOT NULL, -- of the game
    ended_at bigint NOT NULL, -- ms since the epoch
    rating double precision NOT NULL,
    PRIMARY KEY (player, game, pool, position)
);
INSERT INTO rating_history (player, game, pool, position, ended_at, rating)
SELECT courses.player, courses.game, courses.pool, results.position, courses.ended_at, courses.rating
FROM courses JOIN results USING (room);
DROP TABLE courses;
