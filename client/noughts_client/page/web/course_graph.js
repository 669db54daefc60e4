// How a reviewed game went, for one side: the result that it could expect before each move, with its mistakes as rings.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";

/**
 * @typedef {import("./types.js").ReviewedMove} ReviewedMove
 * @typedef {import("./types.js").Side} Side
 */

const [WIDE, HIGH, EDGE] = [352, 92, 10];

/**
 * @param {ReviewedMove[]} moves all moves of the game
 * @param {Side} side the side that is better where the line is high
 * @param {{label: string, ahead: string, count: string, mistakes: ReviewedMove[], at: number | null, go?: (ply: number) => void}} what
 */
export function courseGraph(moves, side, { label, ahead, count, mistakes, at, go }) {
  const ordered = [...moves].sort((one, other) => one.ply - other.ply);
  const mine = (/** @type {ReviewedMove} */ move, /** @type {number | null} */ chance) => (chance === null ? null : move.side === side ? chance : 1 - chance);
  const points = ordered.map((move) => ({ ply: move.ply, chance: mine(move, move.before.expected) }));
  const last = ordered.at(-1);
  if (last) points.push({ ply: last.ply + 1, chance: mine(last, last.after.expected) });
  const known = /** @type {{ply: number, chance: number}[]} */ (points.filter(({ chance }) => chance !== null));
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
        const chance = mine(move, move.after.expected);
        return chance === null
          ? nothing
          : svg`<circle class=${move.ply === at ? "fault now" : "fault"} cx=${x(move.ply + 1)} cy=${y(chance)} r="5"></circle>`;
      })}
    </svg>
  </figure>`;
}
