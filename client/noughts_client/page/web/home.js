// The first view: play the computer or a person, watch, and see who is best.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board } from "./board.js";
import { control, CONTROLS } from "./clock.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").Seat} Seat
 */

/** @param {App} app */
export function homeView(app) {
  return html`<p class="about">${text.about}</p>
    <div class="home">
      ${mineView(app)} ${computer(app)} ${person(app)} ${best(app)} ${identity(app)} ${live(app)}
    </div>`;
}

/** @param {App} app */
function gameChoice(app) {
  return html`<label
    >${text.game}
    <select name="game" @change=${app.actions.choose}>
      ${[...app.games.values()].map(
        (game) => html`<option value=${game.key} ?selected=${game.key === app.form.game}>${game.title}</option>`,
      )}
    </select></label
  >`;
}

/** @param {App} app */
function computer(app) {
  const game = app.games.get(app.form.game);
  return html`<section class="panel">
    <h2>${text.playComputer}</h2>
    <form @submit=${app.actions.playComputer}>
      ${gameChoice(app)}
      <label
        >${text.level}
        <select name="level">
          ${repeat(
            game?.levels ?? [],
            (level) => `${app.form.game} ${level}`,
            (level) => html`<option value=${level} ?selected=${level === "medium"}>${level}</option>`,
          )}
        </select></label
      >
      <label
        >${text.side}
        <select name="side">
          <option value="first">${game?.sides.first.name}</option>
          <option value="second">${game?.sides.second.name}</option>
        </select></label
      >
      <button class="main">${text.play}</button>
    </form>
  </section>`;
}

/** @param {App} app */
function person(app) {
  const registered = app.me?.registered;
  const rooms = [...app.rooms.values()].filter((room) => room.status === "waiting" && !isMine(app, room));
  return html`<section class="panel">
    <h2>${text.playPerson}</h2>
    ${app.seek
      ? html`<p role="status">${text.seeking(app.games.get(app.seek.game)?.title ?? "")}</p>
          <button @click=${app.actions.unseek}>${text.stopSeeking}</button>`
      : html`<form @submit=${app.actions.playPerson}>
          ${gameChoice(app)}
          <label
            >${text.clock}
            <select name="clock">
              ${[...CONTROLS.keys()].map((name) => html`<option value=${name}>${name || text.noClock}</option>`)}
            </select></label
          >
          <label class="check"
            ><input type="checkbox" name="rated" ?disabled=${!registered} /> ${text.rated}</label
          >
          <button class="main" name="how" value="seek">${text.seek}</button>
          <button name="how" value="invite">${text.invite}</button>
        </form>`}
    ${rooms.length
      ? html`<h3>${text.openRooms}</h3>
          <ul class="plain">
            ${repeat(rooms, (room) => room.room, (room) => openRoom(app, room))}
          </ul>`
      : nothing}
  </section>`;
}

/**
 * @param {App} app
 * @param {Listing} room
 */
function openRoom(app, room) {
  const seat = room.seats.first ?? room.seats.second;
  const terms = room.options.clock ? control(room.options.clock) : text.noClock;
  return html`<li>
    <bdi>${seat?.name ?? text.openSeat}</bdi> · ${app.games.get(room.game)?.title ?? room.game} · ${terms}
    <a class="button" href="/rooms/${room.room}">${text.takeSeat}</a>
  </li>`;
}

/**
 * @param {App} app
 * @param {Listing} room
 */
function isMine(app, room) {
  return [room.seats.first, room.seats.second].some((seat) => seat !== null && seat.id === app.me?.id);
}

/**
 * The games of this player that are not over, which the lobby lists.
 * @param {App} app
 */
function mineView(app) {
  const mine = [...app.rooms.values()].filter((room) => room.status !== "over" && isMine(app, room));
  if (!mine.length) return nothing;
  return html`<section class="panel continue">
    <h2>${text.continue}</h2>
    <ul class="cards">
      ${repeat(mine, (room) => room.room, (room) => card(app, room))}
    </ul>
  </section>`;
}

/** @param {App} app */
function live(app) {
  const others = [...app.rooms.values()].filter((room) => room.status === "playing" && !isMine(app, room)).slice(0, 12);
  return html`<section class="panel wide">
      <h2>${text.live}</h2>
      ${others.length
        ? html`<ul class="cards">
            ${repeat(others, (room) => room.room, (room) => card(app, room))}
          </ul>`
        : html`<p class="note">${text.noGames}</p>`}
      <form @submit=${app.actions.goToRoom} class="inline">
        <label>${text.roomId} <input name="room" autocomplete="off" spellcheck="false" maxlength="64" /></label>
        <button>${text.go}</button>
      </form>
      <p><a class="button" href="/?replay">${text.replayFile}</a></p>
    </section>`;
}

/**
 * @param {App} app
 * @param {Listing} room
 */
function card(app, room) {
  const game = app.games.get(room.game);
  const shown = app.boards.get(room.room);
  const name = (/** @type {Seat | null} */ seat) => html`<bdi>${seat?.name ?? text.openSeat}</bdi>`;
  return html`<li class="card">
    <a href="/rooms/${room.room}">
      ${game && shown ? board({ game, rows: shown, small: true, label: text.board(game.title) }) : nothing}
      <span class="names">${name(room.seats.first)} – ${name(room.seats.second)}</span>
      <span class="note">${game?.title ?? room.game}${room.options.clock ? ` · ${control(room.options.clock)}` : ""}</span>
    </a>
  </li>`;
}

/** @param {App} app */
function best(app) {
  const title = app.games.get(app.form.game)?.title ?? "";
  return html`<section class="panel">
    <h2>${text.leaderboard}: ${title}</h2>
    ${app.leaders.length
      ? html`<ol class="leaders">
          ${app.leaders.map((player) => html`<li><bdi>${nameOf(player)}</bdi> <span>${player.rating}</span></li>`)}
        </ol>`
      : html`<p class="note">${text.noRatings}</p>`}
  </section>`;
}

/** @param {{id?: string, name: string}} player the levels of the computer all have one name */
function nameOf({ id, name }) {
  return id?.startsWith("computer:") ? `${name} (${id.slice("computer:".length)})` : name;
}

/** @param {App} app */
function identity(app) {
  if (!app.me) return nothing;
  return html`<section class="panel">
    <h2>${text.yourName}</h2>
    ${app.me.registered
      ? html`<p><bdi>${app.me.name}</bdi></p>
          <p class="note">${text.registeredAs}</p>`
      : html`<form @submit=${app.actions.register} class="inline">
            <label>${text.yourName} <input name="name" .value=${app.me.name} maxlength="32" autocomplete="nickname" /></label>
            <button>${text.register}</button>
          </form>
          <p class="note">${text.registerHelp}</p>`}
    ${app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing}
  </section>`;
}
