// Games as cards and lines of the home view: mine, those to watch, and the seeks to take.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, isTurned } from "./board.js";
import { control, left, shown } from "./clock.js";
import { gameOf } from "./setup.js";
import { byUrgency, isAmongComputers, liveRooms, WATCHED } from "./smallboards.js";
import { setupText, text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").MyGame} MyGame
 * @typedef {import("./types.js").OpenSeek} OpenSeek
 * @typedef {import("./types.js").Seat} Seat
 * @typedef {import("./types.js").Side} Side
 */

/** @param {{id?: string, name: string}} player the levels of the computer all have one name */
export function nameOf({ id, name }) {
  return id?.startsWith("computer:") ? `${name} (${id.slice("computer:".length)})` : name;
}

/** @param {Seat | null} seat */
function name(seat) {
  return html`<bdi>${seat ? nameOf(seat) : text.openSeat}</bdi>`;
}

/** @param {MyGame} game */
function opponent(game) {
  return game.seats[game.side === "first" ? "second" : "first"];
}

/**
 * What was refused in a part of the view, or why it is empty.
 * @param {App} app
 * @param {import("./lobby.js").Part} part
 */
export function trouble(app, part) {
  const message = app.trouble[part];
  return message ? html`<p class="error" role="alert">${message.charAt(0).toUpperCase()}${message.slice(1)}</p>` : nothing;
}

/**
 * A small board, empty until its first position comes. Games among computers are not watched.
 * @param {App} app
 * @param {Listing} room
 * @param {Side} [side] the side that I play
 */
function smallBoard(app, room, side) {
  const shown = app.boards.get(room.room);
  const game = gameOf(app, { game: room.game, drawn: shown?.drawn });
  if (!game || isAmongComputers(room) || (room.options.setup && !shown)) return nothing;
  const rows = shown?.rows ?? game.layout.map((row) => ".".repeat(row.length));
  return board({ game, rows, counts: shown?.counts, turned: isTurned(game, side), small: true, label: text.board(game.title) });
}

/**
 * The title of a game, and what was chosen of it.
 * @param {App} app
 * @param {string} key
 * @param {import("./types.js").Setup} [setup]
 */
function titleOf(app, key, setup) {
  const game = app.games.get(key);
  const chosen = setupText(game, setup);
  return `${game?.title ?? key}${chosen && ` (${chosen})`}`;
}

/** @param {Listing["options"]} options */
function terms({ clock, rated }) {
  return `${clock ? ` · ${control(clock)}` : ""}${rated ? ` · ${text.lobby.rated}` : ""}`;
}

/**
 * My games that are not over.
 * @param {App} app
 */
export function continueView(app) {
  const { running } = app.mine;
  if (!running?.length) return app.trouble.mine ? html`<section class="panel continue">${trouble(app, "mine")}</section>` : nothing;
  const games = byUrgency(running, app.connection.now());
  return html`<section class="panel continue">
    <h2>${text.continue}</h2>
    <ul class="cards">
      ${repeat(games.slice(0, WATCHED), (game) => game.room, (game) => mine(app, game))}
    </ul>
    ${games.length > WATCHED
      ? html`<ul class="plain">
          ${repeat(games.slice(WATCHED), (game) => game.room, (game) => line(app, game))}
        </ul>`
      : nothing}
  </section>`;
}

/**
 * @param {App} app
 * @param {MyGame} game
 */
function status(app, game) {
  if (game.status === "waiting") return text.waiting;
  if (game.to_move === undefined) return "";
  const side = game.to_move;
  const clock = game.clock && side ? shown(left(game.clock, side, app.connection.now())) : "";
  return html`${side === game.side ? text.yourTurn : text.lobby.theirTurn} <span class="left">${clock}</span>`;
}

/**
 * @param {App} app
 * @param {MyGame} game
 */
function mine(app, game) {
  const urgent = game.to_move === game.side;
  return html`<li class="card ${urgent ? "urgent" : ""}">
    <a href="/rooms/${game.room}">
      ${smallBoard(app, game, game.side)}
      <span class="names">${name(opponent(game))}</span>
      <span class="turn-of">${status(app, game)}</span>
      <span class="note">${titleOf(app, game.game, game.options.setup)}${terms(game.options)}</span>
    </a>
  </li>`;
}

/**
 * @param {App} app
 * @param {MyGame} game
 */
function line(app, game) {
  return html`<li>
    <a href="/rooms/${game.room}">${app.games.get(game.game)?.title ?? game.game}</a> · ${name(opponent(game))} ·
    ${status(app, game)}
  </li>`;
}

/**
 * My games that are over, each with a link to its replay.
 * @param {App} app
 */
export function pastView(app) {
  const { over, more, shown: count } = app.mine;
  if (!over?.length) return app.trouble.past ? html`<section class="panel">${trouble(app, "past")}</section>` : nothing;
  return html`<section class="panel past">
    <h2>${text.lobby.past}</h2>
    <ul class="plain">
      ${repeat(over.slice(0, count), (game) => game.room, (game) => past(app, game))}
    </ul>
    ${trouble(app, "past")}
    ${more || over.length > count ? html`<button @click=${app.actions.morePast}>${text.lobby.more}</button>` : nothing}
  </section>`;
}

/**
 * @param {App} app
 * @param {MyGame} game
 */
function past(app, game) {
  const winner = game.outcome?.winner;
  const result = !winner ? "drawn" : winner === game.side ? "won" : "lost";
  const { rating } = game;
  const change = rating?.before != null ? ` (${text.lobby.signed(rating.after - rating.before)})` : "";
  return html`<li>
    <a href="/rooms/${game.room}">${app.games.get(game.game)?.title ?? game.game}</a>
    <span class="result ${result}">${text.lobby.results[result]}</span>
    <span>${text.lobby.against} ${name(opponent(game))}</span>
    ${rating ? html`<span class="note">${rating.after}${change}</span>` : nothing}
    <time class="note" datetime=${game.ended_at ?? ""}>${text.lobby.day(game.ended_at ?? "")}</time>
  </li>`;
}

/**
 * Other players' games under way.
 * @param {App} app
 */
export function liveView(app) {
  const games = liveRooms(app);
  return html`<section class="panel wide">
    <h2>${text.live}</h2>
    ${trouble(app, "lobby")}
    ${games.length
      ? html`<ul class="cards">
          ${repeat(games, (room) => room.room, (room) => live(app, room))}
        </ul>`
      : html`<p class="note">${text.lobby.noGames}</p>`}
  </section>`;
}

/**
 * @param {App} app
 * @param {Listing} room
 */
function live(app, room) {
  return html`<li class="card" data-live=${room.room}>
    <a href="/rooms/${room.room}">
      ${smallBoard(app, room)}
      <span class="names">${name(room.seats.first)} – ${name(room.seats.second)}</span>
      <span class="note">${titleOf(app, room.game, room.options.setup)}${terms(room.options)}</span>
    </a>
  </li>`;
}

/**
 * Who wants to play: open seeks with their terms, and rooms with an open seat.
 * @param {App} app
 * @param {Listing[]} rooms
 */
export function offersView(app, rooms) {
  const seeks = [...app.seeks.values()].filter((seek) => seek.player.id !== app.me?.id);
  if (!seeks.length && !rooms.length) return html`<p class="note">${text.lobby.nobody}</p>`;
  return html`<h3>${text.lobby.offers}</h3>
    <ul class="plain offers">
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
    <span
      ><bdi>${player.name}</bdi>${player.rating === undefined ? "" : ` (${player.rating}${player.provisional ? "?" : ""})`} ·
      ${title} · ${seek.clock ? control(seek.clock) : text.noClock}${seek.rated ? ` · ${text.lobby.rated}` : ""}</span
    >
    <button
      ?disabled=${barred}
      title=${barred ? text.ratedNeeds : nothing}
      aria-label=${text.lobby.takeFrom(player.name, title)}
      @click=${() => app.actions.take(seek.seek)}
    >
      ${text.lobby.take}
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
    <span
      ><bdi>${seat?.name ?? text.openSeat}</bdi> · ${titleOf(app, room.game, room.options.setup)} ·
      ${room.options.clock ? control(room.options.clock) : text.noClock}${room.options.rated ? ` · ${text.lobby.rated}` : ""}</span
    >
    <a class="button" href="/rooms/${room.room}">${game ? text.lobby.playAs(game.sides[side].name) : text.takeSeat}</a>
  </li>`;
}
