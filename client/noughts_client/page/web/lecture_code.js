// The pseudo-code of each search, and the line of it that a step has reached. Pure.

/**
 * @typedef {import("./lecture_layout.js").Trace} Trace
 * @typedef {import("./lecture_layout.js").Step} Step
 * @typedef {Step["step"] | "search" | "leaf" | "known" | "take" | "narrow" | "cut" | "return" | ""} Part what a line does
 * @typedef {{words: string, indent: number, part: Part, player: "max" | "min" | null}} Line
 */

/** Monte-Carlo tree search: `w` points for the side that moved to a node, `n` playouts. @type {Line[]} */
const PLAYOUTS = /** @type {[number, string, Part][]} */ ([
  [0, "repeat for each playout:", ""],
  [1, "node ← the root", ""],
  [1, "while all moves of node are tried:", ""],
  [2, "node ← the child with the greatest", "select"],
  [3, "w/n + √(2 · ln n(node) / n)", "select"],
  [1, "unless the game is over:", ""],
  [2, "node ← a new child of node", "expand"],
  [1, "result ← random moves to the end", "playout"],
  [1, "for node and all nodes above it:", ""],
  [2, "n ← n + 1", "back_up"],
  [2, "w ← w + result for who moved there", "back_up"],
  [0, "return the move with the greatest n", "return"],
]).map(([indent, words, part]) => ({ indent, words, part, player: null }));

/**
 * A search in the words of the textbooks.
 * @param {Pick<Trace, "search" | "strict" | "depth">} trace
 * @returns {Line[]}
 */
export function codeOf({ search, strict, depth }) {
  if (search === "mcts") return PLAYOUTS;
  const prunes = search !== "minimax";
  const window = prunes ? ", α, β" : "";
  /** @type {Line[]} */
  const lines = [];
  const add = (/** @type {number} */ indent, /** @type {string} */ words, /** @type {Part} */ part = "", /** @type {Line["player"]} */ player = null) =>
    lines.push({ words, indent, part, player });
  add(0, `search(node${window})`, "search");
  add(1, depth === null ? "if leaf: return its value" : "if leaf or deep enough: return its value", "leaf");
  if (search === "table") add(1, "if the table knows enough: return that", "known");
  for (const player of /** @type {const} */ (["max", "min"])) {
    const [sign, bound] = player === "max" ? ["−∞", "α"] : ["+∞", "β"];
    add(1, `if ${player.toUpperCase()} moves:`, "", player);
    add(2, `v ← ${sign}`, "", player);
    add(2, search === "ordered" ? "for each child, the best estimate first:" : "for each child:", "", player);
    add(3, `v ← ${player}(v, search(child${window}))`, "take", player);
    if (prunes) {
      add(3, `${bound} ← ${player}(${bound}, v)`, "narrow", player);
      add(3, `if α ${strict ? ">" : "≥"} β: cut the rest`, "cut", player);
    }
    add(2, search === "table" ? "return v, and keep it in the table" : "return v", "return", player);
  }
  return lines;
}

/**
 * The lines that the last of `count` steps ran: none before the first.
 * @param {Trace} trace
 * @param {number} count
 * @param {boolean} asked whether the reader is asked now if the rest is cut
 * @returns {number[]}
 */
export function linesAt(trace, count, asked = false) {
  const lines = codeOf(trace);
  if (count === 0) return [];
  const step = trace.steps[count - 1];
  if (trace.search === "mcts") {
    const part = count === trace.total ? "return" : step.step;
    return lines.flatMap((line, index) => (line.part === part ? [index] : []));
  }
  const { player } = trace.nodes[step.node];
  const at = (/** @type {Part} */ part) => lines.findIndex((line) => line.part === part && (line.player === null || line.player === player));
  if (count === trace.total) return [at("return")];
  if (asked || step.step === "cut") return [at("cut")];
  if (step.step === "enter") return [at(step.end === undefined ? "search" : step.end === "table" ? "known" : "leaf")];
  return trace.search === "minimax" ? [at("take")] : [at("take"), at("narrow")];
}

/**
 * The nodes above the one where the search is, by the line in which each waits for its child: their names, if they have any.
 * @param {Trace} trace
 * @param {number} count
 * @returns {Map<number, string[]>}
 */
export function waitingAt(trace, count) {
  /** @type {Map<number, string[]>} */
  const waiting = new Map();
  if (count === 0 || trace.search === "mcts") return waiting;
  const lines = codeOf(trace);
  for (let node = trace.nodes[trace.steps[count - 1].node].parent; node !== undefined; node = trace.nodes[node].parent) {
    const { player, name, parent, move } = trace.nodes[node];
    const line = lines.findIndex((each) => each.part === "take" && each.player === player);
    const label = name ?? (trace.tree === undefined && parent !== undefined ? move : undefined) ?? "";
    waiting.set(line, [label, ...(waiting.get(line) ?? [])]);
  }
  return waiting;
}
