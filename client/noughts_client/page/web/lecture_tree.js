// The tree of a trace as an SVG, and what a search knows of it after so many steps.

import { html, noChange, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { HEIGHT, LARGE, layoutOf } from "./lecture_layout.js";
import { shapeOf } from "./lecture_nodes.js";
import * as playouts from "./lecture_playouts.js";
import { lecture as text } from "./lecture_texts.js";

/**
 * @typedef {import("./lecture_layout.js").Place} Place
 * @typedef {import("./lecture_layout.js").Step} Step
 * @typedef {import("./lecture_layout.js").Trace} Trace
 * @typedef {import("./lecture_layout.js").Layout} Layout
 * @typedef {import("./lecture_nodes.js").Part} Part
 * @typedef {{seen: boolean, value: number | null, bound: string, estimated: boolean, alpha: number | null,
 *            beta: number | null, open: boolean, cut: Step | null, gone: boolean, best: number}} Known
 */

/** The smallest scale: a larger tree is scrolled. And the largest. */
const LEAST = 0.6;
const MOST = 1.75;

/**
 * What the search knows of each node after the first `count` steps, and the node where it is.
 * @param {Trace} trace
 * @param {number} count
 * @returns {{known: Known[], now: number | null}}
 */
export function replay(trace, count) {
  const { children } = layoutOf(trace);
  /** @type {Known[]} */
  const known = trace.nodes.map(() => ({
    seen: false, value: null, bound: "", estimated: false, alpha: null, beta: null, open: false, cut: null, gone: false, best: -1,
  }));
  for (const step of trace.steps.slice(0, count)) {
    const node = known[step.node];
    if (step.step === "cut") {
      node.cut = step;
      for (const child of children[step.node]) {
        if (step.moves?.includes(trace.nodes[child].move ?? "")) remove(known, children, child);
      }
      continue;
    }
    Object.assign(node, { seen: true, alpha: step.alpha, beta: step.beta, open: step.end === undefined });
    if (step.step === "enter") {
      node.value = step.value ?? null;
      node.estimated = step.end === "estimate";
      node.bound = step.bound === "upper" ? "≤" : step.bound === "lower" ? "≥" : "";
    } else {
      if (node.value !== step.value) node.best = step.child ?? -1;
      node.value = step.value ?? null;
      known[/** @type {number} */ (step.child)].open = false;
    }
  }
  return { known, now: count > 0 ? trace.steps[count - 1].node : null };
}

/**
 * @param {Known[]} known
 * @param {number[][]} children
 * @param {number} index
 */
function remove(known, children, index) {
  known[index].gone = true;
  for (const child of children[index]) remove(known, children, child);
}

/**
 * The last of the first `count` steps in a sentence.
 * @param {Trace} trace
 * @param {number} count
 */
export function words(trace, count) {
  if (count === 0) return trace.search === "mcts" ? text.beginPlayouts : text.begin;
  if (trace.search === "mcts") return playouts.words(trace, count);
  const step = trace.steps[count - 1];
  const who = whoIs(trace, step.node);
  if (step.step === "cut") return text.cut(who, inequality(trace, step), skipped(trace, step));
  const value = step.value === undefined ? "" : shown(step.value, 0);
  if (step.step === "enter") {
    if (step.end === undefined) return text.entered(who, trace.search === "minimax" ? "" : text.window(shown(step.alpha, -1), shown(step.beta, 1)));
    const bound = step.bound === "upper" ? "≤ " : step.bound === "lower" ? "≥ " : "";
    return text.ended(who, step.end, `${bound}${value}`);
  }
  const before = trace.steps.slice(0, count - 1).findLast(({ node, step: kind }) => node === step.node && kind !== "cut");
  const from = trace.steps.slice(0, count - 1).findLast(({ node, value: found }) => node === step.child && found !== undefined);
  const read = shown(from?.value ?? null, 0);
  if (before?.value === step.value && before?.step === "update") return text.stays(who, read, value);
  if (trace.search === "minimax") return text.becomes(who, read, value);
  const max = trace.nodes[step.node].player === "max";
  const [now, then] = max ? [step.alpha, before?.alpha] : [step.beta, before?.beta];
  const sign = max ? -1 : 1;
  return now === then ? text.becomes(who, read, value) : text.moved(who, read, max, shown(then, sign), shown(now, sign));
}

/**
 * What the search has found, and what it saved of the whole tree; empty before its last step.
 * @param {Trace} trace
 * @param {number} count
 * @param {Trace[]} traces those beside it, of which minimax knows how large the tree of a game is
 */
export function closing(trace, count, traces) {
  if (trace.search === "mcts") return count === trace.total ? playouts.closing(trace) : "";
  if (count !== trace.total || trace.value === null) return "";
  const { known } = replay(trace, count);
  const best = trace.nodes[known[0].best];
  const taken = best === undefined ? "" : (best.name ?? (trace.tree === undefined ? best.move : undefined) ?? text.branch(best.rank + 1));
  const all = trace.tree === undefined ? (traces.find(({ search, value }) => search === "minimax" && value !== null)?.visited ?? null) : nodesOf(trace);
  const proved = trace.tree === undefined && trace.depth === null && !trace.notes.length ? Math.sign(trace.value) : null;
  return `${taken ? text.closing(shown(trace.value, 0), taken, proved, movesTo(trace, known)) : ""} ${text.saved(text.searches[trace.search], trace.visited, all)}`.trim();
}

/**
 * How many moves the winner of a game makes on the best line; null if the line is not known to the end of the game.
 * @param {Trace} trace
 * @param {Known[]} known
 */
function movesTo(trace, known) {
  const winner = Number(trace.value) > 0 ? "max" : "min";
  let [node, moves] = [0, 0];
  for (; known[node].best >= 0; node = known[node].best) moves += Number(trace.nodes[node].player === winner);
  return trace.steps.some((step) => step.node === node && step.end === "end") ? moves : null;
}

/**
 * How many nodes of a tree of leaves are no deeper than the search goes.
 * @param {Trace} trace
 */
function nodesOf({ nodes, depth }) {
  /** @type {number[]} */
  const depths = [];
  for (const { parent } of nodes) depths.push(parent === undefined ? 0 : depths[parent] + 1);
  return depths.filter((each) => depth === null || each <= depth).length;
}

/**
 * How alpha and beta compare, as the search asks.
 * @param {Trace} trace
 * @param {{alpha?: number | null, beta?: number | null}} window
 * @param {boolean} cut
 */
export function comparison({ strict }, { alpha, beta }, cut) {
  const sign = cut ? (strict ? ">" : "≥") : strict ? "≤" : "<";
  return `α ${shown(alpha, -1)} ${sign} β ${shown(beta, 1)}`;
}

/**
 * A node in words: its player, its name, and the move to it.
 * @param {Trace} trace
 * @param {number} node
 */
export function whoIs(trace, node) {
  const place = trace.nodes[node];
  return trace.tree === undefined ? text.who(place.player, undefined, place.name ?? place.move) : text.who(place.player, place.name, undefined);
}

/**
 * Why a node was cut, in two numbers.
 * @param {Trace} trace
 * @param {Step} step
 */
function inequality({ strict }, { alpha, beta }) {
  return `${shown(alpha, -1)} ${strict ? ">" : "≥"} ${shown(beta, 1)}`;
}

/**
 * What was cut: the names or values of nodes, or the moves.
 * @param {Trace} trace
 * @param {Step} step
 */
function skipped(trace, step) {
  const { children } = layoutOf(trace);
  const found = new Map(children[step.node].map((child) => [trace.nodes[child].move, trace.nodes[child]]));
  const names = (step.moves ?? []).map((move, index) => {
    const place = found.get(move);
    return place === undefined || place.value === undefined ? (step.names?.[index] ?? move) : (place.name ?? shown(place.value, 0));
  });
  return names.length > 12 ? `${names.slice(0, 11).join(", ")}, …` : names.join(", ");
}

/**
 * A number, or for none the infinity of that sign.
 * @param {number | null | undefined} value
 * @param {number} sign
 */
export function shown(value, sign) {
  if (value === null || value === undefined) return sign < 0 ? "−∞" : "∞";
  return String(value).replace("-", "−");
}

/**
 * What each picture on the page shows: a key for each of its parts. A part whose key is the same is not drawn again,
 * since a tree may have thousands, of which a step changes a few.
 * @type {{trace: Trace, letter: number, keys: string[]}[]}
 */
const pictures = [];

/** The pictures are gone from the page. */
export function forget() {
  pictures.length = 0;
}

/**
 * The tree after the first `count` steps. It fits the room there is if it stays readable.
 * @param {Trace} trace
 * @param {number} count
 * @param {number} place the number of the picture on the page
 * @param {number | null} letters the least height of letters in pixels on a projector, which has larger ones
 * @param {boolean} asked whether the reader is asked now if the rest is cut
 * @param {boolean} beside whether there are others beside it, which begin at the same height
 */
export function treeView(trace, count, place, letters = null, asked = false, beside = false) {
  const samples = trace.search === "mcts";
  const layout = layoutOf(trace, samples ? playouts.grown(trace, count) : undefined, letters && !samples ? LARGE : undefined);
  const { width, height, letter } = layout;
  const smallest = letters === null ? LEAST : letters / letter;
  if (pictures[place]?.trace !== trace || pictures[place].letter !== letter) pictures[place] = { trace, letter, keys: [] };
  const { keys } = pictures[place];
  const part = (/** @type {number} */ number, /** @type {unknown[]} */ what, /** @type {() => unknown} */ make) => {
    const key = what.join();
    if (keys[number] === key) return noChange;
    keys[number] = key;
    return make();
  };
  const size = `--w: ${width}; --h: ${height}; --least: ${smallest}; --most: ${Math.max(MOST, smallest)}`;
  const parts = samples ? playouts.parts(trace, layout, count, part) : partsOf(trace, layout, count, asked, part);
  return html`<svg class="tree ${letter === LARGE ? "large" : ""}" viewBox="0 0 ${width} ${height}" preserveAspectRatio=${beside ? "xMidYMin" : nothing} .style=${size} role="img" aria-label=${text.treeLabel}>${parts}</svg>`;
}

/**
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {number} count
 * @param {boolean} asked
 * @param {Part} part
 */
function partsOf(trace, layout, count, asked, part) {
  const { known, now } = replay(trace, count);
  const chosen = new Set();
  if (count === trace.total) for (let node = known[0].best; node >= 0; node = known[node].best) chosen.add(node);
  const path = new Set();
  for (let node = now ?? undefined; node !== undefined && !chosen.size; node = trace.nodes[node].parent) path.add(node);
  const next = asked && now !== null ? layout.children[now].find((child) => !known[child].seen) : undefined;
  return [
    trace.nodes.map((place, index) => {
      const { seen, gone } = known[index];
      const cut = gone && !known[place.parent ?? index].gone;
      const way = chosen.has(index) ? "chosen" : path.has(index) ? "path" : "";
      return part(index, [seen, gone, cut, way], () => edge(trace, layout, known, way, place, index));
    }),
    trace.nodes.map((place, index) => {
      const what = Object.values({ ...known[index], cut: known[index].cut !== null, best: 0 });
      return part(trace.nodes.length + index, [...what, index === now, index === next], () =>
        node(trace, layout, known[index], place, index, index === now, index === next),
      );
    }),
  ];
}

/**
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {Known[]} known
 * @param {string} way
 * @param {Place} place
 * @param {number} index
 */
function edge(trace, layout, known, way, place, index) {
  if (place.parent === undefined || (trace.tree === undefined && !known[index].seen)) return nothing;
  const [x1, y1] = [layout.x[place.parent], layout.top[place.parent] + layout.board + HEIGHT];
  const [x2, y2] = [layout.x[index], layout.top[index] + (place.player || layout.board ? 0 : 6)];
  const mark = known[index].gone && !known[place.parent].gone;
  const [x, y] = [x1 + (x2 - x1) * 0.55, y1 + (y2 - y1) * 0.55];
  return svg`<line
      class="edge ${way} ${known[index].gone ? "gone" : ""} ${known[index].seen ? "seen" : ""}"
      x1=${x1} y1=${y1} x2=${x2} y2=${y2}></line>
    ${mark ? svg`<path class="cross" d="M${x - 12} ${y + 3}l18 -10m-12 18l18 -10"></path>` : nothing}`;
}

/**
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {Known} known
 * @param {Place} place
 * @param {number} index
 * @param {boolean} now
 * @param {boolean} asked whether the reader is asked if this branch is cut
 */
function node(trace, layout, known, place, index, now, asked) {
  if (trace.tree === undefined && !known.seen) return nothing;
  const x = layout.x[index];
  const top = layout.top[index] + layout.board;
  const kind = place.player ?? "end";
  const value = known.value ?? (trace.tree !== undefined && place.value !== undefined ? place.value : null);
  const label = value === null ? "" : `${known.bound}${known.estimated ? "~" : ""}${shown(value, 0)}`;
  const window = trace.search !== "minimax" && place.player && known.seen && !known.bound && !known.estimated;
  const beside = now ? 53 : 38; // outside of the triangle and of the ring
  const large = layout.letter === LARGE;
  const below = top + (kind === "max" ? 14 : 34) - (large ? 6 : 0);
  const mark = 0.6 * x + 0.4 * layout.x[place.parent ?? 0];
  const classes = `node ${kind} ${known.seen ? "seen" : ""} ${known.gone ? "gone" : ""} ${now ? "now" : ""}`;
  return svg`<g class=${classes} data-node=${index}>
    ${shapeOf(layout, place, index, label, now, nameOf(trace, place))}
    ${window
      ? svg`<text class="window ${known.open ? "open" : ""}" x=${x + beside} y=${below}>α ${shown(known.alpha, -1)}</text>
          <text class="window ${known.open ? "open" : ""}" x=${x + beside} y=${below + (large ? 29 : 19)}>β ${shown(known.beta, 1)}</text>`
      : nothing}
    ${known.cut ? why(trace, layout, known.cut, index) : nothing}
    ${asked ? svg`<circle class="ask" cx=${mark} cy=${top - 26} r="19"></circle><text class="asked" x=${mark} y=${top - 17}>?</text>` : nothing}
  </g>`;
}

/**
 * The name of a node in the picture, if it has one.
 * @param {Trace} trace
 * @param {Place} place
 */
const nameOf = (trace, place) => place.name ?? (trace.tree === undefined ? place.move : undefined);

/**
 * A cut: the bracket under what is gone, and why.
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {Step} cut
 * @param {number} index
 */
function why(trace, layout, cut, index) {
  const words = inequality(trace, cut);
  const { x, top, children } = layout;
  if (trace.tree === undefined) {
    const y = top[index] + layout.board + HEIGHT;
    return svg`<text class="why" x=${x[index]} y=${y + layout.letter + 3}>${words}</text>
      <text class="why" x=${x[index]} y=${y + 2 * layout.letter + 6}>${text.cutMoves(skipped(trace, cut))}</text>`;
  }
  const gone = children[index].filter((child) => cut.moves?.includes(trace.nodes[child].move ?? ""));
  /** @type {(child: number) => number[]} */
  const below = (child) => [child, ...children[child].flatMap(below)];
  const all = gone.flatMap(below);
  const [left, right] = [Math.min(...all.map((each) => x[each])) - 22, Math.max(...all.map((each) => x[each])) + 22];
  const y = Math.max(...all.map((each) => top[each])) + HEIGHT + 2;
  return svg`<path class="brace" d="M${left} ${y}v8H${right}v-8"></path>
    <text class="why" x=${(left + right) / 2} y=${y + 8 + layout.letter}>${words}</text>`;
}
