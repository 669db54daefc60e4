"""A league's account of a finished game, in every game."""

from __future__ import annotations

import random

import pytest

from league.test_report_html import data_of, render
from noughts.games import GAMES
from noughts.games.catalogue import full_title, game_named
from noughts.league import report_text
from noughts.league.finished import head_lines, room_of
from noughts.protocol.render import words
from support.leagues import game, league


@pytest.mark.parametrize("name", [*GAMES, "breakthrough?size=5", "kalah?seeds=3"])
def test_a_game_is_shown_move_by_move_and_its_end_in_words(name: str) -> None:
    played, chance, moves = game_named(name), random.Random(1), list[str]()
    position = played.start
    while position.legal_moves:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
    assert position.outcome is not None
    winner, reason = position.outcome.winner, position.outcome.reason
    terms = league(["ada", "ben"], game=name)
    record = game(1, "ada", "ben", "draw" if winner is None else winner.value, moves=moves, reason=reason)
    how = words()["endings"][reason].get("how", reason)
    assert f"How the games ended: {how} 1." in report_text.render(terms, [record], 200)
    (head,) = head_lines(terms, record)
    assert head.startswith(f"Game 1 of {full_title(played)}: ada ({played.first.name}) against ben (")
    assert head.endswith(f"({how})")
    assert len(data_of(render(terms, [record]))["games"][0]["steps"]) == len(moves)
    assert room_of(terms, record).outcome == position.outcome
