// Calls a player to a game of a tournament: in a sentence that a screen reader hears, by the page's title, its icon, a sound
// and a notification; and after some seconds the board opens by itself.

import { html } from "./vendor/lit-html/lit-html.js";
import { classText } from "./class_texts.js";
import { competeText as own } from "./compete_texts.js";
import { listen } from "./listening.js";
import { runsDown, stay } from "./returning.js";
import { look } from "./your_move.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./connection.js").Message} Message
 */

/** How long a player has before the board opens by itself, in ms. */
const OPENS_MS = 10_000;

/** The board that opens by itself. @type {{room: string, at: number, timer: number} | null} */
let opening = null;

/**
 * The time at which the board of a room opens by itself, in ms since the epoch; null if it does not.
 * @param {string} room
 */
export function opensAt(room) {
  return opening?.room === room ? opening.at : null;
}

/**
 * @param {Message} message a `tournament_game`, or a `simul_game` of a class
 * @param {import("./app.js").Page} page
 */
export function call(message, page) {
  const { app, change, go } = page;
  const { room, seat, opponent } = message;
  const side = app.games.get(message.game)?.sides[/** @type {"first"} */ (seat)].name ?? "";
  const ofClass = message.type === "simul_game";
  const sentence = ofClass ? classText.called(opponent.name, side, seat) : own.called(side, seat, opponent.name);
  const path = ofClass ? `/classes/${message.class_id}` : `/tournaments/${message.tournament}`;
  if (app.room === room) return change({ announced: sentence });
  const { table } = app;
  const plays = app.room !== null && table?.state.status === "playing" && [table.state.seats.first?.id, table.state.seats.second?.id].includes(app.me?.id);
  clearTimeout(opening?.timer);
  opening = null;
  const isHere = () => location.pathname === path && !location.search;
  const close = () => {
    clearTimeout(opening?.timer);
    opening = null;
    change({ notice: null, announced: "" });
  };
  if (!plays) {
    stay(); // the board is where one goes
    const open = () => {
      if (opening?.room !== room) return;
      opening = null;
      change({ notice: null });
      if (app.room !== room) go(`/rooms/${room}`);
    };
    opening = { room, at: app.connection.now() + OPENS_MS, timer: setTimeout(open, OPENS_MS) };
  }
  if (isHere()) change({ announced: `${sentence} ${plays ? "" : own.opensItself}` });
  else {
    change({
      notice: html`<span>${message.name ?? message.title}: ${sentence} ${plays ? "" : runsDown(own.opensIn, OPENS_MS)}</span>
        <a class="button main" href="/rooms/${room}" @click=${close}>${own.toBoard}</a>${plays ? "" : html` <button @click=${close}>${own.stay}</button>`}`,
    });
  }
  app.actions.redraw();
  listen(page, () => ["call"]);
  look(room, sentence, page, own.youPlay(opponent.name));
}
