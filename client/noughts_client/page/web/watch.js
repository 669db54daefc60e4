// The view of those who watch: live games with their clocks, the way to a certain game, and the best players.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, markOf } from "./board.js";
import { left, shown } from "./clock.js";
import { Lost, Refused } from "./connection.js";
import { liveRooms, nameOf, personOf, smallBoard, terms, titleOf, trouble } from "./games.js";
import { levelFor, position } from "./home.js";
import { formOf, newKey } from "./lobby.js";
import { part } from "./store.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").Side} Side
 */

/** Up to so many games are alike; of more the first is large. */
const ALIKE = 3;

/** How often the clocks are brought up to date, in ms. */
const TICK_MS = 250;

export const title = text.watch;

const own = {
  leaderboard: "Leaderboard",
  notMeasured: "not measured",
  roomId: "Id or link of a game",
  noGames: "Nobody is playing right now. Choose a game, and two computers play it for you.",
  /** @param {string} game */
  watchComputers: (game) => `Watch two computers play ${game}`,
  badRoom: "That is not the id of a room, nor a link to one.",
  go: "Go",
  noRatings: "Nobody has a rating in this game yet.",
  /** @param {number} ply */
  move: (ply) => (ply ? ` · move ${ply}` : ""),
};

/** @type {import("./app.js").Page} */
let page;
/** @type {number | undefined} */
let ticking;
/** Why two computers do not play. @type {string | null} */
let problem = null;

/** @param {import("./app.js").Page} from */
export function enter(from) {
  page = from;
}

/** @param {App} app */
export function view(app) {
  ticking ??= setInterval(() => tick(app), TICK_MS);
  const games = liveRooms(app);
  return html`<h1 class="spoken">${text.watch}</h1>
    <div class="watch">
      <section class="live">
        <div class="head"><h2>${text.live}</h2>${byId(app)}</div>
        ${trouble(app, "lobby")}
        ${games.length ? html`<ul class="cards">${repeat(games, (room) => room.room, (room) => part(card, app, room, room === games[0] && games.length > ALIKE))}</ul>` : nobody(app)}
      </section>
      ${best(app)}
    </div>`;
}

/**
 * A game under way: its board, the players with their clocks, and how far it has come.
 * @param {App} app
 * @param {Listing} room
 * @param {boolean} large
 */
function card(app, room, large) {
  const game = app.games.get(room.game);
  const state = app.boards.get(room.room)?.state;
  const player = (/** @type {Side} */ side) => html`<span class="seat ${state?.to_move === side ? "turn" : ""}"
    >${game ? markOf(game, side) : nothing}<span class="names"><bdi>${room.seats[side] ? nameOf(room.seats[side]) : text.openSeat}</bdi></span
    >${state?.clock ? html`<span class="left" data-room=${room.room} data-side=${side}></span>` : nothing}</span>`;
  return html`<li class="card ${large ? "large" : ""}" data-live=${room.room}>
    <a href="/rooms/${room.room}">
      ${smallBoard(app, room, undefined, large)}
      <span class="text">
        ${player("first")} ${player("second")}
        <span class="note small">${titleOf(app, room.game, room.options.setup)}${terms(room.options)}${large ? own.move(state?.ply ?? 0) : ""}</span>
      </span>
    </a>
  </li>`;
}

/** Bring the clocks up to date. @param {App} app */
function tick(app) {
  if (app.view !== "watch") {
    clearInterval(ticking);
    ticking = undefined;
    return;
  }
  const now = app.connection.now();
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".watch .left"))) {
    const clock = app.boards.get(element.dataset.room ?? "")?.state?.clock;
    const side = /** @type {Side} */ (element.dataset.side);
    if (!clock || !app.connection.welcomed) continue; // then they stop
    const words = shown(left(clock, side, now));
    if (element.textContent !== words) element.textContent = words;
    element.classList.toggle("running", clock.running === side);
  }
}

/**
 * Nobody plays: each board has two computers play.
 * @param {App} app
 */
function nobody(app) {
  const games = [...app.games.values()].filter(({ key }) => app.offered?.includes(key) ?? true);
  return html`<p class="note">${own.noGames}</p>
    ${problem ? html`<p class="error" role="alert">${problem}</p>` : nothing}
    <ul class="tables">
      ${games.map((game) => html`<li class="tile">
        <button class="go" aria-label=${own.watchComputers(game.title)} @click=${() => computers(game)}>
          ${board({ ...position(app, game), game })}<span class="start" aria-hidden="true">${text.watch}</span>
          <span class="text"><span class="name">${game.title}</span></span>
        </button>
      </li>`)}
    </ul>`;
}

/** Have two computers play, and watch them. @param {GameInfo} game */
async function computers(game) {
  const { app, go } = page;
  const level = `computer:${levelFor(game, app.level)}`;
  try {
    const answer = await app.connection.request("create", { game: game.key, seats: { first: level, second: level }, key: newKey() });
    problem = null;
    go(`/rooms/${answer.room}`);
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Lost)) throw error;
    problem = error instanceof Lost ? text.notSent : error.message;
    app.actions.redraw();
  }
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

/** @param {App} app */
function byId(app) {
  return html`<form @submit=${goToRoom} class="inline">
    <input name="room" aria-label=${own.roomId} placeholder=${own.roomId} autocomplete="off" spellcheck="false" maxlength="200" />
    <button>${own.go}</button>
    ${trouble(app, "room")}
  </form>`;
}

/** @param {SubmitEvent} event */
function goToRoom(event) {
  const typed = String(formOf(event).get("room")).trim();
  const room = /(?:^|\/rooms\/)([A-Za-z0-9_-]{1,64})\/?$/.exec(typed)?.[1]; // or a link
  if (room) return page.go(`/rooms/${room}`);
  page.change({ trouble: { ...page.app.trouble, room: own.badRoom } });
}
