// What moves are worth, as the engine says, in the words and colours of the page. Pure.

import { text } from "./texts.js";

/**
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").MoveWorth} MoveWorth
 * @typedef {import("./board.js").Worth} Worth
 */

/**
 * A value in two short lines: a proved result and in how many plies, or an estimate with its sign.
 * @param {{value: number, exact: boolean, bound?: string, distance: number | null}} move
 * @returns {{label: string, detail: string, kind: "good" | "even" | "bad"}}
 */
export function worth({ value, exact, bound, distance }) {
  const kind = value > 0 ? "good" : value < 0 ? "bad" : "even";
  if (!exact) {
    const sign = bound === "upper" ? "≤" : bound === "lower" ? "≥" : "";
    return { label: sign + signed(value), detail: "", kind };
  }
  const result = value > 0 ? text.unit.win : value < 0 ? text.unit.loss : text.unit.draw;
  return { label: result, detail: value === 0 || distance === null ? "" : `in ${distance}`, kind };
}

/** @param {number} value */
function signed(value) {
  return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0";
}

/**
 * The worth of each move, by the name of the move.
 * @param {Analysis} analysis
 * @returns {Map<string, Worth>}
 */
export function worths(analysis) {
  const best = new Set(analysis.best);
  return new Map(
    Object.entries(analysis.moves).map(([move, value]) => [move, { ...worth(value), best: best.has(move) }]),
  );
}

/**
 * One line about the position: the best move, what it is worth, and how the game goes on.
 * @param {Analysis} analysis
 * @returns {string}
 */
export function summary(analysis) {
  const move = analysis.best[0];
  if (move === undefined) return "";
  const { label, detail } = worth(analysis.moves[move]);
  const line = analysis.moves[move].line.slice(0, 8).join(" ");
  return text.best(`${label}${detail ? ` ${detail}` : ""}`, line || move);
}

/**
 * How far the bar of the first side reaches, from 0 (lost) to 1 (won).
 * @param {Analysis} analysis
 * @returns {number}
 */
export function share(analysis) {
  const value = analysis.to_move === "second" ? -analysis.value : analysis.value;
  if (analysis.exact) return value > 0 ? 1 : value < 0 ? 0 : 0.5;
  return 0.5 + 0.48 * Math.tanh(value / 60);
}
