-- readable from 7

-- The records' key decides who writes a version, and the last record is a room's last version.
ALTER TABLE rooms
    DROP COLUMN version,
    ADD COLUMN claimed_version bigint; -- a claim ends with the room's next version
