// Where the nodes of a trace lie, in the picture of its tree. Pure.

/**
 * @typedef {{parent?: number, rank: number, move?: string, player?: "max" | "min", name?: string, value?: number,
 *            estimate?: number, position?: string, rows?: string[], counts?: number[][]}} Place
 * @typedef {"minimax" | "alphabeta" | "ordered" | "table" | "mcts"} Search
 * @typedef {{child: number, mean: number, bonus: number}} Term
 * @typedef {{step: "enter" | "update" | "cut" | "select" | "expand" | "playout" | "back_up", node: number,
 *            alpha?: number | null, beta?: number | null, child?: number, value?: number,
 *            end?: "leaf" | "end" | "estimate" | "table", bound?: "upper" | "lower", moves?: string[], names?: string[],
 *            terms?: Term[], rows?: string[]}} Step
 * @typedef {{tree?: string, game?: string, search: Search, strict: boolean, depth: number | null, value: number | null,
 *            best: string | null, visited: number, ends: number, total: number, notes: string[], nodes: Place[],
 *            steps: Step[]}} Trace
 * @typedef {{x: number[], top: number[], width: number, height: number, children: number[][], board: number,
 *            letter: number, cell: number}} Layout
 */

const MARGIN = 16;

/** The height of a node. */
export const HEIGHT = 52;

/** The height of letters, and of those on a projector, where the nodes have little more room than these need. */
const LETTER = 17;
export const LARGE = 30;

/** From the top of a node to that of its children, and the room for the terms of playouts above these. */
const FALL = 116;
const TERMS = 30;

/** Below the tree, for what is said of a cut. */
const FOOT = 34;

/** @type {Map<number, WeakMap<Trace, Layout>>} */
const layouts = new Map([LETTER, LARGE].map((letter) => [letter, new WeakMap()]));

/**
 * Where the nodes are: the middle and the upper edge of each.
 * @param {Trace} trace
 * @param {number} count how many of the nodes there are: the tree of playouts grows
 * @param {number} letter the height of letters
 * @returns {Layout}
 */
export function layoutOf(trace, count = trace.nodes.length, letter = LETTER) {
  const known = layouts.get(letter)?.get(trace);
  if (known?.x.length === count) return known;
  const nodes = trace.nodes.slice(0, count);
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
    const [left, right] = halves(trace, nodes[index], below.length > 0, letter);
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
  const large = letter > LETTER;
  const cell = large ? 23 : 19;
  const board = isSmall(nodes[0]) ? rowsOf(nodes[0]).length * cell + 6 : 0;
  const fall = FALL + (board ? board - 20 + 24 * Number(large) : 0) + (trace.search === "mcts" ? TERMS : 0);
  const top = depth.map((level) => MARGIN + 6 + level * fall);
  const layout = { x, top, width, height: Math.max(...top) + board + HEIGHT + FOOT + (large && !board ? 10 : 0), children, board, letter, cell };
  layouts.get(letter)?.set(trace, layout);
  return layout;
}

/**
 * How much room a node needs to its left and right. Alpha and beta stand to the right of it.
 * @param {Trace} trace
 * @param {Place} place
 * @param {boolean} parent
 * @param {number} letter
 */
function halves(trace, { player, name }, parent, letter) {
  if (trace.search === "mcts") return [58, 58];
  const wider = letter - LETTER;
  const left = trace.tree === undefined ? 58 + wider : player ? 40 + 0.65 * letter * (name?.length ?? 0) : 27;
  return [left, player && parent ? 66 + 2.5 * wider : left - (10 + wider) * Number(trace.tree === undefined)];
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

