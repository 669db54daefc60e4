"""A trace as a self-contained SVG picture that plays it, again and again. Pure; does no I/O.

It needs no script, so it also plays where a page shows it as an image. A tree of leaves is there from the start; the
nodes of a game appear when they are visited. Alpha and beta stand beside a node, its value inside it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from noughts.engine import Method
from noughts.engine.steps import Cut, Enter, Place, Step, Update
from noughts.explain.as_svg import text
from noughts.explain.drawing import METHODS, counted, number
from noughts.explain.played import Played, end, why, words

ALPHA, BETA = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"

STEP_S = 1.2
LAST_S = 6.0
"""The time the end is shown, until it plays again."""

MOST_STEPS = 400
"""Nobody watches more than eight minutes."""

MOST_ROWS = 4
"""Larger boards are not drawn."""

MARGIN = 24
LINE = 22
ROW = 17
"""The height of a row of a board."""
FALL = 112
"""From one depth to the next, without the board."""
HALF = 28
"""Half the width of a leaf, and half the height of a node."""
STYLE = """
text { font: 16px sans-serif; text-anchor: middle; fill: #111; }
.head { text-anchor: start; }
.now { text-anchor: start; font-size: 20px; font-weight: bold; }
.value { font-size: 18px; font-weight: bold; }
.window, .why, .name { font-size: 14px; paint-order: stroke; stroke: #fff; stroke-width: 5px; }
.window { text-anchor: start; }
.why, .name { font-weight: bold; }
.why { fill: #b00; }
.board { font: bold 15px monospace; white-space: pre; }
.max { fill: #d6e6ff; stroke: #1f4e99; stroke-width: 2; }
.min { fill: #ffe2cc; stroke: #a5480a; stroke-width: 2; }
.end { fill: #eee; stroke: #444; stroke-width: 2; }
.edge { stroke: #999; stroke-width: 1.5; }
.chosen { stroke: #0a7d32; stroke-width: 5; }
.cross { stroke: #b00; stroke-width: 3; }
.veil { fill: #fff; opacity: 0.7; }
.ring { fill: none; stroke: #d99a00; stroke-width: 5; }
"""


def as_animation(played: Played) -> str:
    """The whole picture."""
    trace = played.trace
    steps = trace.steps[:MOST_STEPS]
    places = trace.places[: 1 + max(step.node for step in steps)] if played.game else trace.places
    notes = list(trace.notes)
    if len(steps) < len(trace.steps):
        notes.append(f"The first {len(steps)} of {trace.total:,} steps are shown.")
    title = f"{played.title}, {METHODS[trace.method]}: {counted(trace.visited, 'node', 'nodes')} visited"
    head = [title, played.key, *notes]
    story = _tell(played, places, steps)
    top = MARGIN + (len(head) + 2) * LINE
    layout = _layout(places, top, game=played.game, pruning=trace.method is not Method.MINIMAX)
    longest = max(len(caption) for caption, _, _ in story.caption.texts)
    width = max(layout.width, max(map(len, head)) * 8 + MARGIN, longest * 11 + MARGIN) + MARGIN
    layout.x = [x + (width - MARGIN - layout.width) / 2 for x in layout.x]
    height = layout.height + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        # The clock of all that follows.
        '<rect width="0" height="0"><animate id="clock" attributeName="x" from="0" to="0" begin="0s;clock.end" '
        f'dur="{story.end + LAST_S:.1f}s"/></rect>',
        *(text(MARGIN, MARGIN + (index + 0.5) * LINE, line, "head") for index, line in enumerate(head)),
        *story.caption.shown(MARGIN, top - LINE * 0.8, "now"),
        *_edges(places, layout, story),
        *(_drawn(place, layout, story, index, game=played.game) for index, place in enumerate(places)),
        *_rings(places, steps, layout),
        "</svg>",
    ]
    return "\n".join(parts)


@dataclass(slots=True)
class _Times:
    """Texts in the same place, each from one time to another; None is the end."""

    texts: list[tuple[str, float, float | None]] = field(default_factory=list)

    def change(self, words: str, at: float) -> None:
        """Show ``words`` from ``at`` on, instead of what was shown."""
        if self.texts:
            before, since, _ = self.texts[-1]
            if before == words:
                return
            self.texts[-1] = before, since, at
        self.texts.append((words, at, None))

    def shown(self, x: float, y: float, kind: str) -> list[str]:
        """The texts at that place, each at its time."""
        return [_shown(text(x, y, words, kind), since, until) for words, since, until in self.texts]


def _many_times() -> defaultdict[int, _Times]:
    return defaultdict(_Times)


@dataclass(slots=True)
class _Story:
    """The times at which the picture shows what, by the index of a node. ``cut`` is when nodes were cut, ``whys`` say
    why."""

    caption: _Times = field(default_factory=_Times)
    seen: dict[int, float] = field(default_factory=dict)
    values: defaultdict[int, _Times] = field(default_factory=_many_times)
    alphas: defaultdict[int, _Times] = field(default_factory=_many_times)
    betas: defaultdict[int, _Times] = field(default_factory=_many_times)
    whys: defaultdict[int, _Times] = field(default_factory=_many_times)
    cut: dict[int, float] = field(default_factory=dict)
    chosen: set[int] = field(default_factory=set)
    end: float = 0


def _tell(played: Played, places: tuple[Place, ...], steps: tuple[Step, ...]) -> _Story:
    story, trace = _Story(), played.trace
    if not played.game:
        story.seen = dict.fromkeys(range(len(places)), 0.0)
        for index, place in enumerate(places):
            if place.value is not None:
                story.values[index].change(number(place.value), 0)
    best: dict[int, tuple[float, int]] = {}
    for count, step in enumerate(steps, 1):
        time = count * STEP_S
        story.caption.change(words(played, step), time)
        if trace.method is not Method.MINIMAX and not (isinstance(step, Enter) and step.end):
            story.alphas[step.node].change(f"{ALPHA} {end(step.alpha)}", time)
            story.betas[step.node].change(f"{BETA} {end(step.beta)}", time)
        match step:
            case Enter():
                story.seen.setdefault(step.node, time)
                if step.value is not None:
                    story.values[step.node].change(number(step.value), time)
            case Update():
                story.values[step.node].change(number(step.value), time)
                if best.get(step.node, (None,))[0] != step.value:
                    best[step.node] = step.value, step.child
            case Cut():
                story.whys[step.node].change(why(trace, step).replace("alpha", ALPHA).replace("beta", BETA), time)
                for index, place in enumerate(places):
                    if place.parent == step.node and place.move in step.moves:
                        story.cut[index] = time
    for index, place in enumerate(places):  # what is below a cut branch
        if place.parent in story.cut:
            story.cut[index] = story.cut[place.parent]
    story.end = (len(steps) + 1) * STEP_S
    node = 0
    while node in best:
        node = best[node][1]
        story.chosen.add(node)
    return story


@dataclass(slots=True)
class _Layout:
    """The places of the nodes: the middle and the upper edge of each, and where the picture ends.

    ``board`` is the height of boards.
    """

    x: list[float]
    top: list[float]
    width: float
    height: float
    board: float


def _layout(places: tuple[Place, ...], top: float, *, game: bool, pruning: bool) -> _Layout:
    """Each node above the middle of its children, as far to the left as there is room."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    levels = [0] * len(places)
    for index, place in enumerate(places):
        if place.parent is not None:
            children[place.parent].append(index)
            levels[index] = levels[place.parent] + 1
    x = [0.0] * len(places)
    edges = [float(MARGIN)] * (max(levels) + 1)

    def shift(index: int, by: float) -> None:
        x[index] += by
        for child in children[index]:
            shift(child, by)

    def put(index: int) -> None:
        below = sorted(children[index], key=lambda child: places[child].rank)
        for child in below:
            put(child)
        level, inner = levels[index], places[index].maximizing is not None
        left = 52 if game else HALF + 14 if inner else HALF
        free = edges[level] + left
        x[index] = (x[below[0]] + x[below[-1]]) / 2 if below else free
        if (by := free - x[index]) > 0:
            shift(index, by)
            edges[level + 1 :] = [edge + by for edge in edges[level + 1 :]]
        edges[level] = x[index] + (HALF + 74 if inner and below and pruning else left)

    put(0)
    rows = len(_rows(places[0]))
    board = rows * ROW + 6 if rows <= MOST_ROWS and rows else 0
    tops = [top + level * (FALL + board) for level in levels]
    return _Layout(x, tops, max(edges), max(tops) + board + HALF * 2, board)


def _rows(place: Place) -> list[str]:
    """The board of a node; none in a tree of leaves."""
    return place.position.split(" ")[0].split("/") if place.position else []


def _edges(places: tuple[Place, ...], layout: _Layout, story: _Story) -> list[str]:
    parts = []
    for index, place in enumerate(places):
        if place.parent is None:
            continue
        x1, y1 = layout.x[place.parent], layout.top[place.parent] + layout.board + HALF * 2
        x2, y2 = layout.x[index], layout.top[index] + (0 if place.maximizing is not None or layout.board else 6)
        line = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        parts.append(_shown(f'<line class="edge" {line}', story.seen.get(index, story.end), None))
        if index in story.chosen:
            parts.append(_shown(f'<line class="chosen" {line}', story.end, None))
        if index in story.cut and place.parent not in story.cut:
            x, y = x1 + (x2 - x1) * 0.66, y1 + (y2 - y1) * 0.66
            cross = f'<path class="cross" d="M{x - 9:.1f} {y - 6:.1f}l18 12m-18 0l18 -12"/>'
            parts.append(_shown(cross, story.cut[index], None))
    return parts


def _drawn(place: Place, layout: _Layout, story: _Story, index: int, *, game: bool) -> str:
    x, top, height = layout.x[index], layout.top[index], HALF * 2
    y = top + layout.board
    kind = "end" if place.maximizing is None else "max" if place.maximizing else "min"
    corners = {
        "end": [(-HALF + 4, 6), (HALF - 4, 6), (HALF - 4, height - 6), (-HALF + 4, height - 6)],
        "max": [(0, 0), (HALF + 6, height), (-HALF - 6, height)],
        "min": [(-HALF - 6, 0), (HALF + 6, 0), (0, height)],
    }[kind]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    parts = [f'<polygon class="{kind}" points="{points}"/>']
    if layout.board:
        rows = (" ".join(row.replace(".", "·")) for row in _rows(place))
        parts += [text(x, top + 10 + line * ROW, row, "board") for line, row in enumerate(rows)]
    name = place.name or (place.move if game else None)
    if name:
        parts.append(text(x - 38, y - 10, name, "name") if layout.board else text(x, y - 8, name, "name"))
    base = y + {"end": HALF + 6, "max": HALF + 18, "min": HALF - 6}[kind]
    side = y + (14 if kind == "max" else 34)
    parts += story.values[index].shown(x, base, "value")
    parts += story.alphas[index].shown(x + HALF + 18, side, "window")
    parts += story.betas[index].shown(x + HALF + 18, side + 18, "window")
    parts += story.whys[index].shown(x, y + height + 19, "why")
    if index in story.cut:
        half = HALF if kind == "end" else HALF + 8
        box = f'<rect class="veil" x="{x - half:.1f}" y="{y:.1f}" width="{half * 2}" height="{height + 2}"/>'
        parts.append(_shown(box, story.cut[index], None))
    return _shown(f"<g>{''.join(parts)}</g>", story.seen.get(index, story.end), None)


def _rings(places: tuple[Place, ...], steps: tuple[Step, ...], layout: _Layout) -> list[str]:
    """The rings around the nodes where the search is."""
    parts = []
    begin = 1
    for count, step in enumerate(steps, 1):
        if count < len(steps) and steps[count].node == step.node:
            continue
        half = HALF + (2 if places[step.node].maximizing is None else 12)
        x, y = layout.x[step.node] - half, layout.top[step.node] + layout.board - 6
        ring = f'<rect class="ring" x="{x:.1f}" y="{y:.1f}" width="{half * 2}" height="{HALF * 2 + 12}" rx="10"/>'
        parts.append(_shown(ring, begin * STEP_S, (count + 1) * STEP_S))
        begin = count + 1
    return parts


def _shown(element: str, since: float, until: float | None) -> str:
    """``element``, shown from one time of the clock to another, or to its end."""
    if since <= 0 and until is None:
        return element
    begin = "clock.begin" if since <= 0 else f"clock.begin+{since:.1f}s"
    stop = "clock.end" if until is None else f"clock.begin+{until:.1f}s"
    visible = f'<set attributeName="visibility" to="visible" begin="{begin}" end="{stop}"/>'
    return f'<g visibility="hidden">{element}{visible}</g>'
