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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Above this there are no seconds: "5 h 12 min", "2 days 7 h". */
const LONG_MS = 3 * HOUR_MS;

/**
 * Two units without their zeros, such as "1 day 4 h" or "3 days".
 * @param {number} large
 * @param {string} name
 * @param {number} small
 * @param {string} unit
 */
const both = (large, name, small, unit) => `${large} ${name}${small ? ` ${small} ${unit}` : ""}`;

/** @param {number} ms */
export function shown(ms) {
  if (ms > LONG_MS) {
    const all = Math.ceil(ms / 60_000);
    if (all < 1440) return both(Math.floor(all / 60), "h", all % 60, "min");
    const hours = Math.ceil(ms / HOUR_MS);
    return both(Math.floor(hours / 24), hours < 48 ? "day" : "days", hours % 24, "h");
  }
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
  const step = ms > DAY_MS ? HOUR_MS : ms > LONG_MS ? 60_000 : ms > 10_000 ? 1000 : 100;
  return ((ms - 1) % step) + 1;
}

/** @param {TimeControl} control */
export function control(control) {
  const days = (control.per_move_s ?? 0) / 86_400;
  if (days >= 1) return days > 1 ? `${days} days a move` : "a day a move";
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
  ["3 days a move", { per_move_s: 259_200 }],
]);
