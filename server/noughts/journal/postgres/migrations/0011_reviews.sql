-- readable from 10

-- Reviews of finished games: what each move was worth. They can be made again.
CREATE TABLE reviews (
    room text COLLATE "C" PRIMARY KEY, -- its id
    engine text NOT NULL, -- the version that made it
    seconds double precision NOT NULL, -- the longest search of a position
    review bytea NOT NULL
);
