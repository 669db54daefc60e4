// People who look for an opponent: this player, in a line at the top of the first view, and those who want to play. It is loaded
// when there is one.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { control } from "./clock.js";
import { offered, personOf, titleOf } from "./games.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").OpenSeek} OpenSeek
 * @typedef {import("./types.js").Side} Side
 */

const own = {
  seeking: "Looking for an opponent \u2026",
  waited: "Nobody has come yet. You can keep waiting and play the computer meanwhile.",
  stop: "Stop looking",
  /** @param {string} game @param {string} terms */
  you: (game, terms) => `You: ${game}, ${terms}`,
  take: "Play",
  /** @param {string} name @param {string} title */
  takeFrom: (name, title) => `Play ${title} with ${name}`,
  /** @param {string} side */
  playAs: (side) => `Play as ${side}`,
};

/**
 * What this player looks for, and the way to stop it.
 * @param {App} app
 */
export function seekView(app) {
  const { seek } = app;
  if (!seek) return nothing;
  return html`<section class="news soon seeking">
    <span class="here"></span>
    <div id="seeking" role="status">
      <p class="name">${own.seeking}</p>
      <p class="note">${wanted(app, seek)}, ${conditions(seek)}</p>
      ${seek.waited ? html`<p class="note small">${own.waited}</p>` : nothing}
    </div>
    <button aria-describedby="seeking" @click=${app.actions.unseek}>${own.stop}</button>
  </section>`;
}

/**
 * The title of the game that this player looks for, and what was chosen of it.
 * @param {App} app
 * @param {{game: string, setup: import("./types.js").Setup}} seek
 */
function wanted(app, { game, setup }) {
  const usual = app.games.get(game)?.options ?? [];
  return titleOf(app, game, Object.fromEntries(Object.entries(setup).filter(([key, value]) => !usual.some((option) => option.key === key && String(option.default) === value))));
}

/** The search has begun: show it, wherever the page was scrolled to. */
export function showSeek() {
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(".seeking button"))?.focus());
}

/** @param {{clock: object | null, rated: boolean}} terms */
function conditions({ clock, rated }) {
  return `${clock ? control(clock) : text.noClock}${rated ? `, ${text.lobby.rated}` : ""}`;
}

/**
 * Who wants to play: this player first, and the others.
 * @param {App} app
 */
export function offersView(app) {
  const { rooms, seeks } = offered(app);
  return html`${app.seek ? html`<p class="note small">${own.you(wanted(app, app.seek), conditions(app.seek))}</p>` : nothing}
    <ul>
      ${repeat(seeks, (seek) => seek.seek, (seek) => openSeek(app, seek))}
      ${repeat(rooms, (room) => room.room, (room) => openRoom(app, room))}
    </ul>`;
}

/**
 * @param {App} app
 * @param {OpenSeek} seek
 */
function openSeek(app, seek) {
  const { player } = seek;
  const title = titleOf(app, seek.game, seek.setup);
  const barred = seek.rated && !app.me?.registered;
  return html`<li>
    <div>
      <span class="name">${title}</span>
      <span class="note small">${conditions(seek)}</span>
      <span class="note small">${personOf(player)}${player.rating === undefined ? "" : ` (${player.rating}${player.provisional ? "?" : ""})`}</span>
    </div>
    <button
      ?disabled=${barred}
      title=${barred ? text.ratedNeeds : nothing}
      aria-label=${own.takeFrom(player.name, title)}
      @click=${() => app.actions.take(seek.seek)}
    >
      ${own.take}
    </button>
  </li>`;
}

/**
 * @param {App} app
 * @param {Listing} room
 */
function openRoom(app, room) {
  const seat = room.seats.first ?? room.seats.second;
  /** @type {Side} */
  const side = room.seats.first ? "second" : "first";
  const game = app.games.get(room.game);
  return html`<li>
    <div>
      <span class="name">${titleOf(app, room.game, room.options.setup)}</span>
      <span class="note small">${conditions(room.options)}</span>
      <span class="note small">${personOf(seat)}</span>
    </div>
    <a class="button" href="/rooms/${room.room}" aria-label=${game ? own.playAs(game.sides[side].name) : text.takeSeat}>${own.take}</a>
  </li>`;
}
