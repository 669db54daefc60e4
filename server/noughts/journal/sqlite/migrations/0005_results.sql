CREATE TABLE results (
    room TEXT NOT NULL PRIMARY KEY, -- its id
    game TEXT NOT NULL,
    first TEXT NOT NULL, -- the player's id
    second TEXT NOT NULL,
    winner TEXT, -- 'first', 'second', or NULL for a draw
    reason TEXT NOT NULL,
    public INTEGER NOT NULL,
    pool TEXT, -- NULL: the game is not rated
    ended_at INTEGER NOT NULL, -- ms since the epoch
    rated INTEGER NOT NULL DEFAULT FALSE -- whether its ratings have been made
) WITHOUT ROWID;

CREATE INDEX results_ended ON results (ended_at, room);
CREATE INDEX results_of_first ON results (first, ended_at, room);
CREATE INDEX results_of_second ON results (second, ended_at, room);
CREATE INDEX results_unrated ON results (ended_at, room) WHERE pool IS NOT NULL AND NOT rated;

-- The place in the order of all games after which no game of that kind and pool is rated.
CREATE TABLE rated_until (
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    room TEXT NOT NULL,
    PRIMARY KEY (game, pool)
) WITHOUT ROWID;

-- Each player's rating after each rated game.
CREATE TABLE courses (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    room TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (player, game, pool, ended_at, room)
) WITHOUT ROWID;

CREATE INDEX courses_by_end ON courses (game, pool, ended_at, room);

-- The last of each course.
CREATE TABLE ratings (
    player TEXT NOT NULL,
    game TEXT NOT NULL,
    pool TEXT NOT NULL,
    rating REAL NOT NULL,
    deviation REAL NOT NULL,
    volatility REAL NOT NULL,
    games INTEGER NOT NULL,
    PRIMARY KEY (player, game, pool)
) WITHOUT ROWID;

CREATE INDEX ratings_best ON ratings (game, pool, rating DESC, player);
