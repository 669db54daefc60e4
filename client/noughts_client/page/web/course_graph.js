// How a game went: who was better after each move, as a line with the mistakes as rings. Values, review and practice show it.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { bodyOf } from "./board.js";

/**
 * @typedef {import("./types.js").ReviewedMove} ReviewedMove
 * @typedef {import("./types.js").Side} Side
 * @typedef {{ply: number, share: number}} Point after so many moves, the share of the side that is better where the line
 *   is high, from 0 (lost) to 1 (won)
 */

/** The height of the drawing, and what is left above and below, in units that its style stretches. */
const [HIGH, EDGE] = [64, 10];

/**
 * What a side could expect after each move, as far as a review knows it.
 * @param {ReviewedMove[]} moves those that are known, the last first
 * @param {Side} side
 * @returns {Point[]}
 */
export function expectations(moves, side) {
  const ordered = [...moves].sort((one, other) => one.ply - other.ply);
  /** @type {Map<number, number>} */
  const shares = new Map();
  const enter = (/** @type {ReviewedMove} */ move, /** @type {number} */ ply, /** @type {ReviewedMove["before"]} */ { expected }) => {
    if (expected !== null) shares.set(ply, move.side === side ? expected : 1 - expected);
  };
  // Two moves tell of the position between them. A proof counts more than an estimate, and the later of two alike.
  for (const move of ordered) enter(move, move.ply + 1, move.after);
  const after = new Map(ordered.map((move) => [move.ply + 1, move.after.result]));
  for (const move of ordered) if (move.before.result !== null || after.get(move.ply) == null) enter(move, move.ply, move.before);
  return [...shares].map(([ply, share]) => ({ ply, share })).sort((one, other) => one.ply - other.ply);
}

/**
 * The parts of a course without a gap: nobody knows what was between two others.
 * @param {Point[]} points in order
 * @returns {Point[][]}
 */
export function runsOf(points) {
  /** @type {Point[][]} */
  const runs = [];
  for (const point of points) {
    const run = runs.at(-1);
    if (run && run[run.length - 1].ply === point.ply - 1) run.push(point);
    else runs.push([point]);
  }
  return runs;
}

/**
 * @param {Point[]} points in order
 * @param {number} plies of the whole game
 * @param {{label: string, says: [string, string], game: import("./types.js").GameInfo, side: Side, mistakes?: ReviewedMove[], at: number | null, go?: (ply: number) => void}} what
 *   `says` stands above it, left and right; `side` is better the higher the line is, and has its colour there; `at` is the ply that is looked at, `go` where a click leads; a mistake is a dot
 *   of a stroke's width, which stays round when the drawing is stretched
 */
export function courseGraph(points, plies, { label, says, game, side, mistakes = [], at, go }) {
  if (plies === 0) return nothing;
  const y = (/** @type {number} */ share) => (HIGH - EDGE - share * (HIGH - 2 * EDGE)).toFixed(1);
  const runs = points.length > 1 ? runsOf(points) : []; // until then only its place is drawn, so that nothing moves when it comes
  const along = (/** @type {Point[]} */ run) => run.map(({ ply, share }) => `${ply} ${y(share)}`).join("L");
  const area = runs.map((run) => `M${run[0].ply} ${HIGH / 2}L${along(run)}V${HIGH / 2}Z`).join("");
  const clicked = (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (/** @type {Element} */ (event.currentTarget).firstElementChild).getBoundingClientRect();
    go?.(Math.max(0, Math.min(plies, Math.round(((event.clientX - box.left) / box.width) * plies))));
  };
  return html`<figure class="course ${go ? "leads" : ""}">
    <figcaption><span>${says[0]}</span> <span>${says[1]}</span></figcaption>
    <div class="drawing" @click=${clicked}>
      <svg viewBox="0 0 ${plies} ${HIGH}" preserveAspectRatio="none" role="img" aria-label=${label}>
        <clipPath id="course-up"><rect width=${plies} height=${HIGH / 2}></rect></clipPath>
        <clipPath id="course-down"><rect y=${HIGH / 2} width=${plies} height=${HIGH / 2}></rect></clipPath>
        <path class="area ${bodyOf(game, side)}" clip-path="url(#course-up)" d=${area}></path>
        <path class="area ${bodyOf(game, side === "first" ? "second" : "first")}" clip-path="url(#course-down)" d=${area}></path>
        <path class="middle" d="M0 ${HIGH / 2}H${plies}"></path>
        ${at === null ? nothing : svg`<path class="now" d="M${at} 0V${HIGH}"></path>`}
        <path class="line" d=${runs.map((run) => `M${along(run)}h0`).join("")}></path>
        ${mistakes.map(({ ply }) => {
          const point = points.find((each) => each.ply === ply + 1);
          const spot = point && `M${point.ply} ${y(point.share)}h0`;
          return spot ? svg`<path class="fault ${ply === at ? "now" : ""}" d=${spot}></path><path class="within" d=${spot}></path>` : nothing;
        })}
      </svg>
    </div>
  </figure>`;
}
