from __future__ import annotations

import re

from noughts.players.ids import new_id, new_player_id, room_id_for

FORM = re.compile("[a-z2-7]{13}")


def test_ids_cannot_be_guessed() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(FORM.fullmatch(each) for each in ids)
    # Every character occurs in every place, so 13 * log2(32) = 65 bits are random.
    assert all(len({each[place] for each in ids}) == 32 for place in range(13))


def test_player_ids_begin_with_p() -> None:
    assert re.fullmatch(f"p-{FORM.pattern}", new_player_id())


def test_a_key_always_gives_its_player_the_same_room() -> None:
    room = room_id_for(b"secret", "p-1", "key")
    assert FORM.fullmatch(room)
    assert room == room_id_for(b"secret", "p-1", "key")
    others = [(b"secret", "p-1", "yek"), (b"secret", "p-2", "key"), (b"other", "p-1", "key"), (b"secret", "p-1", "")]
    assert len({room, *(room_id_for(*each) for each in others)}) == 5
