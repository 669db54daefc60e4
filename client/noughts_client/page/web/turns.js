// How moves are counted: by turns of both sides or, where a side may move again at once, one by one. Pure.

/** The boards of games in which a side often moves again. */
const AGAIN = new Set(["edges", "pits"]);

/**
 * How many moves a game has after so many plies.
 * @param {import("./types.js").GameInfo | undefined} game
 * @param {number} plies
 */
export function turnsIn(game, plies) {
  return AGAIN.has(game?.board?.shape ?? "") ? plies : Math.ceil(plies / 2);
}
