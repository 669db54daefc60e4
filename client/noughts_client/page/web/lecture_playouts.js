// A Monte-Carlo tree search step by step: what it knows after so many steps, in words and in its tree.

import { nothing, svg } from "./vendor/lit-html/lit-html.js";
import { HEIGHT } from "./lecture_layout.js";
import { shapeOf } from "./lecture_nodes.js";
import { lecture as text } from "./lecture_texts.js";

/**
 * @typedef {import("./lecture_layout.js").Trace} Trace
 * @typedef {import("./lecture_layout.js").Layout} Layout
 * @typedef {import("./lecture_layout.js").Step} Step
 * @typedef {import("./lecture_layout.js").Term} Term
 * @typedef {{seen: boolean, visits: number, points: number, way: boolean, term: Term | null, best: boolean}} Known
 */

/**
 * What is known of each node after the first `count` steps. `points` are for the side that moved there; `way`: the present
 * iteration goes through it; `term` is what it has where a child is being selected, `best` if it is the one.
 * @param {Trace} trace
 * @param {number} count
 * @returns {Known[]}
 */
export function replay({ nodes, steps }, count) {
  /** @type {Known[]} */
  const known = nodes.map((_, index) => ({ seen: index === 0, visits: 0, points: 0, way: false, term: null, best: false }));
  const above = function* (/** @type {number | undefined} */ node) {
    for (; node !== undefined; node = nodes[node].parent) yield node;
  };
  for (const step of steps.slice(0, count)) {
    if (step.step === "expand") known[step.node].seen = true;
    if (step.step !== "back_up") continue;
    for (const node of above(step.node)) {
      const { parent } = nodes[node];
      known[node].visits += 1;
      if (parent !== undefined) known[node].points += nodes[parent].player === "max" ? (step.value ?? 0) : 1 - (step.value ?? 0);
    }
  }
  const last = steps[count - 1];
  if (last === undefined) return known;
  for (const node of above(last.step === "select" ? last.child : last.node)) known[node].way = true;
  if (last.step === "select") {
    for (const term of last.terms ?? []) Object.assign(known[term.child], { term, best: term.child === last.child });
  }
  return known;
}

/**
 * How many nodes the tree has after the first `count` steps: they are in the order in which they were added.
 * @param {Trace} trace
 * @param {number} count
 */
export const grown = ({ steps }, count) => 1 + steps.slice(0, count).filter(({ step }) => step === "expand").length;

/**
 * The playout that the last of `count` steps is about: the end of it, null if there is none to see.
 * @param {Trace} trace
 * @param {number} count
 */
export function playoutAt({ steps }, count) {
  const step = steps[count - 1];
  const found = step?.step === "back_up" ? steps[count - 2] : step;
  return found?.step === "playout" ? found : null;
}

/** @param {number} points */
export const halves = (points) => `${Math.floor(points) || (points % 1 ? "" : 0)}${points % 1 ? "½" : ""}`;

/**
 * The move to a node, as people write it.
 * @param {Trace} trace
 * @param {number} node
 */
const moveOf = ({ nodes }, node) => nodes[node].name ?? nodes[node].move ?? "";

/**
 * The last of `count` steps in a sentence.
 * @param {Trace} trace
 * @param {number} count
 */
export function words(trace, count) {
  const step = trace.steps[count - 1];
  const known = replay(trace, count);
  switch (step.step) {
    case "select": {
      const best = /** @type {Term} */ (step.terms?.find(({ child }) => child === step.child));
      return text.selected(moveOf(trace, best.child), decimal(best.mean + best.bonus));
    }
    case "expand":
      return text.expanded(moveOf(trace, step.node));
    case "playout":
      return text.played(resultOf(step), step.moves?.length ?? 0);
    default:
      return text.backedUp(resultOf(step), known.filter(({ way }) => way).length);
  }
}

/** @param {Step} step */
export const resultOf = ({ value }) => (value === 1 ? text.maxWins : value === 0 ? text.minWins : text.drawn);

/** @param {number} value */
const decimal = (value) => value.toFixed(2);

/** What the playouts have found in the end. @param {Trace} trace */
export function closing(trace) {
  const known = replay(trace, trace.total);
  const best = trace.nodes.findIndex(({ parent, move }) => parent === 0 && move === trace.best);
  if (best < 0) return "";
  const { visits, points } = known[best];
  return text.sampled(moveOf(trace, best), visits, known[0].visits, Math.round((100 * points) / visits));
}

/**
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {number} count
 * @param {import("./lecture_nodes.js").Part} part
 */
export function parts(trace, layout, count, part) {
  const known = replay(trace, count);
  const last = trace.steps[count - 1];
  const now = last?.step === "select" ? last.child : last?.node;
  const best = count === trace.total ? trace.nodes.findIndex(({ parent, move }) => parent === 0 && move === trace.best) : -1;
  return [
    trace.nodes.map((place, index) => {
      const { seen, way } = known[index];
      const { x, top } = layout;
      return part(index, [seen, way, index === best, x[index], top[index], x[place.parent ?? 0]], () => {
        if (place.parent === undefined || !seen) return nothing;
        return svg`<line class="edge seen ${index === best ? "chosen" : way ? "path" : ""}" x1=${layout.x[place.parent]} y1=${layout.top[place.parent] + layout.board + HEIGHT}
          x2=${layout.x[index]} y2=${layout.top[index]}></line>`;
      });
    }),
    trace.nodes.map((place, index) => {
      const { seen, visits, points, term, best: selected } = known[index];
      return part(trace.nodes.length + index, [seen, visits, points, term?.mean, term?.bonus, selected, index === now, layout.x[index]], () => {
        if (!seen) return nothing;
        const [x, top] = [layout.x[index], layout.top[index]];
        const figures = place.parent === undefined ? String(visits) : `${halves(points)}/${visits}`;
        return svg`<g class="node seen ${place.player ?? "end"} ${index === now ? "now" : ""}" data-node=${index}>
          ${shapeOf(layout, place, index, visits ? figures : "", index === now, moveOf(trace, index))}
          ${term
            ? svg`<text class="term" x=${x} y=${top - 32}>${decimal(term.mean)} + ${decimal(term.bonus)}</text>
                ${selected ? svg`<rect class="bound" x=${x - 37} y=${top - 27} width="74" height="23" rx="6"></rect>` : nothing}
                <text class="term sum ${selected ? "best" : ""}" x=${x} y=${top - 10}>= ${decimal(term.mean + term.bonus)}</text>`
            : nothing}
        </g>`;
      });
    }),
  ];
}
