import pytest

from noughts_client.state import WrongAnswer, fields


def test_a_move_may_have_a_note_which_is_cut() -> None:
    assert fields("5", "123") == {"move": "5"}
    assert fields(("5", ""), "123") == {"move": "5"}
    assert fields(("5", "x" + "\xe9" * 1000), "123") == {"move": "5", "note": "x" + "\xe9" * 511}


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "answered None, which is not a move: choose must return one in every case"),
        (2, "answered 2, which is not a string: return '2'"),
        (7, "answered 7, which is not a move, or a move and a note, as strings"),
        (["2"], "answered ['2'], which is not a move, or a move and a note, as strings"),
        (("2", None), "answered ('2', None), which is not a move, or a move and a note, as strings"),
        (("2", "good", "better"), "answered ('2', 'good', 'better'), which is not a move, or"),
        (b"2", "answered b'2', which is not a move, or"),
        ([1] * 1000, "answered [1, 1, "),
    ],
)
def test_any_other_answer_is_shown_with_the_legal_moves(answer: object, why: str) -> None:
    with pytest.raises(WrongAnswer) as wrong:
        fields(answer, ["1", "2", "3"])
    said = str(wrong.value)
    assert said.startswith(why)
    assert said.endswith(". Legal moves: 1, 2, 3.")
    assert len(said) < 200
