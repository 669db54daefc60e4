// How a tournament counts a game that was closed before it began.

import { competeText as own } from "./compete_texts.js";

/** How long after the end to ask, again and again: the tournament decides a moment later. */
const WAITS_MS = [300, 1500, 5000];

/**
 * @param {import("./table.js").Table} table whose game did not begin
 * @param {import("./app.js").App} app
 * @param {(changes: Partial<import("./app.js").App>) => void} change
 */
export async function rule(table, app, change) {
  const { room, options: { tournament } } = table;
  for (const wait of WAITS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const answer = await app.connection.request("tournament", { tournament, results: true }).catch(() => null);
    if (app.room !== room) return;
    const points = answer && pointsIn(answer, table);
    if (!points) continue;
    const { first, second } = table.state.seats;
    const [winner, loser] = points[0] > points[1] ? [first, second] : [second, first];
    const name = (/** @type {typeof winner} */ seat) => (seat?.id === app.me?.id ? null : (seat?.name ?? ""));
    return change({ ruling: points[0] === points[1] ? own.nobodyBegan : own.forfeited(name(loser), name(winner)) });
  }
}

/**
 * The points of both sides; null while the tournament has not decided.
 * @param {import("./connection.js").Message} answer
 * @param {import("./table.js").Table} table
 * @returns {number[] | null}
 */
function pointsIn({ games, standings }, { room, state }) {
  const now = games.find((/** @type {{room: string}} */ game) => game.room === room);
  if (now) return now.points;
  const of = (/** @type {"first" | "second"} */ side) =>
    standings.find((/** @type {any} */ row) => row.player.id === state.seats[side]?.id)?.results?.find((/** @type {any} */ one) => one.room === room)?.points ?? 0;
  const both = [of("first"), of("second")];
  return both[0] || both[1] ? both : null;
}
