-- readable from 1

-- Games that ended at once are in the order of their rooms' ids, which is to be the same in every database.
CREATE TABLE results (
    room text COLLATE "C" PRIMARY KEY, -- its id
    game text NOT NULL,
    first text NOT NULL, -- the player's id
    second text NOT NULL,
    winner text, -- 'first', 'second', or NULL for a draw
    reason text NOT NULL,
    public boolean NOT NULL,
    pool text, -- NULL: the game is not rated
    ended_at bigint NOT NULL, -- ms since the epoch
    rated boolean NOT NULL DEFAULT FALSE -- whether its ratings have been made
);

CREATE INDEX results_ended ON results (ended_at, room);
CREATE INDEX results_of_first ON results (first, ended_at, room);
CREATE INDEX results_of_second ON results (second, ended_at, room);
CREATE INDEX results_unrated ON results (ended_at, room) WHERE pool IS NOT NULL AND NOT rated;

-- The place in the order of all games after which no game of that kind and pool is rated.
CREATE TABLE rated_until (
    game text NOT NULL,
    pool text NOT NULL,
    ended_at bigint NOT NULL,
    room text COLLATE "C" NOT NULL,
    PRIMARY KEY (game, pool)
);

-- Each player's rating after each rated game.
CREATE TABLE courses (
    player text NOT NULL,
    game text NOT NULL,
    pool text NOT NULL,
    ended_at bigint NOT NULL,
    room text COLLATE "C" NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL,
    games bigint NOT NULL,
    PRIMARY KEY (player, game, pool, ended_at, room)
);

CREATE INDEX courses_by_end ON courses (game, pool, ended_at, room);

-- The last of each course.
CREATE TABLE ratings (
    player text NOT NULL,
    game text NOT NULL,
    pool text NOT NULL,
    rating double precision NOT NULL,
    deviation double precision NOT NULL,
    volatility double precision NOT NULL,
    games bigint NOT NULL,
    PRIMARY KEY (player, game, pool)
);

CREATE INDEX ratings_best ON ratings (game, pool, rating DESC, player);
