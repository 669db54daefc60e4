// Which games have the places of a screen. Pure.

/** How long nobody moves in a game until its place is another's, in ms. */
const STILL_MS = 20_000;

/**
 * Places of which those where nobody moves any more are given to games in which somebody has.
 * @param {(string | null)[]} places
 * @param {string[]} rooms the games under way, those that matter most first
 * @param {(room: string) => number | undefined} movedAt when a game moved or came, in ms; nothing for one that has not come
 * @param {number} now
 */
export function enlivened(places, rooms, movedAt, now) {
  const isStill = (/** @type {string} */ room) => now - (movedAt(room) ?? 0) >= STILL_MS;
  const next = rooms.filter((room) => !places.includes(room) && !isStill(room));
  return places.map((room) => (room !== null && rooms.includes(room) && isStill(room) ? (next.shift() ?? room) : room));
}
