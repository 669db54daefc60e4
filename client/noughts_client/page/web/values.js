// What moves and positions are worth, as the engine says, in the words and colours of the page. Pure. A room loads it when that is wanted.

import { counted } from "./texts.js";

/**
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").MoveWorth} MoveWorth
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./table.js").Table} Table
 * @typedef {{label: string, detail: string, spoken: string, kind: "good" | "even" | "bad", best: boolean, few: boolean,
 *            rank: number, size: number}} Worth
 *
 * `kind` is the result for the side that moves or, of an estimate, how the move compares with the best.
 * `rank` is 1 for the best moves, 0 for those that are not among the best few; `size` goes from 0 for the worst to 1.
 * `few` are the moves whose numbers are shown where there is room for few.
 */

const text = {
  draws: "draws",
  /** @param {number | null} moves */
  wins: (moves) => `wins${moves === null ? "" : ` in ${counted(moves, "move")}`}`,
  /** @param {number | null} moves */
  loses: (moves) => `loses${moves === null ? "" : ` in ${counted(moves, "move")}`}`,
  better: ["about even", "slightly ahead", "ahead", "clearly ahead", "winning"],
  worse: ["about even", "slightly behind", "behind", "clearly behind", "losing"],
  /** @param {string} words */
  atMost: (words) => `${words} at best`,
  /** @param {string} words */
  atLeast: (words) => `${words} or better`,
  results: { good: "win", bad: "loss", even: "draw" },
  /** @param {number} moves */
  inMoves: (moves) => `in ${moves}`,
  points: /** @type {import("./types.js").Measure} */ ({ one: "point", worth: 1 }),
};

/** With an estimate of so much a side can expect to win ten games out of eleven, in a game that does not say. */
const UNIT = 100;

/** How many numbers a board with many cells has at most. */
const FEW = 12;

/** How many moves have a rank; more if so many are equally good that they would otherwise have none. */
const [RANKED, TIED] = [4, 6];

/** @type {WeakMap<Analysis, Map<string, Worth>>} */
const known = new WeakMap();

/**
 * The worth of each move, by the name of the move, the best first.
 * @param {Analysis} analysis
 * @param {GameInfo} game
 * @param {Table} table
 * @returns {Map<string, Worth>}
 */
export function worths(analysis, game, table) {
  let found = known.get(analysis);
  if (found === undefined) {
    const order = ordered(analysis);
    const [best, few] = [new Set(knownOf(analysis) === "proved" ? analysis.best : []), fewest(analysis, order)];
    const ranks = ranked(analysis, order);
    const worse = sizes(analysis, order);
    found = new Map(
      order.map((move, index) => {
        const [rank, { value, exact, bound }] = [ranks.get(move) ?? 0, analysis.moves[move]];
        const told = worth(analysis.moves[move], game, table, best.has(move), few.has(move));
        if (!exact && !bound && value <= 0) told.kind = rank === 1 ? "good" : Math.sign(value) < Math.sign(analysis.value) ? "bad" : "even";
        return [move, { ...told, rank, size: worse[index] }];
      }),
    );
    known.set(analysis, found);
  }
  return found;
}

/**
 * The moves, the best first.
 * @param {Analysis} analysis
 */
function ordered(analysis) {
  const { moves, best } = analysis;
  const first = new Set(best);
  const preferred = (/** @type {string} */ move) => Number(isPreferred(analysis, move));
  const bounded = (/** @type {string} */ move) => Number(moves[move].bound === "upper");
  const proved = (/** @type {string} */ move) => (moves[move].exact ? Math.sign(moves[move].value) : 0); // an estimate may be the better, however bad it is
  return Object.keys(moves).sort(
    (one, other) =>
      preferred(other) - preferred(one) ||
      proved(other) - proved(one) ||
      moves[other].value - moves[one].value ||
      bounded(one) - bounded(other) ||
      Number(first.has(other)) - Number(first.has(one)),
  );
}

/**
 * Whether a move is the one that the search prefers, without proof.
 * @param {Analysis} analysis
 * @param {string} move
 */
function isPreferred(analysis, move) {
  return knownOf(analysis) === "preferred" && move === analysis.best[0];
}

/**
 * Whether two moves are worth the same. Of one whose value is a bound nobody knows that.
 * @param {MoveWorth} one
 * @param {MoveWorth} other
 */
export function isAlike(one, other) {
  return one.value === other.value && one.bound === other.bound;
}

/**
 * The ranks of the best few. Moves that are worth the same share a rank, and have none if they are too many, but for the one that
 * the search prefers: it is the first by itself then.
 * @param {Analysis} analysis
 * @param {string[]} order
 * @returns {Map<string, number>}
 */
function ranked(analysis, order) {
  const { moves } = analysis;
  /** @type {Map<string, number>} */
  const ranks = new Map();
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && isAlike(moves[order[end]], moves[order[start]])) end++;
    if (start === 0 && end > RANKED && isPreferred(analysis, order[0])) end = 1;
    if (end > (start === 0 ? TIED : RANKED)) break;
    for (const move of order.slice(start, end)) ranks.set(move, start + 1);
  }
  return ranks;
}

/**
 * For each move the share of those that are worse.
 * @param {Analysis} analysis
 * @param {string[]} order
 */
function sizes({ moves }, order) {
  const shares = order.map(() => 0);
  for (let index = order.length - 1, worse = 0; index >= 0; index--) {
    if (index + 1 < order.length && !isAlike(moves[order[index]], moves[order[index + 1]])) worse = order.length - 1 - index;
    shares[index] = worse / order.length;
  }
  return shares;
}

/**
 * What is known of the `best` moves. An older server does not say: then they are proved if all values show it.
 * @param {Analysis} analysis
 */
export function knownOf({ exact, best, verdict: known, moves }) {
  return known ?? (exact && best.every((move) => moves[move].exact) ? "proved" : "preferred");
}

/**
 * The best moves, with those that are worth the same, as long as they are at most `FEW`: none if more are best.
 * @param {Analysis} analysis
 * @param {string[]} order
 * @returns {Set<string>}
 */
function fewest({ moves, best }, order) {
  const worse = order.filter((move) => !best.includes(move));
  let count = Math.max(0, FEW - best.length);
  while (count && count < worse.length && moves[worse[count]].value === moves[worse[count - 1]].value) count--;
  return new Set(best.length > FEW ? [] : [...best, ...worse.slice(0, count)]);
}

/**
 * The result if it is proved, and in how many moves; else the engine's number, with what it counts.
 * @param {MoveWorth} move
 * @param {GameInfo} game
 * @param {Table} table
 * @param {boolean} [best]
 * @param {boolean} [few]
 * @returns {Worth}
 */
export function worth(move, game, table, best = false, few = false) {
  const { value, exact, bound, distance } = move;
  const kind = value > 0 ? "good" : value < 0 ? "bad" : "even";
  const { one, many = `${one}s`, worth: unit, margins } = game.measure ?? text.points;
  const result = text.results[kind];
  const moves = value && own(distance, table);
  const amount = exact ? value : Number((value / unit).toFixed(1));
  const isResult = exact && !(margins && value);
  const label = isResult ? result : (bound === "upper" ? "≤" : bound === "lower" ? "≥" : "") + signed(amount);
  const detail = !exact ? "" : !isResult ? result : moves ? text.inMoves(moves) : "";
  return { label, detail, spoken: exact ? worthInWords(move, game, table) : `${label} ${Math.abs(amount) === 1 ? one : many}`, kind, best, few, rank: 0, size: 0 };
}

/** @param {number} value */
function signed(value) {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
}

/**
 * Whether the sides have moved in turn so far. In a game where one side can move twice, nobody can say how many of a
 * side's own moves a number of plies is.
 * @param {Table} table
 */
function inTurn({ positions }) {
  return !positions.some((position, ply) => ply > 0 && position?.to_move && position.to_move === positions[ply - 1]?.to_move);
}

/**
 * In how many of the winner's own moves; null if that is not known.
 * @param {number | null} distance in plies
 * @param {Table} table
 */
export function own(distance, table) {
  return distance === null || !inTurn(table) ? null : Math.ceil(distance / 2);
}

/**
 * How much better somebody stands, from 0, about even, to 4, winning.
 * @param {number} value
 * @param {GameInfo} game
 */
export function degree(value, game) {
  const chance = chanceOf(Math.abs(value), game);
  return [0.56, 0.68, 0.82, 0.95].filter((limit) => chance >= limit).length;
}

/**
 * What a move is worth to its player, in words.
 * @param {MoveWorth} move
 * @param {GameInfo} game
 * @param {Table} table
 * @param {boolean} [lost] whether every move is proved to lose: of one whose value is not, nobody knows by how much
 */
export function worthInWords({ value, exact, bound, distance }, game, table, lost = false) {
  if (lost && !exact) return text.loses(null);
  if (exact) {
    const result = value === 0 ? text.draws : (value > 0 ? text.wins : text.loses)(own(distance, table));
    return result + marginOf(value, game);
  }
  const words = text[value < 0 ? "worse" : "better"][degree(value, game)];
  return bound === "upper" ? text.atMost(words) : bound === "lower" ? text.atLeast(words) : words;
}

/**
 * By how much a proved value wins, in a game where that matters.
 * @param {number} value
 * @param {GameInfo} game
 */
export function marginOf(value, { measure }) {
  return value && measure?.margins ? ` by ${counted(Math.abs(value), measure.one, measure.many)}` : "";
}

/**
 * The chance to win with an estimate.
 * @param {number} value
 * @param {GameInfo | undefined} game
 */
export function chanceOf(value, game) {
  return 1 / (1 + 10 ** (-value / (game?.unit ?? UNIT)));
}

