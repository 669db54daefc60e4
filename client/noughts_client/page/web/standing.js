// How the sides of a game stand: in words, as a share of a bar, and over the plies. Pure. A room loads it when that is wanted.

import { ending } from "./room_texts.js";
import { counted } from "./texts.js";
import { chanceOf, degree, marginOf, own } from "./values.js";

/**
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").MoveWorth} MoveWorth
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./table.js").Table} Table
 */

const text = {
  draw: "A draw with best play",
  /** How far ahead somebody is, from hardly to decisively. @type {((who: string) => string)[]} */
  ahead: [() => "About even", (who) => `${who} is slightly ahead`, (who) => `${who} is ahead`, (who) => `${who} is clearly ahead`, (who) => `${who} is winning`],
  /** @param {string} much such as "12 discs" */
  by: (much) => `, by about ${much}`,
  /** @param {string} who @param {number | null} moves */
  wins: (who, moves) => `${who} wins${moves === null ? "" : ` in ${counted(moves, "move")}`}`,
};

/**
 * A line as people write it: numbered if its first move has a number, which both sides' moves share.
 * @param {MoveWorth} move
 * @param {number | undefined} number
 * @param {Side | null} side that begins
 * @returns {string[]}
 */
export function lineOf({ line, names = line }, number, side) {
  if (number === undefined) return names;
  const begin = side === "second" ? 1 : 0;
  return names.map((name, index) => {
    const at = index + begin;
    const sign = at % 2 === 0 ? ". " : "... ";
    return at % 2 === 0 || index === 0 ? `${number + (at >> 1)}${sign}${name}` : name;
  });
}

/**
 * What the position is worth, in words: who wins and in how many of the own moves, as far as known.
 * @param {Analysis} analysis
 * @param {GameInfo} game
 * @param {Table} table
 */
export function verdict({ value, exact, best, moves, to_move }, game, table) {
  if (to_move === null) return "";
  const better = value < 0 ? (to_move === "first" ? "second" : "first") : to_move;
  const name = game.sides[better].name;
  if (exact) return value === 0 ? text.draw : text.wins(name, own(moves[best[0]]?.distance ?? null, table)) + marginOf(value, game);
  const by = Math.round(Math.abs(value) / (game.measure?.worth ?? Infinity));
  const ahead = degree(value, game);
  return text.ahead[ahead](name) + (game.measure && ahead && by ? text.by(counted(by, game.measure.one, game.measure.many)) : "");
}

/**
 * How far the bar of the first side reaches, from 0 (lost) to 1 (won).
 * @param {Analysis} analysis
 * @param {GameInfo | undefined} game
 * @returns {number}
 */
export function share(analysis, game) {
  const value = analysis.to_move === "second" ? -analysis.value : analysis.value;
  if (analysis.exact) return value > 0 ? 1 : value < 0 ? 0 : 0.5;
  return 0.02 + 0.96 * chanceOf(value, game);
}

/**
 * The share of the first side in the end.
 * @param {import("./types.js").Side | null} winner
 */
export function shareAtEnd(winner) {
  return winner === null ? 0.5 : winner === "first" ? 1 : 0;
}

/**
 * The share of the first side after each ply, as far as known.
 * @param {import("./types.js").Words} words
 * @param {Table} table
 * @param {GameInfo} game
 * @returns {{ply: number, share: number}[]}
 */
export function course(words, { analyses, state }, game) {
  const points = [];
  for (let ply = 0; ply <= state.ply; ply++) if (analyses[ply]) points.push({ ply, share: share(analyses[ply], game) });
  const { outcome } = state;
  const hasResult = outcome && (outcome.winner !== null || !ending(words, outcome.reason).closed);
  if (hasResult && points.length) points.push({ ply: state.ply, share: shareAtEnd(outcome.winner) });
  return points;
}

/**
 * What is said of the moves that are not listed.
 * @param {number} few how many are
 * @param {number} count
 * @param {string} worth of the best of them, with its verb
 * @param {boolean} alike
 */
export function others(few, count, worth, alike) {
  const who = few ? `the other ${count} moves` : `${count} moves`;
  return count === 1 ? `${few ? "The other" : "The only"} move ${worth}.` : `${alike ? "Each" : "The best"} of ${who} ${worth}.`;
}
