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
  another: "What is searched",
  of: "Show",
  tree: "A tree of leaves",
  leavesOf: "Leaves",
  start: "Position as text",
  fromStart: "the start of the game",
  moves: "Moves from there",
  playouts: "Playouts",
  seed: "Seed",
  depth: "Depth",
  toTheEnd: "all",
  position: "The position where the search is",
  cutRule: "Cut where",
  show: "Show",
  compare: "Searches",
  several: "Side by side",
  more: (/** @type {number} */ count) => ["", "One search", "Two searches", "Three searches", "Four searches", "Five searches"][count],
  examples: "Examples:",
  computing: "Searching …",
  treeLabel: "The tree of the search",
  begin: "Nothing is searched yet. All values are for MAX.",
  beginPlayouts: "No game is played yet. Each node has points and playouts, for who moved there.",
  /** @param {string} search */
  treeOf: (search) => `Tree, ${search}`,
  searches: { minimax: "Minimax", alphabeta: "Alpha-beta", ordered: "Alpha-beta, best first", table: "Alpha-beta, table", mcts: "Monte-Carlo tree search" },
  short: { minimax: "Minimax", alphabeta: "Alpha-beta", ordered: "Best first", table: "Table", mcts: "Monte-Carlo" },
  /** @param {number} step @param {number} last */
  stepOf: (step, last) => `${step} of ${last}`,
  /** @param {number} speed */
  perSecond: (speed) => `${speed}/s`,
  /** @param {number} seen @param {number} all */
  visited: (seen, all) => `${seen.toLocaleString("en")} of ${counted(all, "node").replace(/\d+/, (digits) => Number(digits).toLocaleString("en"))}`,
  /** @param {number} done @param {number} all */
  sampling: (done, all) => `${done} of ${counted(all, "playout")}`,
  /** @param {number} ends */
  leaves: (ends) => `${ends.toLocaleString("en")} ${plurals.select(ends) === "one" ? "leaf" : "leaves"}`,
  /** @param {"max" | "min" | undefined} player @param {string | undefined} name @param {string | undefined} move */
  who: (player, name, move) =>
    [player === undefined ? "Leaf" : player.toUpperCase(), name, move && `after ${move}`].filter(Boolean).join(" "),
  /** @param {string} alpha @param {string} beta */
  window: (alpha, beta) => ` with α ${alpha} and β ${beta}`,
  /** @param {string} who @param {string} window */
  entered: (who, window) => `${who} is searched${window}.`,
  /** @param {string} who @param {"leaf" | "end" | "estimate" | "table"} end @param {string} value */
  ended: (who, end, value) => ({
    leaf: `${who} is worth ${value}.`, end: `${who}: the game is over, for ${value}.`, estimate: `${who} is estimated at ${value}.`,
    table: `${who}: the table knows ${value}.`,
  })[end],
  /** @param {string} who @param {string} read @param {string} value */
  stays: (who, read, value) => `${who} has read ${read} and stays at ${value}.`,
  /** @param {string} who @param {string} read @param {string} value */
  becomes: (who, read, value) => (read === value ? `${who} has read ${read}, its value now.` : `${who} has read ${read}, so its value is ${value}.`),
  /** @param {string} who @param {string} read @param {boolean} max @param {string} from @param {string} to */
  moved: (who, read, max, from, to) => `${who} has read ${read}, so its ${max ? "α rises" : "β falls"} from ${from} to ${to}.`,
  /** @param {string} who @param {string} why @param {string} rest */
  cut: (who, why, rest) => `${who}: α ≥ β, as ${why}, so the rest (${rest}) cannot change the result.`,
  /** @param {string} moves */
  cutMoves: (moves) => `cut: ${moves}`,
  code: "Pseudo-code",
  /** @param {string[]} names */
  waits: (names) => (names.some(Boolean) ? names.map((name) => name || "·").join(" ") : `×${names.length}`),
  /** @param {string[]} names */
  waiting: (names) => (names.some(Boolean) ? `${names.filter(Boolean).join(", ")} waits here` : `${counted(names.length, "node")} waiting here`),
  predict: "Predict",
  predictHelp: "Ask before each cut",
  /** @param {string} who @param {string} limits */
  windowOf: (who, limits) => `Window of ${who}: ${limits}`,
  /** @param {string} who */
  ask: (who) => `${who}: is the rest cut?`,
  /** @param {string} alpha @param {string} beta */
  askWindow: (alpha, beta) => `α is ${alpha}, and β is ${beta}.`,
  cutIt: "Cut it",
  searchIt: "Search it",
  /** @param {boolean} right @param {boolean} cut @param {string} why */
  judged: (right, cut, why) => `${right ? "Right" : "No"}: ${why}, so the rest is ${cut ? "cut" : "searched"}.`,
  /** @param {number} right @param {number} asked */
  score: (right, asked) => `${right} of ${asked} right`,
  noQuestions: "Nothing is cut here: choose alpha-beta.",
  noneYet: "Step on: the next question comes by itself.",
  noMore: "That was the last question.",
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
  /** @param {string} move @param {string} sum */
  selected: (move, sum) => `Selection: ${move} has the greatest bound, ${sum}.`,
  /** @param {string} move */
  expanded: (move) => `Expansion: ${move} was not tried here yet.`,
  /** @param {string} result @param {number} moves */
  played: (result, moves) => (moves ? `Playout: ${counted(moves, "random move")}, and ${result}.` : `The game is over here: ${result}.`),
  /** @param {string} result @param {number} nodes */
  backedUp: (result, nodes) => `Backing up: ${counted(nodes, "node")} learn that ${result}.`,
  maxWins: "MAX wins",
  minWins: "MIN wins",
  drawn: "it is a draw",
  playout: "Playout",
  noPlayout: "Random moves from a node to the end of the game show here.",
  /** @param {string} move @param {number} visits @param {number} all @param {number} percent */
  sampled: (move, visits, all, percent) => `MAX plays ${move}: ${visits} of ${counted(all, "playout")} began with it, for ${percent} % of the points. That is no proof.`,
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
    "In the picture MAX points up and MIN points down. Dashed nodes have not been visited, faded ones were cut. Alpha and beta are beside each node; under what was cut stands why. At the end the best line is thick.",
    "Playouts need a game. A node has the points of its playouts for the side that moved there, and their number. Above the children of a node from which one is selected: their mean, what exploration adds, and the sum.",
    "Keys: left and right step, space plays and pauses, Home and End go to the first and the last step. With Predict, C says that the rest is cut, and S that it is searched.",
  ],
};
