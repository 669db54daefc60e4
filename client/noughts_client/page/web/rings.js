// Rings over a board: where somebody moved, what was better, where to look. Each is drawn over the cell where a move ends.

import { nothing, svg } from "./vendor/lit-html/lit-html.js";
import { find, middleOf, placeOf, shapeOf, sizeOf } from "./looks.js";
import { expected, parts, partNames } from "./moves.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {{cell: string, kind: "you" | "best" | "hint" | "wrong" | "right", word?: string}} Ring
 */

/** The size of a word within a ring, times the number of its letters. */
const IN_RING = 118;

/** The size of a ring's word as a share of the board's width, so that it can be read on a phone; and up to which size it fits in a ring. */
const [LETTERS, FITS] = [0.036, 32];

/** How many places a hint rings. */
const AMONG = 3;

/** From how many of the nearest cells those are taken that are ringed with the right one. */
const NEAR = 8;

/**
 * The cell where a move ends: where the piece stands then, or the last cell that the move names. Null for a pass.
 * @param {GameInfo} game
 * @param {string[]} rows
 * @param {string} move
 * @param {Side} side
 */
export function endOf(game, rows, move, side) {
  const cells = new Set((game.cells ?? game.layout).flat());
  const { cell } = expected(rows, game, move, game.sides[side].symbol);
  return cell ?? parts(move, partNames(game)).filter((part) => cells.has(part)).at(-1) ?? null;
}

/**
 * Cells near `end` that a hint rings with it: far ones would give it away. Which ones depends on `ply` alone.
 * @param {GameInfo} game
 * @param {string[]} rows
 * @param {string} end
 * @param {(string | null)[]} cells where other moves end
 * @param {number} ply
 */
export function decoys(game, rows, end, cells, ply) {
  const [row, column] = find(game, rows, end) ?? [0, 0];
  const away = (/** @type {string} */ cell) => {
    const [r, c] = find(game, rows, cell) ?? [Infinity, Infinity];
    return Math.hypot(r - row, c - column);
  };
  const near = [...new Set(cells)].flatMap((cell) => (cell === null || cell === end ? [] : [cell])).sort((a, b) => away(a) - away(b)).slice(0, NEAR);
  const first = ply % Math.max(near.length, 1);
  return [...near.slice(first), ...near.slice(0, first)].slice(0, AMONG - 1);
}

/**
 * @param {GameInfo} game
 * @param {string[]} rows
 * @param {boolean} turned
 * @param {Ring[]} rings
 */
export function ringed(game, rows, turned, rings) {
  return rings.map(({ cell, kind, word }) => {
    const at = find(game, rows, cell);
    if (!at) return nothing;
    const place = placeOf(game, at[0], at[1], turned);
    const [x, y] = middleOf(place);
    const narrow = shapeOf(game) === "edges" && (at[0] + at[1]) % 2 === 1;
    const size = Math.max(30, Math.round(LETTERS * sizeOf(game)[0]));
    const free = rows[at[0]][at[1]] === "." && !narrow && size <= FITS;
    const letters = free && word ? Math.min(size, IN_RING / word.length) : size;
    const level = free ? y + letters / 3 : y < 2 * size ? y + 46 + size : y - 52; // within the ring, below or above it
    const half = narrow ? 24 : 42;
    const mark = (/** @type {string} */ name) => svg`<rect class=${name} x=${x - half} y=${y - half} width=${2 * half} height=${2 * half} rx="12"></rect>`; // no piece is square
    return svg`<g class="found-ring is-${kind}">
      ${mark("under")}${mark("")}
      ${kind === "right" ? svg`<circle class="badge-of" cx=${x + 33} cy=${y - 33} r="21"></circle><path class="tick" d="M${x + 23} ${y - 33}l8 8l13 -15"></path>` : nothing}
      ${word ? svg`<text x=${x} y=${level} font-size=${letters}>${word}</text>` : nothing}
    </g>`;
  });
}
