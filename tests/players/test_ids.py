from __future__ import annotations

import ast
import re
from pathlib import Path

import noughts
from noughts.players.ids import log_name, new_id, new_player_id, room_id_for

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


def test_the_log_has_one_name_for_a_room_which_says_nothing_of_its_id() -> None:
    room, secret = new_id(), b"s" * 32
    name = log_name(secret, room)
    assert name == log_name(secret, room)
    assert len(name) == 8
    assert name not in room
    assert log_name(secret, new_id()) != name != log_name(b"t" * 32, room)


def test_every_line_that_names_a_room_hides_its_id() -> None:
    calls = 0
    for file in Path(noughts.__file__).parent.rglob("*.py"):
        text = file.read_text()
        if "room %s" not in text:
            continue
        tree = ast.parse(text)
        named = {
            target.id
            for assign in ast.walk(tree)
            if isinstance(assign, ast.Assign) and _is_log_name(assign.value)
            for target in assign.targets
            if isinstance(target, ast.Name)
        }
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
                continue
            logs = isinstance(call.func.value, ast.Name) and call.func.value.id == "log"
            before, room, _ = ast.unparse(call.args[0]).partition("room %s")
            if logs and room:
                calls += 1
                name = call.args[1 + before.count("%")]
                hidden = _is_log_name(name) or (isinstance(name, ast.Name) and name.id in named)
                assert hidden, f"{file}:{call.lineno}: {ast.unparse(call)}"
    assert calls > 5


def _is_log_name(node: ast.expr) -> bool:
    """True for a call of ``log_name``."""
    return isinstance(node, ast.Call) and "log_name" in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
