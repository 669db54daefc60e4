// How a reviewed game went, for one side: the result that it could expect before each move, with its mistakes as rings.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";

/**
 * @typedef {import("./types.js").ReviewedMove} ReviewedMove
 * @typedef {import("./types.js").Side} Side
 */

const [WIDE, HIGH, EDGE] = [352, 64, 10];

/**
 * @param {ReviewedMove[]} moves all moves of the game
 * @param {Side} side the side that is better where the line is high
 * @param {{label: string, ahead: string, count: string, mistakes: ReviewedMove[], at: number | null, go?: (ply: number) => void}} what
 */
export function courseGraph(moves, side, { label, ahead, count, mistakes, at, go }) {
  const ordered = [...moves].sort((one, other) => one.ply - other.ply);
  const last = ordered.at(-1);
  /** @type {Map<number, number>} */
  const chances = new Map();
  const enter = (/** @type {ReviewedMove} */ move, /** @type {number} */ ply, /** @type {ReviewedMove["before"]} */ { expected }) => {
    if (expected !== null) chances.set(ply, move.side === side ? expected : 1 - expected);
  };
  // Two moves tell of the position between them. A proof counts more than an estimate, and the later of two alike.
  for (const move of ordered) enter(move, move.ply + 1, move.after);
  for (const move of ordered) if (move.before.result !== null || ordered[move.ply - 1]?.after.result == null) enter(move, move.ply, move.before);
  const known = [...chances].map(([ply, chance]) => ({ ply, chance })).sort((one, other) => one.ply - other.ply);
  if (!last || known.length < 2) return nothing;
  const x = (/** @type {number} */ ply) => (ply / (last.ply + 1)) * (WIDE - 2 * EDGE) + EDGE;
  const y = (/** @type {number} */ chance) => HIGH - EDGE - chance * (HIGH - 2 * EDGE);
  const line = known.map(({ ply, chance }) => `${x(ply).toFixed(1)} ${y(chance).toFixed(1)}`).join("L");
  const [begin, end] = [x(known[0].ply), x(known[known.length - 1].ply)];
  const middle = y(0.5);
  const clicked = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const ply = Math.round((((event.clientX - box.left) / box.width) * WIDE - EDGE) / ((WIDE - 2 * EDGE) / (last.ply + 1)));
    go?.(Math.max(0, Math.min(ply, last.ply + 1)));
  };
  return html`<figure class="course ${go ? "leads" : ""}">
    <figcaption><span>↑ ${ahead}</span><span>${count}</span></figcaption>
    <svg viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label=${label} @click=${clicked}>
      <clipPath id="course-up"><rect x="0" y="0" width=${WIDE} height=${middle}></rect></clipPath>
      <clipPath id="course-down"><rect x="0" y=${middle} width=${WIDE} height=${HIGH - middle}></rect></clipPath>
      <path class="up" clip-path="url(#course-up)" d="M${begin} ${middle}L${line}L${end} ${middle}Z"></path>
      <path class="down" clip-path="url(#course-down)" d="M${begin} ${middle}L${line}L${end} ${middle}Z"></path>
      <path class="middle" d="M0 ${middle}H${WIDE}"></path>
      ${at === null ? nothing : svg`<path class="now" d="M${x(at)} 0V${HIGH}"></path>`}
      <path class="line" d="M${line}"></path>
      ${mistakes.map((move) => {
        const chance = chances.get(move.ply + 1);
        return chance === undefined
          ? nothing
          : svg`<circle class=${move.ply === at ? "fault now" : "fault"} cx=${x(move.ply + 1)} cy=${y(chance)} r="5"></circle>`;
      })}
    </svg>
  </figure>`;
}
