// Clocks, by the server's time. Pure.

/**
 * @typedef {import("./types.js").Clock} Clock
 * @typedef {import("./types.js").TimeControl} TimeControl
 */

/**
 * What `side` has left at `now`, in ms, 0 or more.
 * @param {Clock} clock
 * @param {"first" | "second"} side
 * @param {number} now
 */
export function left(clock, side, now) {
  const had = side === "first" ? clock.first_ms : clock.second_ms;
  if (clock.running !== side || clock.since === null) return had;
  return Math.max(0, had - Math.max(0, now - Date.parse(clock.since)));
}

/** @param {number} ms */
export function shown(ms) {
  const tenths = Math.ceil(ms / 100);
  if (tenths < 100) return (tenths / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/**
 * For how many ms `shown(ms)` stays the same while the clock runs.
 * @param {number} ms
 */
export function lasts(ms) {
  const step = ms > 10_000 ? 1000 : 100;
  return ((ms - 1) % step) + 1;
}

/** @param {TimeControl} control */
export function control(control) {
  if (control.per_move_s !== undefined) return `${control.per_move_s} s a move`;
  const initial = control.initial_s ?? 0;
  return `${initial % 60 ? `${initial} s` : initial / 60}+${control.increment_s ?? 0}`;
}

/** The clocks that the page offers, by their names. */
export const CONTROLS = new Map([
  ["", null],
  ["1+1", { initial_s: 60, increment_s: 1 }],
  ["3+2", { initial_s: 180, increment_s: 2 }],
  ["10+5", { initial_s: 600, increment_s: 5 }],
]);
