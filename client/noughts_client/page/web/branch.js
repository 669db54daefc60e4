// A game as a tree of moves: its line, and the branches that were tried. Pure.

/**
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").Outcome} Outcome
 * @typedef {import("./types.js").Place & {move?: string, text: string, legal_moves: string[], outcome: Outcome | null, number?: number}} Position
 * @typedef {import("./marks.js").Mark} Mark
 * @typedef {{move: string, parent: Branch | null, children: Branch[], played: boolean, position: Position | null,
 *            analysis: Analysis | null, marks: Mark[]}} Branch
 *
 * A branch is the position after a move, and what was tried from there: the first child goes on with the line, the others
 * are variations. `played` are the moves of the game itself, which stay. `position` is null until the server has told it.
 */

/** The most moves in a tree that somebody else has written. */
export const MOST = 1000;

/** What is written is not a tree of moves. */
export class BadTree extends Error {}

/** @returns {Branch} the start of a game */
export function root() {
  return { move: "", parent: null, children: [], played: true, position: null, analysis: null, marks: [] };
}

/**
 * The branch with `move` after `branch`, a new one if there is none.
 * @param {Branch} branch
 * @param {string} move
 * @param {boolean} [played]
 * @returns {Branch}
 */
export function add(branch, move, played = false) {
  const known = branch.children.find((child) => child.move === move);
  if (known) return known;
  /** @type {Branch} */
  const child = { ...root(), move, parent: branch, played };
  branch.children.push(child);
  return child;
}

/**
 * From the start to `branch`.
 * @param {Branch} branch
 * @returns {Branch[]}
 */
export function wayTo(branch) {
  const way = [];
  for (let at = /** @type {Branch | null} */ (branch); at !== null; at = at.parent) way.unshift(at);
  return way;
}

/**
 * The line through `branch`: from the start to it, and on to where its first children end.
 * @param {Branch} branch
 * @returns {Branch[]}
 */
export function lineThrough(branch) {
  const line = wayTo(branch);
  for (let at = branch.children[0]; at; at = at.children[0]) line.push(at);
  return line;
}

/**
 * Whether `branch` lies on the first line of the whole tree.
 * @param {Branch} branch
 */
export function isMain(branch) {
  return wayTo(branch).every((at) => at.parent === null || at.parent.children[0] === at);
}

/**
 * Make the line to `branch` the first one.
 * @param {Branch} branch
 */
export function promote(branch) {
  for (let at = branch; at.parent !== null; at = at.parent) {
    at.parent.children = [at, ...at.parent.children.filter((child) => child !== at)];
  }
}

/**
 * Take `branch`, and all that follows it, out of the tree. A move of the game itself stays.
 * @param {Branch} branch
 * @returns {Branch} where it began
 */
export function remove(branch) {
  if (branch.parent === null || branch.played) return branch;
  branch.parent.children = branch.parent.children.filter((child) => child !== branch);
  return branch.parent;
}

/**
 * All branches below `branch`, its own line first.
 * @param {Branch} branch
 * @returns {Generator<Branch>}
 */
export function* below(branch) {
  const ahead = [...branch.children].reverse();
  for (let at = ahead.pop(); at; at = ahead.pop()) {
    yield at;
    ahead.push(...[...at.children].reverse());
  }
}

/**
 * Where a branch is: how many moves along first children, then the number of a child, and so on: `12`, or `12.1.3`.
 * @param {Branch} branch
 */
export function placeOf(branch) {
  const steps = [0];
  for (const at of wayTo(branch)) {
    const index = at.parent === null ? -1 : at.parent.children.indexOf(at);
    if (index === 0) steps[steps.length - 1]++;
    else if (index > 0) steps.push(index, 0);
  }
  return steps.join(".");
}

/**
 * The branch at a place. Raises BadTree.
 * @param {Branch} start
 * @param {string} place
 */
export function branchAt(start, place) {
  if (!/^\d{1,4}(\.\d{1,4}\.\d{1,4}){0,100}$/.test(place)) throw new BadTree();
  let at = start;
  place.split(".").forEach((step, index) => {
    const [steps, child] = index % 2 ? [1, Number(step)] : [Number(step), 0];
    for (let count = 0; count < steps; count++) {
      if (!at.children[child]) throw new BadTree();
      at = at.children[child];
    }
  });
  return at;
}

/**
 * The tree as text: moves in order, a variation in brackets after the move that it replaces. What goes on from the moves
 * that were played is told by the ply where it begins: `@12 c7c5 g1f3`.
 * @param {Branch} start
 * @param {boolean} [whole] tell the moves that were played, too
 * @returns {string}
 */
export function written(start, whole = false) {
  if (whole) return start.children.length ? line(start.children[0], false).join(" ") : "";
  /** @type {string[]} */
  const words = [];
  let at = start;
  for (let ply = 0; ; ply++) {
    const tried = at.children.filter((child) => !child.played);
    for (const child of tried) words.push(...(ply || at.children.some((one) => one.played) || child !== tried[0] ? [`@${ply}`] : []), ...line(child, true));
    const on = at.children.find((child) => child.played);
    if (!on) return words.join(" ");
    at = on;
  }
}

/**
 * A branch and what follows it.
 * @param {Branch} branch
 * @param {boolean} alone whether its siblings are told elsewhere
 * @returns {string[]}
 */
function line(branch, alone) {
  /** @type {string[]} */
  const words = [];
  for (let at = /** @type {Branch | undefined} */ (branch), first = alone; at; first = false, at = at.children[0]) {
    words.push(escaped(at.move));
    const others = first || at.parent?.children[0] !== at ? [] : at.parent.children.slice(1);
    for (const other of others) words.push("(", ...line(other, true), ")");
  }
  return words;
}

/** @param {string} move */
function escaped(move) {
  return move.replace(/[%@()\s]/g, (sign) => encodeURIComponent(sign).replace(/[()@]/g, (same) => `%${same.charCodeAt(0).toString(16)}`));
}

/**
 * Add what `text` has to a tree. Raises BadTree.
 * @param {Branch} start
 * @param {string} text as `written`
 */
export function read(start, text) {
  const game = [start];
  for (let on = start.children[0]; on?.played; on = on.children[0]) game.push(on);
  /** @type {Branch[]} */
  const open = [];
  let at = start;
  let count = 0;
  for (const word of text.match(/[()]|[^\s()]+/g) ?? []) {
    if (word === "(") {
      if (at.parent === null) throw new BadTree();
      open.push(at);
      at = at.parent;
    } else if (word === ")") {
      const outer = open.pop();
      if (outer === undefined) throw new BadTree();
      at = outer;
    } else if (/^@\d{1,4}$/.test(word) && open.length === 0) {
      const from = game[Number(word.slice(1))];
      if (from === undefined) throw new BadTree();
      at = from;
    } else {
      if (++count > MOST) throw new BadTree();
      at = add(at, unescaped(word));
    }
  }
  if (open.length) throw new BadTree();
}

/** @param {string} word */
function unescaped(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new BadTree();
  }
}

/**
 * @typedef {{kind: "move", branch: Branch, depth: number, number: string} | {kind: "open" | "close", depth: number}} Entry
 *
 * What the list of moves shows, one after the other: a move, perhaps with a number before it, or the beginning and the end
 * of a variation.
 */

/**
 * @param {Branch} start
 * @returns {Entry[]}
 */
export function listed(start) {
  /** @type {Entry[]} */
  const entries = [];
  /** @type {Map<Branch, {side: string, turn: number}>} */
  const known = new Map();
  /** @type {{branch: Branch | undefined, depth: number, fresh: boolean, alone: boolean}[]} */
  const ahead = [{ branch: start.children[0], depth: 0, fresh: true, alone: false }];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { branch, depth, fresh, alone } = next;
    if (branch === undefined) {
      if (depth) entries.push({ kind: "close", depth });
      continue;
    }
    if (alone) entries.push({ kind: "open", depth });
    entries.push({ kind: "move", branch, depth, number: numberOf(branch, fresh || alone, known) });
    const others = alone || branch.parent?.children[0] !== branch ? [] : branch.parent.children.slice(1);
    ahead.push({ branch: branch.children[0], depth, fresh: others.length > 0, alone: false });
    for (const other of [...others].reverse()) ahead.push({ branch: other, depth: depth + 1, fresh: true, alone: true });
  }
  return entries;
}

/**
 * The number before a move: of the turn, where a new one begins, or where the line begins anew.
 * @param {Branch} branch
 * @param {boolean} fresh
 * @param {Map<Branch, {side: string, turn: number}>} known of the moves before
 */
function numberOf(branch, fresh, known) {
  const parent = /** @type {Branch} */ (branch.parent);
  const before = known.get(parent);
  const side = parent.position?.to_move ?? (before?.side === "first" ? "second" : "first");
  const begins = !before || side === "first" || before.side === "second";
  const turn = (before ? before.turn : (parent.position?.number ?? 1) - 1) + Number(begins);
  known.set(branch, { side, turn });
  if (side === "first") return `${turn}.`;
  return begins || fresh ? `${turn}…` : "";
}
