-- The puzzles that registered players have tried, and their ratings after each.
CREATE TABLE puzzle_tries (
    player TEXT NOT NULL, -- its id
    game TEXT NOT NULL,
    puzzle TEXT NOT NULL,
    hinted INTEGER NOT NULL,
    score REAL, -- 1 solved, 0.5 with a hint, 0 not solved; NULL before that is known, as the rating is then
    rating REAL,
    deviation REAL,
    volatility REAL,
    tried_at INTEGER NOT NULL, -- ms since the epoch
    PRIMARY KEY (player, game, puzzle)
) WITHOUT ROWID;
CREATE INDEX puzzle_tries_last ON puzzle_tries (player, game, tried_at, puzzle) WHERE score IS NOT NULL;

-- Puzzles that somebody has put together for others, whose results the maker sees.
CREATE TABLE puzzle_sets (
    puzzle_set TEXT NOT NULL PRIMARY KEY,
    player TEXT NOT NULL, -- the id of its maker
    title TEXT NOT NULL,
    puzzles TEXT NOT NULL, -- with blanks between
    made_at INTEGER NOT NULL -- ms since the epoch
) WITHOUT ROWID;
CREATE INDEX puzzle_sets_by ON puzzle_sets (player);

-- Who has tried a puzzle of a set from its page.
CREATE TABLE puzzle_solvers (
    puzzle_set TEXT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (puzzle_set, player)
) WITHOUT ROWID;
CREATE INDEX puzzle_solvers_by ON puzzle_solvers (player);
