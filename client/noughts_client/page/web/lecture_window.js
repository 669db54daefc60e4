// The window of a search, alpha to beta, on a line of numbers.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { shown, whoIs } from "./lecture_tree.js";
import { lecture as text } from "./lecture_texts.js";

const [WIDTH, LEFT, RIGHT] = [840, 230, 30];

/** The most numbers on the line. */
const TICKS = 15;

/**
 * The window where the search of a tree of leaves is after `count` steps; nothing where there is none, or no line to show it on.
 * @param {import("./lecture_layout.js").Trace} trace
 * @param {number} count
 */
export function windowView(trace, count) {
  const step = trace.steps[count - 1];
  if (trace.tree === undefined || trace.search === "minimax") return nothing;
  const values = trace.steps.flatMap(({ value, end }) => (value !== undefined && end ? [value] : []));
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  if (most - least < 1 || most - least > 60) return nothing;
  if (step === undefined) return html`<svg class="window-line" viewBox="0 0 ${WIDTH} 84" aria-hidden="true"></svg>`; // the place is kept, so that the tree stays
  const at = (/** @type {number} */ value) => LEFT + ((value - least) / (most - least)) * (WIDTH - LEFT - RIGHT);
  const every = Math.ceil((most - least + 1) / TICKS);
  const ticks = Array.from({ length: Math.floor((most - least) / every) + 1 }, (_, index) => least + index * every);
  const [alpha, beta] = [step.alpha ?? null, step.beta ?? null];
  const [who, limits] = [whoIs(trace, step.node), `α ${shown(alpha, -1)}, β ${shown(beta, 1)}`];
  const [from, to] = [alpha === null ? at(least) : at(alpha), beta === null ? at(most) : at(beta)];
  // The signs stand above their bars, outward: after a cut alpha is right of beta.
  const crossed = alpha !== null && beta !== null && alpha > beta;
  const limit = (/** @type {number | null} */ value, /** @type {"alpha" | "beta"} */ kind, /** @type {string} */ sign) => {
    const left = (kind === "alpha") !== crossed;
    return value === null ? nothing : svg`<path class=${kind} d="M${at(value)} 24v32"></path>
      <text class="${kind} ${left ? "left" : ""}" x=${at(value) + (left ? 3 : -3)} y="18">${sign}</text>`;
  };
  return html`<svg class="window-line" viewBox="0 0 ${WIDTH} 84" role="img" aria-label=${text.windowOf(who, limits)}>
    <text class="of" x="0" y="44">${who}</text><text class="limits" x="0" y="74">${limits}</text>
    ${from < to ? svg`<rect x=${from} y="36" width=${to - from} height="18"></rect>` : nothing}
    <path class="axis" d="M${at(least)} 54H${at(most)}${ticks.map((tick) => `M${at(tick)} 54v6`).join("")}"></path>
    ${ticks.map((tick) => svg`<text class="tick" x=${at(tick)} y="79">${String(tick).replace("-", "−")}</text>`)}
    ${limit(alpha, "alpha", "α")} ${limit(beta, "beta", "β")}
  </svg>`;
}
