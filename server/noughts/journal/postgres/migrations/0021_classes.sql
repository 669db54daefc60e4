-- readable from 10

-- A teacher's list of names, of which each can be taken by a player and by a bot of the same student.
CREATE TABLE classes (
    class text NOT NULL PRIMARY KEY,
    player text NOT NULL, -- the id of its organiser
    version bigint NOT NULL,
    title text NOT NULL,
    entries text NOT NULL, -- the names in their order, with line breaks between
    puzzle_set text, -- which the students are to solve
    tournament text, -- which they play
    made_at bigint NOT NULL -- ms since the epoch
);
CREATE INDEX classes_by ON classes (player);

CREATE TABLE class_members (
    class text NOT NULL,
    player text NOT NULL, -- who has, or had, the name
    entry text NOT NULL, -- one of the names
    bot boolean NOT NULL, -- the student's bot
    joined_at bigint NOT NULL, -- ms since the epoch
    left_at bigint, -- when the name became free again; NULL as long as the player has it
    PRIMARY KEY (class, player)
);
CREATE UNIQUE INDEX class_members_now ON class_members (class, entry, bot) WHERE left_at IS NULL;
CREATE INDEX class_members_by ON class_members (player);
