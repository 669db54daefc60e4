// Whether a move that somebody tries instead of a mistake is right, by what the engine has proved or, without a proof, by
// its estimates. Pure.

import { chanceOf } from "./values.js";

/**
 * @typedef {import("./types.js").Analysis} Analysis
 * @typedef {import("./types.js").MoveWorth} MoveWorth
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").ReviewedMove} ReviewedMove
 * @typedef {"win" | "draw" | "notLose" | "better"} Goal
 * @typedef {{right: boolean, proved: boolean}} Judgement
 */

/**
 * What there was to keep when the mistake was made.
 * @param {ReviewedMove} mistake
 * @returns {Goal}
 */
export function goalOf({ mark, before }) {
  if (mark === "win_thrown_away") return "win";
  if (mark === "draw_thrown_away") return before.result === "draw" ? "draw" : "notLose";
  return "better";
}

/**
 * The result of a move as far as it is proved: at least, and at most. 1 is a win, 0 a draw, -1 a loss.
 * @param {MoveWorth} move
 * @returns {[number, number]}
 */
export function provedOf({ value, exact, bound }) {
  const sign = Math.sign(value);
  if (exact) return [sign, sign];
  return bound === "upper" ? [-1, sign] : bound === "lower" ? [sign, 1] : [-1, 1];
}

/**
 * The result to expect of a move, from 0 for a loss to 1 for a win.
 * @param {MoveWorth} move
 * @param {GameInfo} game
 */
function expectedOf(move, game) {
  const [low, high] = provedOf(move);
  if (low === high) return (1 + low) / 2;
  return Math.min(Math.max(chanceOf(move.value, game), (1 + low) / 2), (1 + high) / 2);
}

/**
 * What a move is worth to `side`, which plays it, by the analysis of the position after it.
 * @param {string} move
 * @param {MoveWorth} before by the analysis of the position before it
 * @param {Analysis} after
 * @param {"first" | "second"} side
 * @returns {MoveWorth}
 */
export function worthAfter(move, before, { value, exact, to_move, best, moves }, side) {
  const answer = moves[best[0]];
  const name = before.names?.[0] ?? move;
  return {
    value: to_move === side ? value : -value, exact,
    distance: answer === undefined ? 1 : answer.distance === null ? null : answer.distance + 1,
    line: [move, ...(answer?.line ?? [])], names: [name, ...(answer?.names ?? answer?.line ?? [])],
  };
}

/**
 * What to say of `move`. A proof decides. Without one a move is wrong if it costs at least `swing` of the expected result,
 * as in the review, which found the mistake in the same way.
 * @param {string} move
 * @param {ReviewedMove} mistake
 * @param {Analysis} analysis of the position before the mistake
 * @param {GameInfo} game
 * @param {number} swing
 * @param {MoveWorth} [worth] of the move, if more is known of it than in the analysis
 * @returns {Judgement}
 */
export function judge(move, mistake, analysis, game, swing, worth = analysis.moves[move]) {
  const goal = goalOf(mistake);
  const byProof = goal !== "better";
  if (move === mistake.better?.move) return { right: true, proved: byProof };
  if (move === mistake.move) return { right: false, proved: byProof };
  const [low, high] = provedOf(worth);
  const expects = expectedOf(worth, game);
  if (goal !== "better") {
    const need = goal === "win" ? 1 : 0;
    if (low >= need || high < need) return { right: low >= need, proved: true };
    return { right: expects >= (1 + need) / 2 - swing, proved: false };
  }
  if (low === 1 || high === -1) return { right: low === 1, proved: true };
  const best = Math.max(...Object.values(analysis.moves).map((each) => expectedOf(each, game)));
  return { right: best - expects < swing, proved: false };
}
