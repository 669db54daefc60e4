"""A trace as a self-contained SVG picture that plays it, again and again. Pure; does no I/O.

It needs no script, so it also plays where a page shows it as an image. A tree of leaves is there from the start; the
nodes of a game appear when they are visited. Alpha and beta stand beside a node, its value inside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from noughts.engine.trace import Cut, Enter, Place, Step, Update
from noughts.explain.drawing import METHODS, counted, number
from noughts.explain.played import Played, end, words

STEP_S = 1.2
LAST_S = 6.0
"""How long the end is shown, until it plays again."""

MOST_STEPS = 400
"""More than eight minutes would not be watched."""

MARGIN = 24
LINE = 22
APART = 66
"""Between the middles of neighbouring leaves."""
FALL = 112
"""From one depth to the next."""
HALF = 28
"""Half the width of a node, and of its height."""
STYLE = """
text { font: 16px sans-serif; text-anchor: middle; fill: #111; }
.head { text-anchor: start; }
.now { text-anchor: start; font-size: 20px; font-weight: bold; }
.value { font-size: 18px; font-weight: bold; }
.window { font-size: 14px; fill: #333; }
.name { font-size: 14px; font-weight: bold; paint-order: stroke; stroke: #fff; stroke-width: 4px; }
.max { fill: #d6e6ff; stroke: #1f4e99; stroke-width: 2; }
.min { fill: #ffe2cc; stroke: #a5480a; stroke-width: 2; }
.end { fill: #eee; stroke: #444; stroke-width: 2; }
.edge { stroke: #999; stroke-width: 1.5; }
.chosen { stroke: #0a7d32; stroke-width: 5; }
.cut { stroke: #b00; stroke-width: 3; }
.veil { fill: #fff; opacity: 0.7; }
.ring { fill: none; stroke: #d99a00; stroke-width: 5; }
"""


@dataclass(slots=True)
class _Times:
    """Texts in the same place, each from one time to another; None is the end."""

    texts: list[tuple[str, float, float | None]] = field(default_factory=list)

    def change(self, text: str, at: float) -> None:
        """Show ``text`` from ``at`` on, instead of what was shown."""
        if self.texts:
            before, since, _ = self.texts[-1]
            if before == text:
                return
            self.texts[-1] = before, since, at
        self.texts.append((text, at, None))

    def shown(self, x: float, y: float, kind: str) -> list[str]:
        """The texts at that place, each at its time."""
        return [_shown(_text(x, y, text, kind), since, until) for text, since, until in self.texts]


def as_animation(played: Played) -> str:
    """The whole picture."""
    trace = played.trace
    steps = trace.steps[:MOST_STEPS]
    game = "game" in played.subject
    places = trace.places[: 1 + max(step.node for step in steps)] if game else trace.places
    spots, width, depth = _layout(places)
    notes = list(trace.notes)
    if len(steps) < len(trace.steps):
        notes.append(f"The first {len(steps)} of {trace.total:,} steps are shown.")
    title = f"{played.title}, {METHODS[trace.method]}: {counted(trace.visited, 'node', 'nodes')} visited"
    head = [title, played.key, *notes]
    captions = [words(trace, step) for step in steps]
    top = MARGIN + (len(head) + 2) * LINE
    right = max(width, max(map(len, head)) * 8 + MARGIN, max(map(len, captions)) * 11 + MARGIN) + MARGIN
    bottom = top + depth * FALL + HALF * 2 + LINE + MARGIN
    shift = (right - width) / 2
    at = {index: (x + shift, top + level * FALL) for index, (x, level) in spots.items()}
    seconds = (len(steps) + 1) * STEP_S + LAST_S
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{right:.0f}" height="{bottom:.0f}" '
        f'viewBox="0 0 {right:.0f} {bottom:.0f}">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        # The clock of all that follows.
        f'<rect width="0" height="0"><animate id="clock" attributeName="x" from="0" to="0" begin="0s;clock.end" '
        f'dur="{seconds:.1f}s"/></rect>',
        *(_text(MARGIN, MARGIN + (index + 0.5) * LINE, line, "head") for index, line in enumerate(head)),
    ]
    story = _tell(places, steps, captions, game=game)
    parts += _edges(places, at, story)
    for index, place in enumerate(places):
        parts.append(_drawn(place, *at[index], story, index))
    parts += [
        _shown(_text(MARGIN, top - LINE * 0.8, text, "now"), since, until) for text, since, until in story.caption.texts
    ]
    return "\n".join([*parts, *_ring(steps, at), "</svg>"])


@dataclass(slots=True)
class _Story:
    """What the picture shows when, by the index of a node. ``cuts`` are nodes with a cut, ``cut`` those it removes."""

    caption: _Times = field(default_factory=_Times)
    seen: dict[int, float] = field(default_factory=dict)
    values: defaultdict[int, _Times] = field(default_factory=lambda: defaultdict(_Times))
    windows: defaultdict[int, _Times] = field(default_factory=lambda: defaultdict(_Times))
    cut: dict[int, float] = field(default_factory=dict)
    cuts: dict[int, float] = field(default_factory=dict)
    chosen: set[int] = field(default_factory=set)
    end: float = 0


def _tell(places: tuple[Place, ...], steps: tuple[Step, ...], captions: list[str], *, game: bool) -> _Story:
    story = _Story()
    story.seen = {} if game else dict.fromkeys(range(len(places)), 0.0)
    for index, place in enumerate(places):
        if not game and place.value is not None:
            story.values[index].change(number(place.value), 0)
    best: dict[int, tuple[float, int]] = {}
    time = 0.0
    for step, caption in zip(steps, captions, strict=True):
        time += STEP_S
        story.caption.change(caption, time)
        window = f"{end(step.alpha)} … {end(step.beta)}"
        match step:
            case Enter():
                story.seen.setdefault(step.node, time)
                if step.value is not None:
                    story.values[step.node].change(number(step.value), time)
                else:
                    story.windows[step.node].change(window, time)
            case Update():
                story.values[step.node].change(number(step.value), time)
                story.windows[step.node].change(window, time)
                if best.get(step.node, (None,))[0] != step.value:
                    best[step.node] = step.value, step.child
            case Cut():
                story.cuts[step.node] = time
                for index, place in enumerate(places):
                    if place.parent == step.node and place.move in step.moves:
                        story.cut[index] = time
    for index, place in enumerate(places):  # what is below a cut branch
        if place.parent in story.cut:
            story.cut[index] = story.cut[place.parent]
    story.end = time + STEP_S
    node = 0
    while node in best:
        node = best[node][1]
        story.chosen.add(node)
    return story


def _layout(places: tuple[Place, ...]) -> tuple[dict[int, tuple[float, int]], float, int]:
    """The middle and the depth of each node, the width, and the greatest depth."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    levels = [0] * len(places)
    for index, place in enumerate(places):
        if place.parent is not None:
            children[place.parent].append(index)
            levels[index] = levels[place.parent] + 1
    middle: dict[int, float] = {}
    leaf = MARGIN + APART / 2

    def put(index: int) -> None:
        nonlocal leaf
        below = sorted(children[index], key=lambda child: places[child].rank)
        for child in below:
            put(child)
        if below:
            middle[index] = (middle[below[0]] + middle[below[-1]]) / 2
        else:
            middle[index] = leaf
            leaf += APART

    put(0)
    return {index: (middle[index], levels[index]) for index in middle}, leaf - APART / 2, max(levels)


def _edges(places: tuple[Place, ...], at: Mapping[int, tuple[float, float]], story: _Story) -> list[str]:
    parts = []
    for index, place in enumerate(places):
        if place.parent is None:
            continue
        (x1, y1), (x2, y2) = at[place.parent], at[index]
        y1 += HALF * 2
        line = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        parts.append(_shown(f'<line class="edge" {line}', story.seen.get(index, story.end), None))
        if index in story.chosen:
            parts.append(_shown(f'<line class="chosen" {line}', story.end, None))
        if index in story.cut and place.parent not in story.cut:
            x, y = x1 + (x2 - x1) * 0.6, y1 + (y2 - y1) * 0.6
            parts.append(_shown(_cross(x, y), story.cut[index], None))
    return parts


def _drawn(place: Place, x: float, y: float, story: _Story, index: int) -> str:
    kind = "end" if place.maximizing is None else "max" if place.maximizing else "min"
    height = HALF * 2
    corners = {
        "end": [(-HALF + 4, 6), (HALF - 4, 6), (HALF - 4, height - 6), (-HALF + 4, height - 6)],
        "max": [(0, 0), (HALF + 6, height), (-HALF - 6, height)],
        "min": [(-HALF - 6, 0), (HALF + 6, 0), (0, height)],
    }[kind]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    base = y + {"end": HALF + 6, "max": HALF + 18, "min": HALF - 6}[kind]
    parts = [f'<polygon class="{kind}" points="{points}"/>']
    name = place.name or (place.move if place.position is not None else "")
    if name:
        parts.append(_text(x, y - 8, name, "name"))
    parts += [_shown(_text(x, base, text, "value"), since, until) for text, since, until in story.values[index].texts]
    parts += [
        _shown(_text(x, y + height + 16, text, "window"), since, until)
        for text, since, until in story.windows[index].texts
    ]
    if index in story.cuts:
        parts.append(_shown(_cross(x + HALF + 14, y + height - 8), story.cuts[index], None))
    if index in story.cut:
        box = f'<rect class="veil" x="{x - HALF - 8:.1f}" y="{y:.1f}" width="{HALF * 2 + 16}" height="{height + 2}"/>'
        parts.append(_shown(box, story.cut[index], None))
    return _shown(f"<g>{''.join(parts)}</g>", story.seen.get(index, story.end), None)


def _cross(x: float, y: float) -> str:
    return f'<path class="cut" d="M{x - 9:.1f} {y - 6:.1f}l18 12m-18 0l18 -12"/>'


def _ring(steps: tuple[Step, ...], at: Mapping[int, tuple[float, float]]) -> list[str]:
    """The ring around the node where the search is."""
    parts = []
    begin = 0
    for index, step in enumerate(steps):
        if index + 1 < len(steps) and steps[index + 1].node == step.node:
            continue
        x, y = at[step.node]
        ring = (
            f'<rect class="ring" x="{x - HALF - 12:.1f}" y="{y - 6:.1f}" width="{HALF * 2 + 24}" '
            f'height="{HALF * 2 + 12}" rx="10"/>'
        )
        parts.append(_shown(ring, (begin + 1) * STEP_S, (index + 2) * STEP_S))
        begin = index + 1
    return parts


def _shown(element: str, since: float, until: float | None) -> str:
    """``element``, shown from one time of the clock to another, or to its end."""
    if since <= 0 and until is None:
        return element
    stop = "clock.end" if until is None else f"clock.begin+{until:.1f}s"
    visible = f'<set attributeName="visibility" to="visible" begin="clock.begin+{since:.1f}s" end="{stop}"/>'
    if since <= 0:
        visible = visible.replace("+0.0s", "")
    return f'<g visibility="hidden">{element}{visible}</g>'


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
