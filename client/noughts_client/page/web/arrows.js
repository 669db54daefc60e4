// Arrows and marked cells on a board: how they are drawn, and drawn by hand with the right button or, when marks are
// switched on, with any pointer.

import { svg } from "./vendor/lit-html/lit-html.js";
import { cellName, middleOf, placeOf } from "./looks.js";
import { colourOf } from "./marks.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./marks.js").Mark} Mark
 * @typedef {import("./marks.js").Colour} Colour
 */

/** How far from the middle of its first cell an arrow begins, and the length and half the width of its head. */
const [AWAY, HEAD, WIDE] = [22, 38, 25];

/**
 * @param {GameInfo} game
 * @param {Mark[]} marks
 * @param {boolean} turned
 * @param {string | null} begun a cell where a mark begins
 */
export function drawn(game, marks, turned, begun) {
  const at = places(game, turned);
  return svg`<g class="marks" aria-hidden="true">
    ${marks.map(({ from, to, colour }) => {
      const [one, other] = [at.get(from), at.get(to)];
      if (!one || !other) return svg``;
      return from === to ? ring(one, `mark ${colour}`) : svg`<path class="mark arrow ${colour}" d=${arrow(middleOf(one), middleOf(other))}></path>`;
    })}
    ${begun !== null && at.has(begun) ? ring(/** @type {import("./looks.js").Place} */ (at.get(begun)), "mark begun") : svg``}
  </g>`;
}

/**
 * Where each cell lies, by its name; of cells with the same name, the last.
 * @param {GameInfo} game
 * @param {boolean} turned
 */
function places(game, turned) {
  /** @type {Map<string, import("./looks.js").Place>} */
  const found = new Map();
  game.layout.forEach((row, r) => row.forEach((_, c) => found.set(cellName(game, r, c), placeOf(game, r, c, turned))));
  return found;
}

/**
 * @param {import("./looks.js").Place} place
 * @param {string} classes
 */
function ring(place, classes) {
  const [x, y] = middleOf(place);
  return svg`<circle class="${classes} ring" cx=${x} cy=${y} r=${Math.max(24, Math.min(place.w, place.h) / 2 - 6)}></circle>`;
}

/**
 * The outline of an arrow: a line with a head, that ends in the middle of a cell.
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function arrow([x, y], [toX, toY]) {
  const far = Math.hypot(toX - x, toY - y);
  const [dx, dy] = [(toX - x) / far, (toY - y) / far];
  const at = (/** @type {number} */ along, /** @type {number} */ across) =>
    `${(x + dx * along - dy * across).toFixed(1)} ${(y + dy * along + dx * across).toFixed(1)}`;
  const neck = far - HEAD;
  return `M${at(AWAY, 8)}L${at(neck, 8)}L${at(neck, WIDE)}L${at(far, 0)}L${at(neck, -WIDE)}L${at(neck, -8)}L${at(AWAY, -8)}Z`;
}

/**
 * A pointer is pressed on a board. If it draws, what it has drawn is told when it is let go.
 * @param {PointerEvent} press
 * @param {{on: boolean, colour: Colour}} marking whether any pointer draws, and in which colour
 * @param {(mark: Mark) => void} onMark
 * @returns {boolean} whether it draws
 */
export function drawing(press, { on, colour }, onMark) {
  const from = cellAt(press.target);
  const right = press.button === 2;
  if (!press.isPrimary || from === null || !(right || (on && press.button === 0))) return false;
  const board = /** @type {Element} */ (press.currentTarget);
  if (board.hasPointerCapture?.(press.pointerId)) board.releasePointerCapture(press.pointerId);
  const stop = new AbortController();
  const done = (/** @type {PointerEvent} */ event) => {
    stop.abort();
    const to = event.type === "pointerup" ? cellAt(document.elementFromPoint(event.clientX, event.clientY)) : null;
    // A tap without a way is a click, which comes next.
    if (to !== null && (right || to !== from)) onMark({ from, to, colour: colourOf(press, colour) });
  };
  document.addEventListener("pointerup", done, { signal: stop.signal });
  document.addEventListener("pointercancel", done, { signal: stop.signal });
  return true;
}

/** @param {EventTarget | null} target */
function cellAt(target) {
  const cell = target instanceof Element ? target.closest(".analysis [data-cell]") : null;
  return cell instanceof SVGElement ? cell.dataset.cell ?? null : null;
}
