-- The records' key decides who writes a version, and the last record is a room's last version.
ALTER TABLE rooms DROP COLUMN version;
