-- Reviews of finished games: what each move was worth. They can be made again.
CREATE TABLE reviews (
    room TEXT NOT NULL PRIMARY KEY, -- its id
    engine TEXT NOT NULL, -- the version that made it
    seconds REAL NOT NULL, -- the longest search of a position
    review BLOB NOT NULL
);
