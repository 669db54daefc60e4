"""A board in a notebook on which one can click, with a slider for its moves. Importing it raises ImportError without
anywidget, which shows it in Jupyter, VS Code and Colab.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import anywidget
import traitlets

from noughts.games import Game, IllegalMove, MalformedMove, Position, Side
from noughts.games.picture import CELL, Place, drawing
from noughts.games.sentences import sentence

FRONT = """
function render({ model, el }) {
  el.innerHTML = `<div class="noughts-board"></div><p role="status"></p><div class="noughts-choices"></div>
    <input type="range" min="0" aria-label="Move">
    <label><input type="checkbox"> What each move is worth</label><pre></pre>`;
  const [board, said, choices, slider, label, worth] = el.children;
  const [box] = label.children;
  const draw = () => {
    const [pictures, at] = [model.get("pictures"), model.get("at")];
    board.innerHTML = pictures[at];
    said.textContent = model.get("said");
    slider.max = pictures.length - 1;
    slider.value = at;
    slider.hidden = pictures.length < 2;
    box.checked = model.get("valued");
    worth.textContent = model.get("worth");
    choices.replaceChildren(...(at === pictures.length - 1 ? model.get("choices") : []).map((name) => {
      const button = Object.assign(document.createElement("button"), { textContent: name });
      button.onclick = () => model.send({ move: name });
      return button;
    }));
  };
  board.onclick = (event) => {
    const svg = board.querySelector("svg");
    if (!svg) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    model.send({ x, y });
  };
  slider.oninput = () => {
    model.set("at", Number(slider.value));
    draw();
  };
  slider.onchange = () => model.save_changes(); // each position that it comes to may be searched
  box.onchange = () => {
    model.set("valued", box.checked);
    model.save_changes();
  };
  for (const name of ["pictures", "at", "choices", "said", "valued", "worth"]) model.on(`change:${name}`, draw);
  draw();
}
export default { render };
"""
STYLE = """
.noughts-board svg { max-width: 100%; height: auto; cursor: pointer; }
.noughts-choices { display: flex; flex-wrap: wrap; gap: 4px; }
"""

Reply = Callable[[Position], str]
"""The move of the computer in a position."""

Explain = Callable[[Position], str]
"""The values of the moves of a position, in words."""


class Board(anywidget.AnyWidget):
    """A game on a board. ``position`` is the last, ``moves`` those that led there from the start.

    A click picks a cell: the first cells of a move, and then the last, play it. Moves that have no cell are buttons.
    The slider, or ``at``, looks back; only the last position is played on. ``reply`` answers for ``side``. While it is
    ``valued``, ``worth`` is what ``explain`` says of the position that is shown.
    """

    _esm = FRONT
    _css = STYLE
    pictures = traitlets.List(traitlets.Unicode()).tag(sync=True)
    at = traitlets.Int(0).tag(sync=True)
    choices = traitlets.List(traitlets.Unicode()).tag(sync=True)
    said = traitlets.Unicode("").tag(sync=True)
    valued = traitlets.Bool(False).tag(sync=True)
    worth = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self,
        game: Game,
        start: Position,
        moves: list[str],
        *,
        explain: Explain,
        reply: Reply | None = None,
        side: Side = Side.SECOND,
    ) -> None:
        super().__init__()
        self.game, self.position, self.moves = game, start, list[str]()
        self._reply, self._side, self._explain = reply, side, cache(explain)
        self._positions = [start]
        self._picked = ""
        styles = game.style(Side.FIRST), game.style(Side.SECOND)
        on = drawing(start.rows, game.layout, styles, block=game.block, pieces=game.pieces, ground=game.board)
        self._middles = on.middles
        self.pictures = [_picture(start)]
        for move in moves:
            self._take(game.meant(self.position, move))
        self.on_msg(lambda _, message, __: self._heard(message))
        self.observe(lambda _: self._value(), ["at", "valued"])
        self._answer()

    def play(self, move: str) -> None:
        """Play ``move``, and have the computer answer if it is its turn.

        Raises ValueError if the move is not legal.
        """
        self._take(self.game.meant(self.position, move))
        self._answer()

    def click(self, x: float, y: float) -> None:
        """A click at that place of the picture, in its units."""
        place = min(self._middles, key=lambda each: _distance(self._middles[each], x, y))
        if _distance(self._middles[place], x, y) <= CELL**2 / 2 and self.at == len(self.pictures) - 1:
            self._pick(place)

    def _heard(self, message: dict[str, Any]) -> None:
        if "move" in message:
            self.play(str(message["move"]))
        else:
            self.click(float(message["x"]), float(message["y"]))

    def _pick(self, place: Place) -> None:
        r, c = place
        names = {grid[r][c] for grid in (self.game.layout, self.game.cells or self.game.layout)}
        legal = self.position.legal_moves
        for picked in [self._picked, ""] if self._picked else [""]:
            tried = [f"{picked}{between}{name}" for name in names for between in (("", "-", "x") if picked else ("",))]
            if (move := next((each for each in tried if each in legal), None)) is not None:
                return self.play(move)
            if any(move.startswith(text) for move in legal for text in tried):
                self._picked = next(text for text in tried if any(move.startswith(text) for move in legal))
                return self._tell(self._picked)
        self._picked = ""
        return self._tell("No legal move goes there.")

    def _take(self, move: str) -> None:
        try:
            self.position = self.position.play(move)
        except (MalformedMove, IllegalMove) as error:
            raise ValueError(sentence(str(error))) from None
        self.moves.append(move)
        self._positions.append(self.position)
        self._picked = ""
        self.pictures = [*self.pictures, _picture(self.position)]
        self.at = len(self.pictures) - 1

    def _answer(self) -> None:
        while self._reply is not None and self.position.to_move is self._side:
            self._take(self._reply(self.position))
        self._tell("")

    def _value(self) -> None:
        shown = self._positions[self.at]
        self.worth = self._explain(shown) if self.valued and shown.to_move is not None else ""

    def _tell(self, picked: str) -> None:
        """Say what is picked, and offer the moves that cannot be picked on the board, or no further."""
        cells = {name for grid in (self.game.layout, self.game.cells or ()) for row in grid for name in row if name}
        legal = [move for move in self.position.legal_moves if not self._picked or move.startswith(self._picked)]
        self.choices = [
            move
            for move in legal
            if not any(move.removeprefix(self._picked).lstrip("-x").startswith(name) for name in cells)
        ]
        self.said = picked


def _picture(position: Position) -> str:
    drawn: Callable[[], str] = getattr(position, "_repr_svg_", lambda: f"<pre>{position}</pre>")
    return drawn()


def _distance(middle: tuple[float, float], x: float, y: float) -> float:
    return (middle[0] - x) ** 2 + (middle[1] - y) ** 2
