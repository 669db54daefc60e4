// What moves and positions are worth, as the engine says, in the words and colours of the page. Pure.

import { ending, text } from "./texts.js";
import { seen } from "./table.js";

/**
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").MoveWorth} MoveWorth
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./table.js").Table} Table
 * @typedef {{label: string, detail: string, spoken: string, kind: "good" | "even" | "bad", best: boolean, few: boolean}} Worth
 *
 * `few` are the moves whose numbers are shown where there is room for few.
 */

/** With an estimate of so much a side can expect to win ten games out of eleven, in a game that does not say. */
const UNIT = 100;

/** How many numbers a small board with many cells has at most. */
const FEW = 12;

/** @type {WeakMap<Analysis, Map<string, Worth>>} */
const known = new WeakMap();

/**
 * The worth of each move, by the name of the move.
 * @param {Analysis} analysis
 * @returns {Map<string, Worth>}
 */
export function worths(analysis) {
  let found = known.get(analysis);
  if (found === undefined) {
    const [best, few] = [new Set(knownOf(analysis) === "proved" ? analysis.best : []), fewest(analysis)];
    found = new Map(Object.entries(analysis.moves).map(([move, value]) => [move, worth(value, best.has(move), few.has(move))]));
    known.set(analysis, found);
  }
  return found;
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
 * @returns {Set<string>}
 */
function fewest({ moves, best }) {
  const worse = Object.keys(moves).sort((one, other) => moves[other].value - moves[one].value).filter((move) => !best.includes(move));
  let count = Math.max(0, FEW - best.length);
  while (count && count < worse.length && moves[worse[count]].value === moves[worse[count - 1]].value) count--;
  return new Set(best.length > FEW ? [] : [...best, ...worse.slice(0, count)]);
}

/**
 * The engine's number, and for a proved value the result and in how many plies.
 * @param {MoveWorth} move
 * @param {boolean} [best]
 * @param {boolean} [few]
 * @returns {Worth}
 */
export function worth({ value, exact, bound, distance }, best = false, few = false) {
  const kind = value > 0 ? "good" : value < 0 ? "bad" : "even";
  const label = (bound === "upper" ? "≤" : bound === "lower" ? "≥" : "") + signed(value);
  const result = value > 0 ? text.unit.win : value < 0 ? text.unit.loss : text.unit.draw;
  const detail = !exact ? "" : value === 0 || distance === null ? result : text.unit.in(result, distance);
  return { label, detail, spoken: detail ? `${label}, ${detail}` : label, kind, best, few };
}

/** @param {number} value */
function signed(value) {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
}

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
 * Whether the server refuses to analyse a game, so that nobody gets help in it.
 * @param {Table} table
 */
export function isSecret({ options, state }) {
  return options.rated && state.status !== "over";
}

/**
 * The analysis of the position that is looked at or, until it is there, the latest one before it, which is `stale`.
 * @param {Table} table
 * @returns {{analysis: Analysis, stale: boolean} | null}
 */
export function analysisOf(table) {
  const { ply, state } = seen(table);
  if (state.outcome || table.line || isSecret(table)) return null;
  for (let at = ply; at >= 0; at--) if (table.analyses[at]) return { analysis: table.analyses[at], stale: at < ply };
  return null;
}

/**
 * What the position is worth, in words: who wins and in how many plies, as far as known.
 * @param {Analysis} analysis
 * @param {GameInfo} game
 */
export function verdict({ value, exact, best, moves, to_move }, game) {
  if (to_move === null) return "";
  const better = value < 0 ? (to_move === "first" ? "second" : "first") : to_move;
  const name = game.sides[better].name;
  if (value === 0) return exact ? text.verdict.draw : text.verdict.even;
  if (!exact) return text.verdict.better(name, signed(Math.abs(value)));
  return text.verdict.wins(name, moves[best[0]]?.distance ?? null);
}

/**
 * How far the bar of the first side reaches, from 0 (lost) to 1 (won).
 * @param {Analysis} analysis
 * @param {GameInfo | undefined} game
 * @returns {number}
 */
export function share(analysis, game) {
  const unit = game?.unit ?? UNIT;
  const value = analysis.to_move === "second" ? -analysis.value : analysis.value;
  if (analysis.exact) return value > 0 ? 1 : value < 0 ? 0 : 0.5;
  return 0.02 + 0.96 / (1 + 10 ** (-value / unit));
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
