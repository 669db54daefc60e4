// The days on which a player solves puzzles, and the choice of the next one.

/**
 * On how many days without a break one was solved, up to today or yesterday.
 * @param {string[]} days the latest first
 * @param {string} today
 */
export function running(days, today) {
  const number = (/** @type {string} */ day) => Date.parse(day) / 86_400_000;
  const first = days.length ? number(today) - number(days[0]) : Infinity;
  if (first > 1) return 0;
  let count = 1;
  while (count < days.length && number(days[count - 1]) - number(days[count]) === 1) count++;
  return count;
}

/**
 * The puzzle that is nearest to a rating among those that were not tried; null if none is left.
 * @template {{puzzle: string, rating: number}} Listed
 * @param {Listed[]} puzzles
 * @param {number} rating
 * @param {(puzzle: string) => boolean} isTried
 * @returns {Listed | null}
 */
export function nearest(puzzles, rating, isTried) {
  const fresh = puzzles.filter(({ puzzle }) => !isTried(puzzle));
  return fresh.reduce((/** @type {Listed | null} */ best, one) => (best && Math.abs(best.rating - rating) <= Math.abs(one.rating - rating) ? best : one), null);
}
