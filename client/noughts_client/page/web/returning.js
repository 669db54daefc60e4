// After a game of a tournament its players go back to the tournament by themselves, unless they do something here first.

import { competeText as own } from "./compete_texts.js";

/** How long a player has to look at the end of the game, in ms. */
const RETURNS_MS = 12_000;

const ACTS = ["pointerdown", "keydown"];

/**
 * The game in `room` has just ended before its player's eyes.
 * @param {string} room
 * @param {string} tournament
 * @param {{app: import("./app.js").App, change: (changes: {remark: string}) => void, go: (path: string) => void}} page
 */
export function comeBack(room, tournament, { app, change, go }) {
  const stay = () => {
    clearTimeout(timer);
    ACTS.forEach((type) => removeEventListener(type, stay, true));
    if (app.room === room && app.remark === own.returns) change({ remark: "" });
  };
  const timer = setTimeout(() => {
    const here = app.room === room && !app.devices?.shown;
    stay();
    if (here) go(`/tournaments/${tournament}`);
  }, RETURNS_MS);
  ACTS.forEach((type) => addEventListener(type, stay, true));
  change({ remark: own.returns });
}
