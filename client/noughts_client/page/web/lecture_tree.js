// The tree of a trace as an SVG, and what a search knows of it after so many steps.

import { html, noChange, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { lecture as text } from "./lecture_texts.js";

/**
 * @typedef {{parent?: number, rank: number, move?: string, player?: "max" | "min", name?: string, value?: number,
 *            estimate?: number, position?: string, rows?: string[], counts?: number[][]}} Place
 * @typedef {{step: "enter" | "update" | "cut", node: number, alpha: number | null, beta: number | null, child?: number,
 *            value?: number, end?: "leaf" | "end" | "estimate" | "table", bound?: "upper" | "lower", moves?: string[],
 *            names?: string[]}} Step
 * @typedef {{tree?: string, game?: string, search: "minimax" | "alphabeta" | "ordered" | "table", strict: boolean,
 *            depth: number | null, value: number | null, best: string | null, visited: number, ends: number,
 *            total: number, notes: string[], nodes: Place[], steps: Step[]}} Trace
 * @typedef {{seen: boolean, value: number | null, bound: string, estimated: boolean, alpha: number | null,
 *            beta: number | null, open: boolean, cut: Step | null, gone: boolean, best: number}} Known
 * @typedef {{x: number[], top: number[], width: number, height: number, children: number[][], board: number}} Layout
 */

const MARGIN = 16;
const HEIGHT = 52;
const FALL = 116;
const LINE = 17;
/** The smallest scale: a larger tree is scrolled. */
const LEAST = 0.6;
/** By how much a tree shrinks at most so that it fits in height as well. */
const SHRINKS = 0.8;

/** @type {WeakMap<Trace, Layout>} */
const layouts = new WeakMap();

/**
 * Where the nodes are: the middle and the upper edge of each.
 * @param {Trace} trace
 * @returns {Layout}
 */
export function layoutOf(trace) {
  const known = layouts.get(trace);
  if (known) return known;
  const { nodes } = trace;
  /** @type {number[][]} */
  const children = nodes.map(() => []);
  const depth = nodes.map(() => 0);
  const x = nodes.map(() => 0);
  nodes.forEach(({ parent }, index) => {
    if (parent === undefined) return;
    children[parent].push(index);
    depth[index] = depth[parent] + 1;
  });
  for (const list of children) list.sort((one, other) => nodes[one].rank - nodes[other].rank);
  /** How far the nodes reach to the right so far, by depth. @type {number[]} */
  const edges = [];
  const shift = (/** @type {number} */ index, /** @type {number} */ by) => {
    x[index] += by;
    for (const child of children[index]) shift(child, by);
  };
  const put = (/** @type {number} */ index) => {
    const level = depth[index];
    const below = children[index];
    for (const child of below) put(child);
    const [left, right] = halves(trace, nodes[index], below.length > 0);
    const free = (edges[level] ?? MARGIN) + left;
    const middle = below.length ? (x[below[0]] + x[below[below.length - 1]]) / 2 : free;
    x[index] = middle;
    if (middle < free) {
      shift(index, free - middle);
      for (let deeper = level + 1; deeper < edges.length; deeper++) edges[deeper] += free - middle;
    }
    edges[level] = x[index] + right;
  };
  put(0);
  const width = Math.max(...edges) + MARGIN;
  const board = isSmall(nodes[0]) ? rowsOf(nodes[0]).length * LINE + 6 : 0;
  const top = depth.map((level) => MARGIN + LINE + level * (FALL + board));
  const layout = { x, top, width, height: Math.max(...top) + board + HEIGHT + MARGIN, children, board };
  layouts.set(trace, layout);
  return layout;
}

/**
 * How much room a node needs to its left and right. Alpha and beta stand to the right of it.
 * @param {Trace} trace
 * @param {Place} place
 * @param {boolean} parent
 */
function halves(trace, { player }, parent) {
  const left = trace.tree === undefined ? 50 : player ? 40 : 27;
  return [left, player && parent ? 66 : left - 10 * Number(trace.tree === undefined)];
}

/**
 * The board of a node; empty in a tree of leaves and where it is too large.
 * @param {Place} place
 */
export function rowsOf({ position, rows }) {
  return rows ?? (position === undefined ? [] : position.split(" ")[0].split("/"));
}

/**
 * Whether a board is small enough to stand in the tree.
 * @param {Place} place
 */
export function isSmall(place) {
  const rows = rowsOf(place);
  return rows.length > 0 && Math.max(rows.length, rows[0].length) <= 4 && !place.counts;
}

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
 * The step before which `count` steps were made, in words.
 * @param {Trace} trace
 * @param {number} count
 */
export function words(trace, count) {
  if (count === 0) return text.begin;
  const step = trace.steps[count - 1];
  const who = whoIs(trace, step.node);
  const window = trace.search === "minimax" ? "" : `: ${text.window(shown(step.alpha, -1), shown(step.beta, 1))}`;
  if (step.step === "cut") return text.cut(who, condition(trace, step), skipped(trace, step));
  const value = step.value === undefined ? "" : shown(step.value, 0);
  if (step.step === "update") return `${who} = ${value}${window}`;
  if (step.end === undefined) return `${who}${window}`;
  const bound = step.bound === "upper" ? "≤ " : step.bound === "lower" ? "≥ " : "";
  return `${who}: ${text.ends[step.end]}${bound}${value}`;
}

/**
 * What the search has found, and what it saved of the whole tree; empty before its last step.
 * @param {Trace} trace
 * @param {number} count
 * @param {Trace[]} traces those beside it, of which minimax knows how large the tree of a game is
 */
export function closing(trace, count, traces) {
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
 * @param {{alpha: number | null, beta: number | null}} window
 * @param {boolean} cut
 */
export function comparison({ strict }, { alpha, beta }, cut) {
  const sign = cut ? (strict ? ">" : "≥") : strict ? "≤" : "<";
  return `alpha ${shown(alpha, -1)} ${sign} beta ${shown(beta, 1)}`;
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
 * Why a node was cut, beginning with what the node changed.
 * @param {Trace} trace
 * @param {Step} step
 */
export function condition(trace, step) {
  const [alpha, beta] = [shown(step.alpha, -1), shown(step.beta, 1)];
  return trace.nodes[step.node].player === "max"
    ? `alpha ${alpha} ${trace.strict ? ">" : "≥"} beta ${beta}`
    : `beta ${beta} ${trace.strict ? "<" : "≤"} alpha ${alpha}`;
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
 * A number, or for null the infinity of that sign.
 * @param {number | null} value
 * @param {number} sign
 */
export function shown(value, sign) {
  if (value === null) return sign < 0 ? "−∞" : "∞";
  return String(value).replace("-", "−");
}

/**
 * What each picture on the page shows: a key for each of its parts. A part whose key is the same is not drawn again,
 * since a tree may have thousands, of which a step changes a few.
 * @type {{trace: Trace, keys: string[]}[]}
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
 * @param {number} room in pixels
 * @param {number} place the number of the picture on the page
 * @param {number} smallest the smallest scale
 */
export function treeView(trace, count, room, place, smallest = LEAST) {
  const layout = layoutOf(trace);
  const { known, now } = replay(trace, count);
  const { width, height } = layout;
  const chosen = new Set();
  if (count === trace.total) for (let node = known[0].best; node >= 0; node = known[node].best) chosen.add(node);
  const least = width * smallest;
  if (pictures[place]?.trace !== trace) pictures[place] = { trace, keys: [] };
  const { keys } = pictures[place];
  const part = (/** @type {number} */ number, /** @type {unknown[]} */ what, /** @type {() => unknown} */ make) => {
    const key = what.join();
    if (keys[number] === key) return noChange;
    keys[number] = key;
    return make();
  };
  return html`<svg
    class="tree" viewBox="0 0 ${width} ${height}" .style=${`min-height: ${Math.min(1, room / width) * height * SHRINKS}px`} width=${least > room ? least : "100%"}
    height=${least > room ? height * smallest : nothing} role="img" aria-label=${text.treeLabel}
  >
    ${trace.nodes.map((place, index) => {
      const { seen, gone } = known[index];
      const cut = gone && !known[place.parent ?? index].gone;
      return part(index, [seen, gone, cut, chosen.has(index)], () => edge(trace, layout, known, chosen, place, index));
    })}
    ${trace.nodes.map((place, index) => {
      const what = Object.values({ ...known[index], cut: known[index].cut !== null, best: 0 });
      return part(trace.nodes.length + index, [...what, index === now], () =>
        node(trace, layout, known[index], place, index, index === now),
      );
    })}
  </svg>`;
}

/**
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {Known[]} known
 * @param {Set<number>} chosen
 * @param {Place} place
 * @param {number} index
 */
function edge(trace, layout, known, chosen, place, index) {
  if (place.parent === undefined || (trace.tree === undefined && !known[index].seen)) return nothing;
  const [x1, y1] = [layout.x[place.parent], layout.top[place.parent] + layout.board + HEIGHT];
  const [x2, y2] = [layout.x[index], layout.top[index] + (place.player || layout.board ? 0 : 6)];
  const mark = known[index].gone && !known[place.parent].gone;
  const [x, y] = [x1 + (x2 - x1) * 0.62, y1 + (y2 - y1) * 0.62];
  return svg`<line
      class="edge ${chosen.has(index) ? "chosen" : ""} ${known[index].gone ? "gone" : ""} ${known[index].seen ? "seen" : ""}"
      x1=${x1} y1=${y1} x2=${x2} y2=${y2}></line>
    ${mark ? svg`<path class="cross" d="M${x - 9} ${y - 6}l18 12m-18 0l18 -12"></path>` : nothing}`;
}

/**
 * @param {Trace} trace
 * @param {Layout} layout
 * @param {Known} known
 * @param {Place} place
 * @param {number} index
 * @param {boolean} now
 */
function node(trace, layout, known, place, index, now) {
  if (trace.tree === undefined && !known.seen) return nothing;
  const x = layout.x[index];
  const top = layout.top[index] + layout.board;
  const kind = place.player ?? "end";
  const value = known.value ?? (trace.tree !== undefined && place.value !== undefined ? place.value : null);
  const label = value === null ? "" : `${known.bound}${known.estimated ? "~" : ""}${shown(value, 0)}`;
  const name = place.name ?? (trace.tree === undefined ? place.move : undefined);
  const base = top + { end: 34, max: 43, min: 23 }[kind];
  const points = {
    end: `${x - 23},${top + 6} ${x + 23},${top + 6} ${x + 23},${top + 48} ${x - 23},${top + 48}`,
    max: `${x},${top} ${x + 36},${top + HEIGHT} ${x - 36},${top + HEIGHT}`,
    min: `${x - 36},${top} ${x + 36},${top} ${x},${top + HEIGHT}`,
  }[kind];
  const window = trace.search !== "minimax" && place.player && known.seen && !known.bound && !known.estimated;
  const half = kind === "end" ? 30 : 44;
  const beside = now ? [49, 49] : kind === "max" ? [20, 32] : [32, 20]; // along the sides of the triangle, outside of the ring
  const classes = `node ${kind} ${known.seen ? "seen" : ""} ${known.gone ? "gone" : ""} ${now ? "now" : ""}`;
  return svg`<g class=${classes} data-node=${index}>
    ${layout.board ? boardOf(place, x, layout.top[index]) : nothing}
    ${now ? svg`<rect class="ring" x=${x - half} y=${top - 7} width=${half * 2} height=${HEIGHT + 14} rx="12"></rect>` : nothing}
    <polygon points=${points}></polygon>
    <text class="value ${label.length > 4 ? "long" : ""}" x=${x} y=${base}>${label}</text>
    ${name ? svg`<text class="name" x=${layout.board ? x - 40 : x} y=${layout.board ? top - 10 : top - 9}>${name}</text>` : nothing}
    ${window
      ? svg`<text class="window ${known.open ? "open" : ""}" x=${x + beside[0]} y=${top + (kind === "max" ? 14 : 34)}>α ${shown(known.alpha, -1)}</text>
          <text class="window ${known.open ? "open" : ""}" x=${x + beside[1]} y=${top + (kind === "max" ? 31 : 51)}>β ${shown(known.beta, 1)}</text>`
      : nothing}
    ${known.cut ? why(trace, known.cut, x, top + HEIGHT) : nothing}
  </g>`;
}

/**
 * @param {Trace} trace
 * @param {Step} cut
 * @param {number} x
 * @param {number} y
 */
function why(trace, cut, x, y) {
  const left = trace.tree === undefined ? svg`<text class="why" x=${x} y=${y + 38}>${text.cutMoves(skipped(trace, cut))}</text>` : nothing;
  return svg`<text class="why" x=${x} y=${y + 20}>${condition(trace, cut).replace("alpha", "α").replace("beta", "β")}</text>${left}`;
}

/**
 * @param {Place} place
 * @param {number} x
 * @param {number} top
 */
function boardOf(place, x, top) {
  return rowsOf(place).map(
    (row, index) => svg`<text class="squares" x=${x} y=${top + 10 + index * LINE}>${[...row].map((cell) => (cell === "." ? "·" : cell)).join(" ")}</text>`,
  );
}
