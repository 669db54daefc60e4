// The pseudo-code of each search, and the line of it that a step has reached. Pure.

/**
 * @typedef {import("./lecture_tree.js").Trace} Trace
 * @typedef {import("./lecture_tree.js").Step} Step
 * @typedef {"search" | "leaf" | "known" | "take" | "narrow" | "cut" | "return" | ""} Part what a line does
 * @typedef {{words: string, indent: number, part: Part, player: "max" | "min" | null}} Line
 */

/**
 * A search in the words of the textbooks.
 * @param {Pick<Trace, "search" | "strict" | "depth">} trace
 * @returns {Line[]}
 */
export function codeOf({ search, strict, depth }) {
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
  if (count === 0) return waiting;
  const lines = codeOf(trace);
  for (let node = trace.nodes[trace.steps[count - 1].node].parent; node !== undefined; node = trace.nodes[node].parent) {
    const { player, name, parent, move } = trace.nodes[node];
    const line = lines.findIndex((each) => each.part === "take" && each.player === player);
    const label = name ?? (trace.tree === undefined && parent !== undefined ? move : undefined) ?? "";
    waiting.set(line, [label, ...(waiting.get(line) ?? [])]);
  }
  return waiting;
}
