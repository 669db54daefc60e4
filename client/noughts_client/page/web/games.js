// Lists of games, and how they are shown as cards and lines: mine, those to watch, those to take.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, isTurned, markOf } from "./board.js";
import { control, left, shown } from "./clock.js";
import { gameOf } from "./looks.js";
import { part } from "./store.js";
import { levelName, setupText, text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").MyGame} MyGame
 * @typedef {import("./types.js").Seat} Seat
 * @typedef {import("./types.js").Side} Side
 */

/** How many games of others are listed. */
const LISTED = 12;

/** @param {{id?: string, name: string}} player the levels of the computer all have one name */
export function nameOf({ id, name }) {
  return id?.startsWith("computer:") ? `${text.computer} (${levelName(id)})` : name;
}

/** @param {Seat | null} seat */
function name(seat) {
  return html`<bdi>${seat ? nameOf(seat) : text.openSeat}</bdi>`;
}

/**
 * The name of a player, which leads to the profile. The computer has none; who has no registered name is found by the id.
 * @param {{id: string, name: string, registered?: boolean} | null} player null for an open seat
 * @param {string} [called] another name, such as that in a class
 */
export function personOf(player, called) {
  const words = called ? html`<bdi>${called}</bdi>` : name(/** @type {Seat | null} */ (player));
  if (!player || player.id.startsWith("computer:")) return words;
  return html`<a class="person-link" href="/players/${encodeURIComponent(player.registered ? player.name : player.id)}">${words}</a>`;
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
 * A small board, empty until its first position comes; of a game among computers only if it is watched.
 * @param {App} app
 * @param {Listing} room
 * @param {Side} [side] the side that I play
 * @param {boolean} [tight] as high as the board is, and not square
 */
export function smallBoard(app, room, side, tight) {
  const shown = app.boards.get(room.room);
  const game = gameOf(app, { game: room.game, drawn: shown?.drawn });
  if (!game || (!shown && (isAmongComputers(room) || room.options.setup))) return html`<span class="no-board"></span>`;
  const rows = shown?.rows ?? game.layout.map((row) => ".".repeat(row.length));
  return board({ game, rows, counts: shown?.counts, last: shown?.last, line: shown?.state?.outcome?.cells, turned: isTurned(game, side), tight, label: text.board(game.title) });
}

/**
 * The title of a game, and what was chosen of it.
 * @param {App} app
 * @param {string} key
 * @param {import("./types.js").Setup} [setup]
 */
export function titleOf(app, key, setup) {
  const game = app.games.get(key);
  const chosen = setupText(game, setup);
  return `${game?.title ?? key}${chosen && ` (${chosen})`}`;
}

/** @param {Listing["options"]} options */
export function terms({ clock, rated }) {
  return `${clock ? ` · ${control(clock)}` : ""}${rated ? ` · ${text.lobby.rated}` : ""}`;
}

/**
 * My games that are not over.
 * @param {App} app
 */
export function continueView(app) {
  const { running } = app.mine;
  if (!running?.length) return app.trouble.mine ? html`<section class="strip continue">${trouble(app, "mine")}</section>` : nothing;
  const games = byUrgency(running, app.now);
  return html`<section class="strip continue ${app.mine.unfolded ? "unfolded" : ""}">
    <div class="head">
      <h2>${text.continue}</h2>
      <button class="bare" aria-expanded=${app.mine.unfolded ? "true" : "false"} @click=${app.actions.unfold}>${app.mine.unfolded ? text.fewer : text.lobby.all(games.length)}</button>
    </div>
    <ul class="cards">
      ${repeat(games, (game) => game.room, (game) => part(mine, app, game))}
    </ul>
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
  const clock = game.clock && side ? shown(left(game.clock, side, app.now)) : "";
  return html`<span>${side === game.side ? text.yourTurn : text.lobby.theirTurn}${clock ? html`, <span class="left">${clock}</span>` : nothing}</span>`;
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
      <span class="turn-of">${urgent ? html`<span class="here"></span>` : nothing}${status(app, game)}</span>
      <span class="names">${name(opponent(game))}</span>
      <span class="note">${titleOf(app, game.game, game.options.setup)}${terms(game.options)}</span>
    </a>
  </li>`;
}

/**
 * My games that are over, each with a link to its replay.
 * @param {App} app
 */
export function pastView(app) {
  const { over, more, shown: count } = app.mine;
  if (!over?.length) return app.trouble.past ? html`<section>${trouble(app, "past")}</section>` : nothing;
  return html`<section class="past">
    <div class="head">
      <h2>${text.lobby.past}</h2>
      ${more || over.length > count ? html`<button class="bare" @click=${app.actions.morePast}>${text.lobby.more}</button>` : nothing}
    </div>
    <ul class="rows">
      ${repeat(over.slice(0, count), (game) => game.room, (game) => past(app, game))}
    </ul>
    ${trouble(app, "past")}
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
    <span class="result ${result}">${text.lobby.results[result]}</span>
    <span class="names"><a href="/rooms/${game.room}">${app.games.get(game.game)?.title ?? game.game}</a> ${text.lobby.against} ${personOf(opponent(game))}</span>
    ${rating ? html`<span class="note">${rating.after}${change}</span>` : nothing}
    <time class="note" datetime=${game.ended_at ?? ""}>${text.lobby.day(game.ended_at ?? "")}</time>
  </li>`;
}

/**
 * Other players' games under way.
 * @param {App} app
 * @param {Listing[]} games
 */
export function liveView(app, games) {
  return html`<section class="live">
    <div class="head"><h2>${text.live}</h2><a href="/watch">${text.allLive}</a></div>
    ${trouble(app, "lobby")}
    <ul class="cards">
      ${repeat(games, (room) => room.room, (room) => part(live, app, room))}
    </ul>
  </section>`;
}

/**
 * @param {App} app
 * @param {Listing} room
 */
function live(app, room) {
  const game = app.games.get(room.game);
  const player = (/** @type {Side} */ side) => html`<span class="names">${game ? markOf(game, side) : nothing}${name(room.seats[side])}</span>`;
  return html`<li class="card" data-live=${room.room}>
    <a href="/rooms/${room.room}">
      ${smallBoard(app, room)}
      <span class="text">
        ${player("first")} ${player("second")}
        <span class="note small">${titleOf(app, room.game, room.options.setup)}${terms(room.options)}</span>
      </span>
    </a>
  </li>`;
}

/**
 * Games in the order in which they need their player: first those in which it is to move, with the least time left.
 * @param {MyGame[]} games
 * @param {number} now
 */
export function byUrgency(games, now) {
  const rank = (/** @type {MyGame} */ game) => {
    if (game.to_move !== game.side) return game.status === "waiting" ? Infinity : Number.MAX_VALUE;
    return game.clock ? left(game.clock, game.side, now) : 1e12;
  };
  return [...games].sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
}

/**
 * @param {App} app
 * @param {{seats: Listing["seats"]}} room
 */
export function isMine(app, { seats }) {
  return [seats.first, seats.second].some((seat) => seat !== null && seat.id === app.me?.id);
}

/**
 * Other players' games under way, those of people first. Games among computers stand still unless somebody watches.
 * @param {App} app
 */
export function liveRooms(app) {
  const live = [...app.rooms.values()].filter((room) => room.status === "playing" && !isMine(app, room));
  return [...live.filter((room) => !isAmongComputers(room)), ...live.filter(isAmongComputers)].slice(0, LISTED);
}

/**
 * Who wants to play: rooms of others with an open seat, and open seeks of others.
 * @param {App} app
 */
export function offered(app) {
  return {
    rooms: [...app.rooms.values()].filter((room) => room.status === "waiting" && !isMine(app, room)),
    seeks: [...app.seeks.values()].filter((seek) => seek.player.id !== app.me?.id),
  };
}

/**
 * Not a game against the computer that was only opened: nobody waits for a move, and there is nothing to continue.
 * @param {MyGame} game
 */
export function isBegun(game) {
  return opponent(game)?.kind !== "computer" || game.clock !== null || (game.ply ?? 2) > Number(game.side === "second");
}

/** @param {{seats: Listing["seats"]}} room */
export function isAmongComputers({ seats }) {
  return seats.first?.kind === "computer" && seats.second?.kind === "computer";
}
