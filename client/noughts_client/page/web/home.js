// The first view: my games, a board for each game to play the computer at one click, people who want to play, live games.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { continueView, liveView, offersView, pastView, trouble } from "./games.js";
import { liveRooms, offered } from "./smallboards.js";
import { part } from "./store.js";
import { gameTile } from "./tile.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 */

/** From so many games on, cards are smaller. */
const MANY = 7;

/** How many live games the first view shows. */
const LIVE = 4;

/** @param {App} app */
export function homeView(app) {
  if (!app.games.size) return noServer(app);
  const games = [...app.games.values()].filter((game) => app.offered?.includes(game.key) ?? true);
  const live = liveRooms(app).slice(0, LIVE);
  return html`<h1 class="spoken">${app.server.name ?? text.name}</h1>
    <div class="home">
      ${app.server.news ? html`<p class="news">${app.server.news}</p>` : nothing}
      ${app.may ? html`<p class="news" role="status">${text.may[app.may]}</p>` : nothing} ${continueView(app)}
      <section>
        <div class="head">
          <h2>${app.mine.running?.length ? text.playComputer : text.choose}</h2>
          ${levels(app)}
        </div>
        ${trouble(app, "play")}
        <ul class="tiles ${games.length >= MANY ? "many" : ""}">
          ${repeat(games, (game) => game.key, (game) => part(gameTile, app, game))} ${wanting(app)}
        </ul>
      </section>
      ${live.length || app.mine.over?.length
        ? html`<div class="lower">
            ${live.length ? liveView(app, live, html`<a href="/watch">${text.allLive}</a>`) : nothing} ${pastView(app)}
          </div>`
        : nothing}
    </div>`;
}

/**
 * There has been no connection yet: there is nothing to choose from.
 * @param {App} app
 */
function noServer(app) {
  return html`<section class="panel nothing">
    <h1>${text.name}</h1>
    <p>${text.about}</p>
    <p role="status">${app.status === "connecting" || app.status === "open" ? text.connecting : text.lobby.noServer}</p>
  </section>`;
}

/** @param {App} app */
function levels(app) {
  return html`<div class="levels">
    <div class="segments" role="radiogroup" aria-label=${text.level}>
      ${text.levels.map(
        ([level, label]) => html`<label
          ><input type="radio" name="level" value=${level} .checked=${app.level === level} @change=${() => app.actions.setLevel(level)} />${label}</label
        >`,
      )}
    </div>
  </div>`;
}

/**
 * Who wants to play, and what one has offered oneself.
 * @param {App} app
 */
function wanting(app) {
  return html`<li class="offers">
    <h3 class="name">${text.lobby.offers}</h3>
    ${app.seek
      ? html`<p role="status">${text.seeking(app.games.get(app.seek.game)?.title ?? "")}</p>
          ${app.seek.waited ? html`<p class="note small">${text.lobby.waited}</p>` : nothing}
          <button @click=${app.actions.unseek}>${text.stopSeeking}</button>`
      : nothing}
    ${trouble(app, "person")} ${offersView(app, offered(app))}
  </li>`;
}
