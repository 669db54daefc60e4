-- A teacher's list of names, of which each can be taken by a player and by a bot of the same student.
CREATE TABLE classes (
    class TEXT NOT NULL PRIMARY KEY,
    player TEXT NOT NULL, -- the id of its organiser
    version INTEGER NOT NULL,
    title TEXT NOT NULL,
    entries TEXT NOT NULL, -- the names in their order, with line breaks between
    puzzle_set TEXT, -- which the students are to solve
    tournament TEXT, -- which they play
    made_at INTEGER NOT NULL -- ms since the epoch
) WITHOUT ROWID;
CREATE INDEX classes_by ON classes (player);

CREATE TABLE class_members (
    class TEXT NOT NULL,
    player TEXT NOT NULL, -- who has, or had, the name
    entry TEXT NOT NULL, -- one of the names
    bot INTEGER NOT NULL, -- the student's bot
    joined_at INTEGER NOT NULL, -- ms since the epoch
    left_at INTEGER, -- when the name became free again; NULL as long as the player has it
    PRIMARY KEY (class, player)
) WITHOUT ROWID;
CREATE UNIQUE INDEX class_members_now ON class_members (class, entry, bot) WHERE left_at IS NULL;
CREATE INDEX class_members_by ON class_members (player);
