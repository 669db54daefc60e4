// The first view: my games, a board for each game to play the computer at one click, people who want to play, live games.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board } from "./board.js";
import { continueView, liveRooms, liveView, offered, pastView, trouble } from "./games.js";
import { icon } from "./icons.js";
import { part } from "./store.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").GameInfo} GameInfo
 */

/** From so many games on, cards are smaller. */
const MANY = 7;

/** How many live games the first view shows. */
const LIVE = 4;

/** Where the games are far below each other. */
export const narrow = matchMedia("(max-width: 900px)");

/** @param {App} app */
export function homeView(app) {
  if (!app.games.size) return noServer(app);
  const games = [...app.games.values()].filter((game) => app.offered?.includes(game.key) ?? true);
  const live = liveRooms(app).slice(0, LIVE);
  const { rooms, seeks } = offered(app);
  const waits = rooms.length + seeks.length > 0;
  const above = narrow.matches && (waits || !!app.trouble.person);
  return html`<h1 class="spoken">${app.server.name ?? text.name}</h1>
    <div class="home">
      ${app.server.news ? html`<p class="news">${app.server.news}</p>` : nothing}
      ${app.may ? html`<p class="news" role="status">${text.may[app.may]}</p>` : nothing} ${app.waitingViews?.seekView(app)}
      ${continueView(app)} ${above ? html`<section class="offers">${wanting(app, waits)}</section>` : nothing} ${app.soon || nothing}
      <section>
        <div class="head">
          <h2>${app.mine.running?.length ? text.playComputer : text.choose}</h2>
          ${app.mine.running?.length || app.mine.over?.length ? nothing : html`<p class="note about">${text.about}</p>`} ${levels(app)}
        </div>
        ${trouble(app, "play")}
        <ul class="tiles ${games.length >= MANY ? "many" : ""}">
          ${repeat(games, (game) => game.key, (game) => part(gameTile, app, game))} ${above ? nothing : html`<li class="offers">${wanting(app, waits)}</li>`}
        </ul>
      </section>
      ${live.length || app.mine.over?.length
        ? html`<div class="lower">
            ${live.length ? liveView(app, live) : nothing} ${pastView(app)}
          </div>`
        : nothing}
      ${app.today || nothing}
    </div>`;
}

/**
 * There has been no connection yet: there is nothing to choose from.
 * @param {App} app
 */
function noServer(app) {
  return html`<section class="panel nothing quiet">
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
 * Who wants to play: beside the games or, where those are below each other, above them.
 * @param {App} app
 * @param {boolean} waits whether there is anybody
 */
function wanting(app, waits) {
  return html`<h3 class="name">${text.lobby.offers}</h3>
    ${trouble(app, "person")} ${waits || app.seek ? app.waitingViews?.offersView(app) : html`<p class="note small">${text.lobby.nobody[0]}${icon("people")}${text.lobby.nobody[1]}</p>`}`;
}

/**
 * The card of a game: one click plays the computer, another opens what can be chosen.
 * @param {App} app
 * @param {GameInfo} game
 */
function gameTile(app, game) {
  const playing = [...app.rooms.values()].filter((room) => room.game === game.key && room.status === "playing").length;
  const waiting = Object.values(offered(app)).flat().filter((one) => one.game === game.key).length;
  const level = levelFor(game, app.level);
  const shown = app.terms === game.key;
  const leave = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && app.actions.showTerms(null);
  return html`<li class="tile" data-game=${game.key} @keydown=${shown ? leave : nothing}>
    <button class="go" aria-label=${text.playAgainst(game.title, level)} @click=${() => app.actions.playComputer(game)}>
      ${board({ ...position(app, game), game })}
      <span class="start" aria-hidden="true">${text.play}</span>
      <span class="text">
        <span class="name">${game.title}</span>
        <span class="note small">${text.lobby.going(playing, waiting)}</span>
      </span>
    </button>
    <button
      class="terms" title=${text.lobby.terms(game.title)} aria-expanded=${shown ? "true" : "false"}
      @click=${(/** @type {MouseEvent} */ event) => app.actions.showTerms(shown ? null : game.key, event)}
    >${icon("people")}</button>
    ${shown ? app.termsView?.(app, game) : nothing}
  </li>`;
}

/**
 * The level that a game has for the one that is chosen: the first of its levels is its strongest, whatever its name.
 * @param {GameInfo} game
 * @param {string} level
 */
export function levelFor({ levels }, level) {
  return levels.includes(level) ? level : level === "best" ? levels[0] : levels[Math.floor(levels.length / 2)];
}

/**
 * What the card shows: a game that is being played, or an example.
 * @param {App} app
 * @param {GameInfo} game
 */
export function position(app, game) {
  const live = liveRooms(app).find((room) => room.game === game.key && app.boards.get(room.room) && !room.options.setup);
  const now = live && app.boards.get(live.room);
  const { rows, counts, last } = now ?? app.examples[game.key] ?? {};
  return { rows: rows ?? game.layout.map((row) => ".".repeat(row.length)), counts, last };
}
