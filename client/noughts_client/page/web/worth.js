// How the sides of a game stand that is shown with many others: as a bar, and in words.

import { competeText as own } from "./compete_texts.js";
import { gameOf } from "./looks.js";
import { share, shareAtEnd, verdict } from "./standing.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./liveboards.js").Live} Live
 */

/**
 * How far the first side's part of the bar reaches; null while nothing is known.
 * @param {App} app
 * @param {Live | undefined} live
 */
export function barOf(app, live) {
  if (live?.state.outcome) return { first: shareAtEnd(live.state.outcome.winner) };
  return live?.analysis ? { first: share(live.analysis, gameOf(app, live)) } : null;
}

/**
 * Who is ahead, in words, by the names of the players.
 * @param {App} app
 * @param {Live | undefined} live
 * @param {string} first
 * @param {string} second
 */
export function wordsOf(app, live, first, second) {
  const game = live && gameOf(app, live);
  if (!game || !live) return "";
  const { outcome } = live.state;
  if (outcome) return outcome.winner ? own.wins(outcome.winner === "first" ? first : second) : own.drew;
  if (!live.analysis) return "";
  const named = { ...game, sides: { first: { ...game.sides.first, name: first }, second: { ...game.sides.second, name: second } } };
  return verdict(live.analysis, named, /** @type {any} */ ({ positions: [] }));
}
