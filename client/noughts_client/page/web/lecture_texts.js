// The English texts of the lecture.

import { counted, plurals } from "./texts.js";

export const lecture = {
  title: "Lecture",
  link: "A link to this lecture",
  steps: "Steps",
  step: "Step",
  first: "First step",
  back: "Step back",
  forward: "Step forward",
  last: "Last step",
  play: "Play",
  pause: "Pause",
  speed: "Speed",
  present: "Projector",
  subject: "What is searched, and how",
  of: "Show",
  tree: "A tree of leaves",
  leavesOf: "Leaves",
  moves: "Moves from the start",
  depth: "Depth",
  toTheEnd: "all",
  position: "The position where the search is",
  cutRule: "Cut where",
  show: "Show",
  compare: "Searches",
  examples: "Examples:",
  computing: "Searching …",
  treeLabel: "The tree of the search",
  begin: "Nothing is searched yet. All values are for MAX.",
  /** @param {string} search */
  treeOf: (search) => `Tree, ${search}`,
  searches: { minimax: "Minimax", alphabeta: "Alpha-beta", ordered: "Alpha-beta, ordered", table: "Alpha-beta, table" },
  /** @param {number} step @param {number} last */
  stepOf: (step, last) => `${step} of ${last}`,
  /** @param {number} speed */
  perSecond: (speed) => `${speed}/s`,
  /** @param {number} seen @param {number} all */
  visited: (seen, all) => `${seen.toLocaleString("en")} of ${counted(all, "node").replace(/\d+/, (digits) => Number(digits).toLocaleString("en"))}`,
  /** @param {number} ends */
  leaves: (ends) => `${ends.toLocaleString("en")} ${plurals.select(ends) === "one" ? "leaf" : "leaves"}`,
  /** @param {number} value */
  value: (value) => `value ${String(value).replace("-", "−")}`,
  /** @param {"max" | "min" | undefined} player @param {string | undefined} name @param {string | undefined} move */
  who: (player, name, move) =>
    [player === undefined ? "Leaf" : player.toUpperCase(), name, move && `after ${move}`].filter(Boolean).join(" "),
  /** @param {string} alpha @param {string} beta */
  window: (alpha, beta) => `alpha ${alpha}, beta ${beta}`,
  /** @param {string} who @param {string} why @param {string} rest */
  cut: (who, why, rest) => `${who}: ${why}: the rest (${rest}) cannot change the result`,
  /** @param {string} moves */
  cutMoves: (moves) => `cut: ${moves}`,
  code: "Pseudo-code",
  /** @param {string[]} names */
  waits: (names) => (names.some(Boolean) ? names.map((name) => name || "·").join(" ") : `×${names.length}`),
  /** @param {string[]} names */
  waiting: (names) => (names.some(Boolean) ? `${names.filter(Boolean).join(", ")} waits here` : `${counted(names.length, "node")} waiting here`),
  predict: "Predict",
  predictHelp: "Ask before each cut",
  /** @param {string} who */
  ask: (who) => `${who}: is the rest cut?`,
  /** @param {string} alpha @param {string} beta */
  askWindow: (alpha, beta) => `Alpha is ${alpha} and beta is ${beta}.`,
  cutIt: "Cut it",
  searchIt: "Search it",
  /** @param {boolean} right @param {boolean} cut @param {string} why */
  judged: (right, cut, why) => `${right ? "Right" : "No"}: ${why}, so the rest is ${cut ? "cut" : "searched"}.`,
  /** @param {number} right @param {number} asked */
  score: (right, asked) => `${right} of ${asked} right`,
  noQuestions: "Minimax cuts nothing: choose another search.",
  noneYet: "Go on: the next question comes by itself.",
  again: "Start again",
  /** @param {string} value @param {string} best @param {number | null} sign of a value that is proved @param {number | null} moves */
  closing: (value, best, sign, moves) => {
    if (sign === null) return `MAX takes ${best}: the value is ${value}.`;
    const how = sign === 0 ? "draws" : `${sign > 0 ? "wins" : "loses"}${moves === null ? "" : ` in ${counted(moves, "move")}`}`;
    return `MAX plays ${best} and ${how}: the value is ${value}.`;
  },
  /** @param {number} number */
  branch: (number) => `branch ${number}`,
  /** @param {string} search @param {number} seen @param {number | null} all */
  saved: (search, seen, all) => {
    const nodes = (/** @type {number} */ count) => counted(count, "node").replace(/\d+/, (digits) => Number(digits).toLocaleString("en"));
    if (all === null) return `${search} visited ${nodes(seen)}.`;
    if (all === seen) return `${search} visited all ${nodes(all)}.`;
    return `${search} visited ${seen.toLocaleString("en")} of ${nodes(all)}: ${(all - seen).toLocaleString("en")} saved.`;
  },
  ends: { leaf: "", end: "the game is over, ", estimate: "estimated ", table: "from the table, " },
  figures: [
    { name: "The textbook example", tree: "3,12,8/2,4,6/14,5,2" },
    { name: "Eight leaves", tree: "3,5/6,9//1,2/0,-1" },
    { name: "Named nodes", tree: "A(B(3,12,8),C(2,4,6),D(14,5,2))" },
    { name: "The same node twice", tree: "L(a(4,6/7,9),b(3,5)),R(c(1,2/8,9),a)" },
  ],
  notation: "How to write a tree",
  help: [
    "3,12,8/2,4,6/14,5,2 is a root with three children of three leaves each. A comma separates neighbours, a slash groups of them, two slashes groups of such groups: 3,5/6,9//1,2/0,-1 has eight leaves, three plies deep.",
    "Parentheses make any shape: (3,(5,6)),2. Nodes and leaves may have names: A(B(3,12),C(b=5,2)). A name alone is the node of that name once more, which a table knows when the search comes to it again at the same depth.",
    "B=4(3,12) gives a node the estimate 4. It counts where the search ends at a depth, and for the order of moves, in which nodes without an estimate count as 0.",
    "In the picture MAX points up and MIN points down. Dashed nodes have not been visited, faded ones were cut. Alpha and beta are beside each node; at a cut, the condition is below it. At the end the best line is thick.",
    "Keys: left and right step, space plays and pauses, Home and End go to the first and the last step. With Predict, C says that the rest is cut, and S that it is searched.",
  ],
};
