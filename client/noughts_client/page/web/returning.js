// After a game of a tournament its players go back to the tournament by themselves, unless they do something here first, or
// are called to the next game.

import { html } from "./vendor/lit-html/lit-html.js";
import { competeText as own } from "./compete_texts.js";

/** How long a player has to look at the end of the game, in ms. */
const RETURNS_MS = 12_000;

/** What keeps somebody here. Not a press, whose button would move away from under it as the remark goes: the click would be lost. */
const ACTS = ["click", "touchmove", "keydown"];

/** Whoever is to go back stays. */
export let stay = () => {};

/**
 * The game in `room` has just ended before its player's eyes.
 * @param {string} room
 * @param {string} tournament
 * @param {{app: import("./app.js").App, change: (changes: {remark: any}) => void, go: (path: string) => void}} page
 */
export function comeBack(room, tournament, { app, change, go }) {
  const remark = /** @type {any} */ (runsDown(own.returns, RETURNS_MS));
  stay = () => {
    clearTimeout(timer);
    ACTS.forEach((type) => removeEventListener(type, stay, true));
    if (app.room === room && app.remark === remark) change({ remark: "" });
  };
  const timer = setTimeout(() => {
    const here = app.room === room;
    stay();
    if (here) go(`/tournaments/${tournament}`);
  }, RETURNS_MS);
  ACTS.forEach((type) => addEventListener(type, stay, true));
  change({ remark });
}

/**
 * Words with the seconds that are left, which run down.
 * @param {[string, string]} words before and after them
 * @param {number} ms
 */
export function runsDown([before, after], ms) {
  const [seconds, end] = [document.createElement("b"), Date.now() + ms];
  seconds.setAttribute("role", "timer");
  const tick = () => {
    const left = Math.max(0, end - Date.now());
    seconds.textContent = String(Math.ceil(left / 1000));
    if (left) setTimeout(tick, left % 1000 || 1000);
  };
  tick();
  return html`${before} ${seconds} ${after}`;
}
