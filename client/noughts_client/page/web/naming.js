// Moves within a sentence, where a name that is a number says too little. Pure.

import { edgesOf } from "./grid.js";

/**
 * A move as a sentence calls it: "column 4" where each column is a move, and "square 5" for the fifth of numbered squares.
 * @param {import("./types.js").GameInfo} game
 * @param {string} move its name
 */
export function called(game, move) {
  return /^[0-9]+$/.test(move) ? `${edgesOf(game).falls ? "column" : "square"} ${move}` : move;
}
