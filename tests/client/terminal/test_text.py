from noughts_client.terminal.text import fit, newest, plain, wrap


def test_words_are_wrapped_whole_if_they_fit() -> None:
    assert plain(wrap("one two three", 7)) == "one two\nthree"
    assert plain(wrap("incomprehensible", 7)) == "incompr\nehensib\nle"
    assert plain(wrap("長長長長 x", 5)) == "長長\n長長\nx"
    assert plain(wrap("you: 長長長", 9)) == "you: 長長\n長"
    assert plain(wrap("you: incomprehensible", 9)) == "you: inco\nmprehensi\nble"
    assert wrap("", 7) == []


def test_cut_text_ends_in_a_tilde() -> None:
    assert [fit("player-1", width) for width in (8, 7, 1, 0)] == ["player-1", "player~", "~", ""]
    assert fit("長長長", 5) == "長長~"


def test_the_newest_chat_is_cut_at_its_end_and_keeps_its_author() -> None:
    chat = ["player-1: hello", "player-2: one two three four"]
    assert plain(newest(chat, 15, 4)) == "player-1: hello\nplayer-2: one\ntwo three four"
    assert plain(newest(chat, 15, 2)) == "player-2: one\ntwo three four"
    assert plain(newest(chat, 15, 1)) == "player-2: one ~"
    assert newest(chat, 15, 0) == newest([], 15, 3) == []
