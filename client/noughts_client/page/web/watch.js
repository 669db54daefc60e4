// The view of those who watch: live games, the way to a certain game, and the best players.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { liveRooms, liveView, personOf, trouble } from "./games.js";
import { text } from "./texts.js";

/** @typedef {import("./app.js").App} App */

export const title = text.watch;

const own = {
  leaderboard: "Leaderboard",
  notMeasured: "not measured",
  roomId: "Id or link of a game",
  noGames: "Nobody is playing right now. Games appear here as they begin.",
  go: "Go",
  noRatings: "Nobody has a rating in this game yet.",
};

/** @param {App} app */
export function view(app) {
  return html`<h1 class="spoken">${text.watch}</h1>
    <div class="watch">
      ${liveView(app, liveRooms(app), byId(app), nobody)} ${best(app)}
    </div>`;
}

/** @param {App} app */
function best(app) {
  const choose = (/** @type {Event} */ event) => app.actions.chooseBest(/** @type {HTMLSelectElement} */ (event.target).value);
  return html`<section>
    <div class="head">
      <h2>${own.leaderboard}</h2>
      <select aria-label=${text.game} @change=${choose}>
        ${[...app.games.values()].map((game) => html`<option value=${game.key} .selected=${game.key === app.best}>${game.title}</option>`)}
      </select>
    </div>
    ${trouble(app, "best")}
    ${app.leaders === null
      ? nothing
      : app.leaders.length
        ? html`<ol class="rows leaders">
            ${app.leaders.map(
              (player, index) => html`<li>
                <span class="number">${index + 1}</span> ${personOf(player)}
                <span class="points">${player.measured === false ? own.notMeasured : player.rating}</span>
              </li>`,
            )}
          </ol>`
        : html`<p class="empty">${own.noRatings}</p>`}
  </section>`;
}

const nobody = html`<div class="empty">
  <p>${own.noGames}</p>
  <a class="button main" href="/">${text.playComputer}</a>
</div>`;

/** @param {App} app */
function byId(app) {
  return html`<form @submit=${app.actions.goToRoom} class="inline">
    <input name="room" aria-label=${own.roomId} placeholder=${own.roomId} autocomplete="off" spellcheck="false" maxlength="200" />
    <button>${own.go}</button>
    ${trouble(app, "room")}
  </form>`;
}
