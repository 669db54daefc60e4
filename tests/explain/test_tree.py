"""The command ``noughts tree``. docs/solving.md, which is also a test, shows its text output."""

from __future__ import annotations

import io
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from noughts.cli.main import main
from noughts.engine import (
    Interrupt,
    Limits,
    Method,
    Textbook,
    Tracing,
    alpha_beta,
    as_object,
    minimax,
    trace_game,
    trace_tree,
)
from noughts.engine.grow import Node
from noughts.explain import tree
from noughts.explain.drawing import Drawing
from noughts.games import GAMES, Heuristic
from support.command import errors_of, output_of

CUTS = "xox/.o./..x"
FIGURE = "3,12,8/2,4,6/14,5,2"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def drawn(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    return output_of(capsys, "tree", *options)


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    return errors_of(capsys, "tree", *options)


def grown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *options: str) -> Node:
    """The tree that a command draws."""
    found: list[Node] = []

    def keep(drawing: Drawing) -> str:
        found.append(drawing.tree)
        return ""

    with monkeypatch.context() as patched:
        patched.setitem(tree.FORMATS, "text", keep)
        drawn(capsys, *options)
    return found[0]


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def test_the_tree_has_every_node_and_branch(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    position = GAMES["tictactoe"].parse(CUTS)
    root = grown(capsys, monkeypatch, "tictactoe", CUTS)
    assert root.nodes == len(list(walk(root))) == 22
    values = alpha_beta(position).values
    assert {child.move: child.value for child in root.children} == {**values, "7": 7}  # an upper bound
    assert [child.move for child in root.children if child.bound] == ["7"]
    assert root.best == alpha_beta(position).best
    for node in walk(root):
        moves = [child.move for child in node.children]
        assert (*moves, *(node.cut.moves if node.cut else ())) == node.position.legal_moves
        assert [child.position for child in node.children] == [node.position.play(str(move)) for move in moves]
    cuts = [node.cut for node in walk(root) if node.cut is not None]
    assert len(cuts) == 5
    assert all(cut.alpha >= cut.beta for cut in cuts)
    assert (cuts[0].moves, cuts[0].alpha, cuts[0].beta) == (("8",), 7, -8)


def test_the_json_is_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    printed = json.loads(drawn(capsys, "tictactoe", CUTS, "--json"))
    position = GAMES["tictactoe"].parse(CUTS)
    subject = {"game": "tictactoe", "position": CUTS}
    assert printed == subject | as_object(trace_game(GAMES["tictactoe"], position, Tracing()))
    options = ["--leaves", FIGURE, "--search", "table", "--strict", "--depth", "1"]
    printed = json.loads(drawn(capsys, *options, "--format", "json"))
    assert printed == {"tree": FIGURE} | as_object(trace_tree(Tracing(Method.TABLE, True, 1, FIGURE)))


def test_a_trace_of_a_large_game_is_two_plies_deep(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tree, "MOST_VISITED", 1000)
    printed = json.loads(drawn(capsys, "connect4", "--json"))
    assert (printed["depth"], printed["value"]) == (2, printed["steps"][-1]["value"])
    assert "it is searched 2 plies deep" in printed["notes"][0]


PAWN = "4k3/P7/4K3/8/8/8/8/8 w - - 0 1"


def test_moves_are_named_as_people_write_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tree, "MOST_VISITED", 100)
    text = drawn(capsys, "chess", PAWN, "--search", "minimax")
    assert "\n├─*a8=Q#: White wins = 19999\n" in text
    assert "\n│  ├─ Kd8: MAX = ~210\n" in text
    svg = drawn(capsys, "chess", PAWN, "--format", "svg")
    assert ">a8=Q#</text>" in svg
    assert "a7a8" not in svg
    played = drawn(capsys, "chess", PAWN, "--format", "animation")
    assert "MIN after Kd6: beta 210 ≤ alpha 19999: the rest (Kf8, Kf7) cannot change the result" in played
    assert "a7a8" not in played
    text = drawn(capsys, "chess", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "--depth", "3")
    assert "cut, " in text
    assert not re.search(r"[a-h][1-8][a-h][1-8]", text)
    trace = json.loads(drawn(capsys, "chess", PAWN, "--json"))
    names = {node["move"]: node["name"] for node in trace["nodes"][1:]}
    assert names["a7a8q"] == "a8=Q#"
    cut = next(step for step in trace["steps"] if step["step"] == "cut")
    assert (cut["moves"], cut["names"]) == (["e8f8", "e8f7"], ["Kf8", "Kf7"])


def test_minimax_cuts_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    root = grown(capsys, monkeypatch, "tictactoe", CUTS, "--search", "minimax")
    assert root.nodes == len(list(walk(root))) == minimax(GAMES["tictactoe"].parse(CUTS)).nodes
    assert all(node.cut is None and node.bound is None for node in walk(root))


def test_cut_branches_show_their_window(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "tictactoe", CUTS)
    assert "\n│  │  └─ 8: cut, alpha 7 ≥ beta -8\n" in text
    assert text.count(": cut, ") == 5
    assert "cut" not in drawn(capsys, "tictactoe", CUTS, "--search", "minimax")


def test_the_empty_board_is_folded(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "tictactoe")
    assert text.startswith("Tic-tac-toe, alpha-beta: 20,866 nodes visited\n")
    assert "\n├─*1: MIN = 0   x../.../...   and 3 equivalent: 3, 7, 9\n" in text
    assert "39 of 20,866 nodes are shown." in text
    assert len(text.splitlines()) < 80
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    "options", [["--depth", "9"], pytest.param(["--depth", "9", "--no-fold"], marks=pytest.mark.slow)]
)
def test_a_deep_tree_is_limited(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "tictactoe", *options)
    shown = re.search(r"([\d,]+) of 20,866 nodes are shown", text)
    assert shown
    assert 100 < int(shown[1].replace(",", "")) <= 3000


@pytest.mark.slow
def test_depth_and_no_fold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(grown(capsys, monkeypatch, "tictactoe", "--depth", "1").children) == 3
    every = grown(capsys, monkeypatch, "tictactoe", "--depth", "1", "--no-fold").children
    assert [child.move for child in every] == list("123456789")
    assert all(child.nodes > 1 and not child.children and not child.alike for child in every)
    assert sum(child.nodes for child in every) == 20865
    # A tree that is small is shown whole, though 2 and 6 are each other's reflections here.
    small = grown(capsys, monkeypatch, "tictactoe", "xox/.o./..x")
    assert not any(node.alike for node in walk(small))


@pytest.mark.parametrize("key", ["connect4", "reversi", "ultimate", pytest.param("gomoku", marks=pytest.mark.slow)])
def test_a_large_game_is_searched_only_a_few_plies(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tree, "MOST_VISITED", 5000)
    text = drawn(capsys, key)
    assert "it is searched 2 plies deep" in text
    assert len(text.splitlines()) < 150
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    assert lines == [line.rstrip() for line in lines]


def test_undecided_positions_get_the_games_estimate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tree, "MOST_VISITED", 1000)
    even = replace(GAMES["connect4"], heuristic=None)
    biased = replace(even, heuristic=Heuristic(lambda _: 7, 1))
    monkeypatch.setitem(GAMES, "connect4", even)
    text = drawn(capsys, "connect4", "--depth", "1")
    assert "is searched 1 ply deep" in text
    assert "count as draws" in text
    assert "MAX = ~0\n" in text
    monkeypatch.setitem(GAMES, "connect4", biased)
    # Whoever moves is better off by 7: after one ply that is MIN.
    assert "\nMAX = ~-7\n" in drawn(capsys, "connect4", "--depth", "1")
    assert grown(capsys, monkeypatch, "connect4", "--depth", "1").estimated


def test_a_win_outranks_every_estimate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(tree, "MOST_VISITED", 1000)
    root = grown(capsys, monkeypatch, "connect4", "--moves", "112233", "--depth", "1")
    assert (root.value, root.best, root.estimated) == (18, ("4",), False)
    # Even one that is greater in figures.
    high = replace(GAMES["connect4"], heuristic=Heuristic(lambda _: -500, 1))
    monkeypatch.setitem(GAMES, "connect4", high)
    root = grown(capsys, monkeypatch, "connect4", "--moves", "112233", "--depth", "1")
    assert {child.value for child in root.children} == {18, 500}
    assert (root.value, root.best) == (18, ("4",))


# Late positions, most of which are won by more than one move, and by different margins.
@pytest.mark.parametrize("key", ["connect4", pytest.param("reversi", marks=pytest.mark.slow)])
def test_the_tree_and_the_engine_agree(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game, rng = GAMES[key], random.Random(6)
    left = {"connect4": 42, "reversi": 60}[key]
    values = set()
    for _ in range(8):
        position = game.start
        while position.to_move is None or position.ply < left - 7:
            position = position.play(rng.choice(position.legal_moves)) if position.to_move else game.start
        searched = Textbook(game).analyse(position, Limits(), Interrupt())
        root = grown(capsys, monkeypatch, key, position.text)
        assert root.value == searched.value
        assert {child.move: child.value for child in root.children if child.bound is None} == {
            str(child.move): searched.moves[str(child.move)].value for child in root.children if child.bound is None
        }
        assert root.best[0] == searched.best[0]
        assert all(abs(node.value) <= 64 for node in walk(root))
        assert all(abs(end) <= 64 for node in walk(root) if node.cut for end in (node.cut.alpha, node.cut.beta))
        values.add(searched.value)
    assert min(values) < 0 < max(values)


def test_different_leaves_look_different(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "--leaves", "1234567,1234568")
    assert "leaf = 1234567\n" in text
    assert "MAX = 1234568\n" in text
    text = drawn(capsys, "--leaves", "0.12345678,0.12345679")
    assert "leaf = 0.12345678\n" in text
    assert "MAX = 0.12345679\n" in text


def test_a_depth_with_too_many_nodes_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tree, "MOST_VISITED", 1000)
    monkeypatch.setattr(tree, "MOST_VISITED_AT_ALL", 5000)
    message = refused(capsys, "gomoku", "--depth", "4")
    assert message == "noughts tree: more than 5,000 nodes; ask for fewer plies with --depth\n"


@pytest.mark.parametrize(
    ("options", "output"),
    [
        (["shogi"], "noughts tree: There is no game 'shogi'"),
        (["tictactoe", "xxx/ooo/..."], "noughts tree: Both x and o have a line."),
        ([], "noughts tree: name a game"),
        (["tictactoe", "--leaves", "1,2"], "noughts tree: give either a game or --leaves, not both"),
        (
            ["tictactoe", "--depth", "0"],
            "noughts tree: error: argument --depth: must be a whole number of at least 1, not '0'",
        ),
        (
            ["tictactoe", "--depth", "x"],
            "noughts tree: error: argument --depth: must be a whole number of at least 1, not 'x'",
        ),
        (["tictactoe", "--format", "pdf"], "noughts tree: error: argument --format: not one of "),
    ],
)
def test_bad_requests_are_explained(options: list[str], output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, *options).splitlines()[-1].startswith(output)


def test_a_bad_tree_is_pointed_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "--leaves", "3,12,8/2,x,6/14,5,2") == (
        "noughts tree: --leaves: character 10: there is no complete node 'x' to the left of this\n"
        "  3,12,8/2,x,6/14,5,2\n"
        "           ^\n"
    )
    long = refused(capsys, "--leaves", "1," * 100 + "?" + ",1" * 100).splitlines()
    assert long[1][len(long[2]) - 1] == "?"
    assert len(long[1]) < 70


def test_a_finished_game_is_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\nX wins = -10   xxx/oo./...\n" in drawn(capsys, "tictactoe", "xxx/oo./...")


LABEL = r'"(?:[^"\\\n]|\\["\\n])*"'
ATTRIBUTES = rf"\[\w+=(?:\w+|{LABEL})(?:, \w+=(?:\w+|{LABEL}))*\]"


@pytest.mark.parametrize("options", [["tictactoe", CUTS], ["tictactoe"], ["--leaves", "3,5/6,9//1,2/0,-1"]])
def test_the_dot_output_parses_as_a_tree(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    first, *lines, last = drawn(capsys, *options, "--format", "dot").splitlines()
    assert (first, last) == ("digraph tree {", "}")
    nodes, edges = set(), []
    for line in lines:
        if node := re.fullmatch(rf"  (n\d+) {ATTRIBUTES};", line):
            nodes.add(node[1])
        elif edge := re.fullmatch(rf"  (n\d+) -> (n\d+) {ATTRIBUTES};", line):
            edges.append((edge[1], edge[2]))
        else:
            assert re.fullmatch(rf"  (graph|node|edge) {ATTRIBUTES};", line), line
    assert len(edges) == len(nodes) - 1
    assert {below for _, below in edges} == nodes - {"n0"}
    assert {above for above, _ in edges} <= nodes


def test_the_dot_output_marks_players_choices_and_cuts(capsys: pytest.CaptureFixture[str]) -> None:
    dot = drawn(capsys, "tictactoe", CUTS, "--format", "dot")
    assert r'n0 [shape=house, label="x o x\n. o .\n. . x\nMAX = 9"];' in dot
    assert r'n1 [shape=invhouse, label="x o x\no o .\n. . x\nMIN = -8"];' in dot
    assert r'[shape=box, label="x o x\n. o .\n. o x\nO wins = 9"];' in dot
    assert dot.count("style=dashed") == dot.count("alpha ") == 5
    assert dot.count("style=bold") == 12


def test_dot_labels_are_escaped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(GAMES, "tictactoe", replace(GAMES["tictactoe"], title='say "x\\o"'))
    assert '[label="say \\"x\\\\o\\", alpha-beta' in drawn(capsys, "tictactoe", CUTS, "--format", "dot")
    svg = replace(GAMES["tictactoe"], title="<x & o>")
    monkeypatch.setitem(GAMES, "tictactoe", svg)
    root = ElementTree.fromstring(drawn(capsys, "tictactoe", CUTS, "--format", "svg"))
    assert any("<x & o>" in (text.text or "") for text in root.iter("{http://www.w3.org/2000/svg}text"))


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("options", "visited", "cuts"),
    [
        (["tictactoe", CUTS], 22, 5),
        (["tictactoe"], 39, 5),
        (["--leaves", "3,5/6,9//1,2/0,-1"], 11, 2),
        (["gomoku", "--depth", "1"], 37, 0),
        (["connect4", "--depth", "2"], 33, 5),
    ],
)
def test_the_svg_shows_every_node_without_overlap(
    options: list[str], visited: int, cuts: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "tictactoe" not in options:
        monkeypatch.setattr(tree, "MOST_VISITED", 1000)
    root = ElementTree.fromstring(drawn(capsys, *options, "--format", "svg"))
    assert root.tag == f"{SVG}svg"
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    signs = [
        (polygon.attrib["class"], [tuple(map(float, point.split(","))) for point in polygon.attrib["points"].split()])
        for polygon in root.iter(f"{SVG}polygon")
    ]
    assert len(signs) == visited
    assert {kind for kind, _ in signs} <= {"max", "min", "end"}
    boxes = []
    for _, points in signs:
        left, right = min(x for x, _ in points), max(x for x, _ in points)
        top, bottom = min(y for _, y in points), max(y for _, y in points)
        assert 0 < left < right < width
        assert 0 < top < bottom < height
        boxes.append((left, right, top, bottom))
    apart = [
        one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]
        for index, one in enumerate(boxes)
        for other in boxes[:index]
    ]
    assert all(apart)
    kinds = [line.attrib["class"] for line in root.iter(f"{SVG}line")]
    assert len(kinds) == visited - 1 + cuts
    assert kinds.count("cut") == cuts
    assert "chosen" in kinds


def test_a_tree_of_leaves_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    text = drawn(capsys, "--leaves", FIGURE)
    assert text.startswith("A tree of 9 leaves, alpha-beta: 11 nodes visited\n")
    assert "\nMAX = 3\n" in text
    assert "\n│  └─ 2, 3: cut (4, 6), beta 2 ≤ alpha 3\n" in text
    assert "cut" not in drawn(capsys, "--leaves", FIGURE, "--search", "minimax")
    ordered = drawn(capsys, "--leaves", FIGURE, "--search", "ordered", "--strict")
    assert ordered.startswith("A tree of 9 leaves, alpha-beta with move ordering: 9 nodes visited\n")
    assert "\n   └─ 2, 1: cut (5, 14), beta 2 < alpha 3\n" in ordered
    table = drawn(capsys, "--leaves", "(a(4,6/7,9),b(3,5)),(c(1,2/8,9),a)", "--search", "table")
    assert "known from the table" in table
    assert "\nMAX = ~4\n" in drawn(capsys, "--leaves", "B=4(3,12),(2,4)", "--depth", "1")
    for numbers, worth in (
        ("-1,5", 5),
        ("-.5,5", 5),
        ("-1e3,5", 5),
        ("-7.5,-8/-9,5", -8),
        ("-1,-0.5", -0.5),
        ("-3", -3),
    ):
        assert f" = {worth}\n" in drawn(capsys, "--leaves", numbers, "--search", "minimax")
    one = drawn(capsys, "--leaves", "7")
    assert one.startswith("A tree of 1 leaf, alpha-beta: 1 node visited\n")
    assert "\nleaf = 7\n" in one


@pytest.mark.parametrize(
    "options", [["--leaves", FIGURE], ["--leaves", "7"], ["tictactoe", CUTS], ["connect4", "--depth", "1"]]
)
def test_an_animation_tells_every_step_at_its_time(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    root = ElementTree.fromstring(drawn(capsys, *options, "--format", "animation"))
    trace = json.loads(drawn(capsys, *options, "--json"))
    told = []
    for shown in root.iter(f"{SVG}g"):
        text, times = shown.find(f"{SVG}text[@class='now']"), shown.find(f"{SVG}set")
        if text is not None and times is not None:
            told.append((float(times.attrib["begin"].removeprefix("clock.begin+").removesuffix("s")), text.text or ""))
    said = [
        max(each for each in told if each[0] < 1.2 * number + 0.06)[1] for number in range(1, len(trace["steps"]) + 1)
    ]
    cuts = [index for index, step in enumerate(trace["steps"]) if step["step"] == "cut"]
    assert [index for index, words in enumerate(said) if "cannot change the result" in words] == cuts
    updates = [(index, step["value"]) for index, step in enumerate(trace["steps"]) if step["step"] == "update"]
    assert all(f" = {value}: alpha " in said[index] for index, value in updates)
    assert len(root.findall(f".//{SVG}polygon")) == len(trace["nodes"])
    assert not [element for element in root.iter() if element.tag.endswith(("script", "foreignObject", "image"))]


def test_a_long_animation_is_capped_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("noughts.explain.as_animation.MOST_STEPS", 5)
    picture = drawn(capsys, "--leaves", FIGURE, "--format", "animation")
    assert "The first 5 of 22 steps are shown." in picture


def test_lines_fit_the_terminal_if_possible(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, drawn(capsys, "tictactoe", "--depth", "2").splitlines())) <= 60


def test_without_unicode_it_is_drawn_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    with pytest.raises(SystemExit):
        main(["tree", "tictactoe", CUTS])
    assert b"\n|  |  `- 8: cut, alpha 7 >= beta -8\n" in written.getvalue()
    assert b"|  |- 7: MAX >= 7" in written.getvalue()


@pytest.mark.slow
def test_a_closed_pipe_is_not_an_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)  # as `noughts tree | head -1` does, but before the first line
    run = subprocess.run(
        [sys.executable, "-m", "noughts", "tree", "tictactoe", CUTS],
        env=ENVIRONMENT,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (run.returncode, run.stderr) == (1, b"")


def test_ctrl_c_ends_it_silently(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("noughts.cli.explain.draw", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["tree", "tictactoe"])
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")
