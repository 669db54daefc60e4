-- Whoever is stored already was so with the first seat.
ALTER TABLE players ADD COLUMN seated INTEGER NOT NULL DEFAULT TRUE;
ALTER TABLE players ADD COLUMN greeted INTEGER; -- when, ms since the epoch

CREATE INDEX players_greeted ON players (greeted) WHERE NOT seated;

DROP INDEX rooms_waking;
CREATE INDEX rooms_attended ON rooms (room) WHERE attended AND status <> 'over';
CREATE INDEX rooms_thinking ON rooms (changed) WHERE thinking AND status <> 'over';

CREATE TABLE secret (secret BLOB NOT NULL);
