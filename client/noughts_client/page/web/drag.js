// Fingers and pointers on a board: dragging a piece to its goal instead of two clicks, and cells too small for a finger.

import { partAt } from "./moves.js";

/** How far the pointer must go, in CSS pixels, until a press is no click any more. */
const FAR = 5;

/** The narrowest cell, in CSS pixels, that a finger hits for certain. */
const SMALL = 28;

/** After a click the arrows step through the game; whoever comes to the board by Tab goes from cell to cell with them. */
document.addEventListener("pointerdown", () => document.body.classList.add("pointed"), true);
document.addEventListener("keydown", ({ key }) => key === "Tab" && document.body.classList.remove("pointed"), true);

/** What has the focus, but takes the arrows only after Tab: a cell, or a tab beside the board. */
export const STEPS = ".pointed :is([data-cell], [type=radio])";

/**
 * Whether cells are too small to hit for certain: then a tap selects, and a second one or a button plays.
 * @param {import("./types.js").GameInfo} game
 */
export function hasSmallCells(game) {
  const width = document.querySelector("svg.board")?.clientWidth ?? Infinity;
  return width / (game.layout[0].length + 0.5) < SMALL && matchMedia("(pointer: coarse)").matches;
}

/**
 * The pointer is pressed on a board: if it is on a piece that can move, the piece follows it.
 * @param {PointerEvent} press
 * @param {import("./board.js").Drawing} drawing
 */
export function dragging(press, { game, options, path, rows, onPick }) {
  const board = /** @type {SVGSVGElement} */ (press.currentTarget);
  const cell = /** @type {SVGElement | null} */ (/** @type {Element} */ (press.target).closest("[data-cell]"));
  if (!cell || !options || !onPick || press.button !== 0 || !press.isPrimary) return;
  const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
  const part = partAt(game, row, column, options);
  const begun = path?.length && path[path.length - 1] === part;
  const other = path?.length && !options.has(part); // another piece than the one that was picked before
  if (rows[row][column] === "." || !(begun || other || options.get(part)?.more)) return;
  const stand = /** @type {SVGElement} */ (cell.querySelector(".stand"));
  const scale = board.viewBox.baseVal.width / board.clientWidth;
  /** @type {SVGElement | null} */
  let carried = null;
  const stop = new AbortController();
  board.dataset.held = "";
  const { signal } = stop;

  const moved = (/** @type {PointerEvent} */ event) => {
    const [x, y] = [event.clientX - press.clientX, event.clientY - press.clientY];
    if (carried === null) {
      if (Math.hypot(x, y) < FAR) return;
      carried = /** @type {SVGElement} */ (stand.cloneNode(true));
      carried.classList.add("carried");
      board.append(carried);
      stand.classList.add("lifted");
      if (!begun) onPick(row, column);
    }
    carried.style.transform = `translate(${x * scale}px, ${y * scale}px)`;
  };

  const dropped = (/** @type {PointerEvent} */ event) => {
    stop.abort();
    delete board.dataset.held;
    if (carried === null) return;
    carried.remove();
    stand.classList.remove("lifted");
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]");
    if (event.type === "pointerup" && target instanceof SVGElement && target !== cell && target.classList.contains("open")) {
      onPick(Number(target.dataset.row), Number(target.dataset.column));
    }
  };

  document.addEventListener("pointermove", moved, { signal });
  document.addEventListener("pointerup", dropped, { signal });
  document.addEventListener("pointercancel", dropped, { signal });
}
