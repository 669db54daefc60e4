// A node in the picture of a tree: its board, its shape, and what stands in it.

import { nothing, svg } from "./vendor/lit-html/lit-html.js";
import { HEIGHT, rowsOf } from "./lecture_layout.js";

/**
 * @typedef {import("./lecture_layout.js").Place} Place
 * @typedef {import("./lecture_layout.js").Layout} Layout
 * @typedef {(number: number, what: unknown[], make: () => unknown) => unknown} Part draws the part of a picture with this
 * number, if anything of what it shows has changed
 */

/**
 * The board of a node, its shape, and what stands in it.
 * @param {Layout} layout
 * @param {Place} place
 * @param {number} index
 * @param {string} label
 * @param {boolean} now
 * @param {string | undefined} name
 */
export function shapeOf(layout, place, index, label, now, name) {
  const x = layout.x[index];
  const top = layout.top[index] + layout.board;
  const kind = place.player ?? "end";
  const half = Math.max(kind === "end" ? 30 : 44, layout.board && (rowsOf(place)[0].length * layout.cell) / 2 + 8); // the ring is round the board, too
  const wide = Math.max(34, 0.6 * layout.letter * label.length); // of an end
  const points = {
    end: `M${x - wide / 2} ${top + 6}h${wide}a6 6 0 0 1 6 6v30a6 6 0 0 1 -6 6h-${wide}a6 6 0 0 1 -6 -6v-30a6 6 0 0 1 6 -6z`,
    max: `M${x} ${top}L${x + 36} ${top + HEIGHT}H${x - 36}z`,
    min: `M${x - 36} ${top}H${x + 36}L${x} ${top + HEIGHT}z`,
  }[kind];
  const at = layout.board ? [x - (now ? half + 8 : layout.cell * 2 - 2), layout.top[index] + 14] : kind === "max" ? [x - (now ? 50 : 24), top + 16] : [x - (now ? 50 : 42), top + 18];
  return svg`${layout.board ? boardOf(place, x, layout.top[index], layout) : nothing}
    ${now ? svg`<rect class="ring" x=${x - half} y=${layout.top[index] - 8} width=${half * 2} height=${layout.board + HEIGHT + 16} rx="12"></rect>` : nothing}
    <path class="shape" d=${points}></path>
    <text class="value ${label.length > 4 ? "long" : ""}" x=${x} y=${top + { end: 35, max: 44, min: 25 }[kind] + (layout.letter > 22 ? 3 : 0)}>${label}</text>
    ${name ? svg`<text class="name ${layout.board || place.player ? "" : "above"}" x=${layout.board || place.player ? at[0] : x} y=${layout.board || place.player ? at[1] : top}>${name}</text>` : nothing}`;
}

/**
 * A small board: its lines, and the pieces as they are written.
 * @param {Place} place
 * @param {number} x
 * @param {number} top
 * @param {Layout} layout
 */
function boardOf(place, x, top, { cell: size, letter }) {
  const rows = rowsOf(place);
  const [w, h] = [rows[0].length * size, rows.length * size];
  const left = x - w / 2;
  const lines = [
    ...rows.slice(1).map((_, row) => `M${left} ${top + (row + 1) * size}h${w}`),
    ...[...rows[0]].slice(1).map((_, column) => `M${left + (column + 1) * size} ${top}v${h}`),
  ];
  return svg`<path class="lines" d=${lines.join("")}></path>
    ${rows.flatMap((row, r) =>
      [...row].map((cell, c) =>
        cell === "." || cell === " " ? nothing : svg`<text class="piece-${cell}" x=${left + (c + 0.5) * size} y=${top + (r + 0.5) * size + 0.3 * letter}>${cell}</text>`,
      ),
    )}`;
}
