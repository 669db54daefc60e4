-- readable from 10

-- The puzzles that registered players have tried, and their ratings after each.
CREATE TABLE puzzle_tries (
    player text NOT NULL, -- its id
    game text NOT NULL,
    puzzle text NOT NULL,
    hinted boolean NOT NULL,
    score double precision, -- 1 solved, 0.5 with a hint, 0 not solved; NULL before that is known, as the rating is then
    rating double precision,
    deviation double precision,
    volatility double precision,
    tried_at bigint NOT NULL, -- ms since the epoch
    PRIMARY KEY (player, game, puzzle)
);
CREATE INDEX puzzle_tries_last ON puzzle_tries (player, game, tried_at, puzzle) WHERE score IS NOT NULL;

-- Puzzles that somebody has put together for others, whose results the maker sees.
CREATE TABLE puzzle_sets (
    puzzle_set text NOT NULL PRIMARY KEY,
    player text NOT NULL, -- the id of its maker
    title text NOT NULL,
    puzzles text NOT NULL, -- with blanks between
    made_at bigint NOT NULL -- ms since the epoch
);
CREATE INDEX puzzle_sets_by ON puzzle_sets (player);

-- Who has tried a puzzle of a set from its page.
CREATE TABLE puzzle_solvers (
    puzzle_set text NOT NULL,
    player text NOT NULL,
    PRIMARY KEY (puzzle_set, player)
);
CREATE INDEX puzzle_solvers_by ON puzzle_solvers (player);
