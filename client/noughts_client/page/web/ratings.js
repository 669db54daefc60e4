// What a rated game means for the ratings of its players: before its end, and after it.

import { mySide } from "./room.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./connection.js").Message} Message
 * @typedef {import("./table.js").Table} Table
 */

/** How long after a rated game to ask for the new ratings, again and again: they are known a moment after its end. */
const RATING_WAITS_MS = [700, 1500, 4000, 9000];

/**
 * Find out what each result would change.
 * @param {Table} table
 * @param {App} app
 * @param {(changes: Partial<App>) => void} change
 */
export async function stake(table, app, change) {
  const answer = /** @type {any} */ (await app.connection.request("stakes", { room: table.room }).catch(() => null)); // an older server has none
  const mine = answer?.[/** @type {"first" | "second"} */ (mySide(app, table))];
  if (mine && app.room === table.room) change({ stakes: `: win ${signed(mine.win)}, draw ${signed(mine.draw)}, loss ${signed(mine.loss)}` });
}

/** @param {number} points */
const signed = (points) => (points < 0 ? `−${-points}` : points > 0 ? `+${points}` : "0");

/**
 * Find out how the game of `table`, which is over, changed the ratings, as long as its room is shown.
 * @param {Table} table
 * @param {App} app
 * @param {(changes: Partial<App>) => void} change
 */
export async function rate(table, app, change) {
  for (const wait of RATING_WAITS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    for (const side of /** @type {("first" | "second")[]} */ (["first", "second"])) {
      const seat = table.state.seats[side];
      if (app.room !== table.room || app.ratings === null || seat === null || app.ratings[side]) continue;
      const answer = await app.connection.request("player", { player: seat.id }).catch(() => null);
      const after = answer && ratingAfter(answer, table);
      if (after && app.room === table.room) change({ ratings: { ...app.ratings, [side]: after } });
    }
  }
}

/**
 * A player's rating before and after a game, from the player's profile; null if the game is not rated yet.
 * @param {Message} profile
 * @param {Table} table
 */
function ratingAfter({ games, course }, table) {
  const past = games.find((/** @type {any} */ one) => one.room === table.room);
  for (const { game, points } of past ? course : []) {
    const index = points.findIndex((/** @type {any} */ point) => point.at === past.ended_at);
    if (game === table.game && index >= 0) return { after: points[index].rating, before: points[index - 1]?.rating ?? null };
  }
  return null;
}
