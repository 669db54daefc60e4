from __future__ import annotations

import pytest

from noughts_client.bots.program import BotSpec, parse_spec


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("my_bot.py", BotSpec("python", "my_bot.py", "my_bot")),
        ("bots/../a b.py", BotSpec("python", "bots/../a b.py", "a b")),
        ("Ada=bots/a.py", BotSpec("python", "bots/a.py", "Ada")),
        ("a=b.py", BotSpec("python", "b.py", "a")),
        ("a=frozen/a/BOT.PY", BotSpec("python", "frozen/a/BOT.PY", "a")),
        ("exec:./c_bot", BotSpec("exec", "./c_bot", "c_bot")),
        ("exec:node bot.js --level=3", BotSpec("exec", "node bot.js --level=3", "node")),
        ("Bob=exec:node bot.js", BotSpec("exec", "node bot.js", "Bob")),
        ("uci:/usr/games/stockfish", BotSpec("uci", "/usr/games/stockfish", "stockfish")),
        ("gtp:gnugo --mode gtp", BotSpec("gtp", "gnugo --mode gtp", "gnugo")),
        ("gomocup:./pbrain-x", BotSpec("gomocup", "./pbrain-x", "pbrain-x")),
        ("computer:hard", BotSpec("computer", "hard", "hard")),
        ("bots/a\nb\x1b[2J.py", BotSpec("python", "bots/a\nb\x1b[2J.py", "a_b_[2J")),
        ("bots/ .py", BotSpec("python", "bots/ .py", "bot")),
        ("C:/bots/a.py", BotSpec("python", "C:/bots/a.py", "a")),
    ],
)
def test_a_bot_is_named_by_a_word(text: str, spec: BotSpec) -> None:
    assert parse_spec(text) == spec


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a.js", "'a.js' is not a Python file: write 'exec:node a.js'"),
        ("a.c", "'a.c' is not a bot: write FILE.py, exec:COMMAND, uci:COMMAND, gtp:COMMAND, gomocup:COMMAND or"),
        ("", "'' is not a bot"),
        ("exec:", "'exec:' has no command"),
        ("exec:./c 'x", '"exec:./c \'x" is not a command: no closing quotation'),
        ("computer:", "'computer:' names no level: write computer:LEVEL"),
        ("lua:x", "'lua:x' is not a bot"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
        parse_spec(text)
    assert str(caught.value).startswith(why)
