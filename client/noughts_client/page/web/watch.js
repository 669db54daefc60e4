// The view of those who watch: one game large, with its players, clocks and moves; the others small, with those just
// finished; the way to a certain game, and the best players.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board, markOf } from "./board.js";
import { left, shown } from "./clock.js";
import { Lost, Refused } from "./connection.js";
import { isAmongComputers, isMine, nameOf, personOf, smallBoard, terms, titleOf, trouble } from "./games.js";
import { levelFor } from "./home.js";
import { formOf, newKey } from "./lobby.js";
import { cropped, gameOf } from "./looks.js";
import { part } from "./store.js";
import { text } from "./texts.js";
import { turnsIn } from "./turns.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Listing} Listing
 * @typedef {import("./types.js").Side} Side
 */

/** How many columns a wide window has, and how many places beside the leading game. */
const COLUMNS = 6;
const BESIDE = 4;

/** How many places are beside it on a projector, and how many results are told there. */
const [PRESENT_BESIDE, RESULTS] = [2, 2];

/** A board with more rows is cut in a picture, which large looks like no game. */
const WHOLE = 10;

/** How many games under way are shown, and how many that are over. */
const SHOWN = 23;
const FINISHED = 4;

/** How long a leading game that is over stays, in ms. */
const LINGERS_MS = 8000;

/** How many of the last moves are listed: an even number, so that a move stays in its column. */
const LISTED = 40;

/** How often the clocks are brought up to date, in ms. */
const TICK_MS = 250;

export const title = text.watch;

const own = {
  leaderboard: "Leaderboard",
  notMeasured: "not measured",
  roomId: "Id or link of a game",
  noGames: "Nobody is playing right now",
  noOthers: "Nobody else is playing right now",
  noGamesHelp: "Choose a game, and two computers play it for you.",
  /** @param {string} game */
  watchComputers: (game) => `Watch two computers play ${game}`,
  badRoom: "That is not the id of a room, nor a link to one.",
  go: "Go",
  noRatings: "Nobody has a rating in this game yet.",
  all: "All games",
  kinds: "Games shown",
  computersPlay: "Computers play",
  finished: "Just finished",
  drawn: "Drawn",
  moves: "Moves",
  noMoves: "No move yet",
  /** @param {string} name */
  won: (name) => `${name} won`,
  /** @param {string} name */
  toMove: (name) => `${name} to move`,
  /** @param {string} one @param {string} other @param {string} game */
  watchGame: (one, other, game) => `Watch ${one} against ${other}, ${game}`,
};

/** @type {import("./app.js").Page} */
let page;
/** The game that is shown large, and when it was seen to be over. @type {{room: string | null, endedAt: number | null}} */
let led = { room: null, endedAt: null };
/** The kind of game that alone is shown. @type {string | null} */
let kind = null;
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
  const all = [...app.rooms.values()];
  const live = byCompany(all.filter((room) => room.status === "playing" && !isMine(app, room)));
  const kinds = new Set(live.map((room) => room.game));
  if (kind !== null && !kinds.has(kind)) kind = null;
  const shown = live.filter((room) => kind === null || room.game === kind);
  const lead = leader(all, shown);
  const others = shown.filter((room) => room !== lead).slice(0, SHOWN);
  const over = all.filter((room) => room.status === "over" && room.outcome && room !== lead && (kind === null || room.game === kind));
  const { present } = app;
  const cells = [...others, ...over.slice(0, FINISHED)].slice(0, present ? PRESENT_BESIDE : undefined);
  const offered = [...app.games.values()].filter(({ key }) => app.offered?.includes(key) ?? true);
  const whole = offered.filter(({ layout }) => layout.length <= WHOLE);
  const today = whole[new Date().getDate() % whole.length]; // another each day
  const free = (present ? PRESENT_BESIDE : BESIDE) - cells.length; // beside the large game
  const tiles = present ? [] : !lead ? offered.filter((game) => game !== today) : free > 0 ? offered.slice(0, COLUMNS) : [];
  const rest = COLUMNS - (Math.max(cells.length - BESIDE, 0) % COLUMNS);
  const beside = free > (present ? 0 : 1); // there is room for the best players
  const rows = cells.length ? 1 : 2;
  return html`<h1 class="spoken">${text.watch}</h1>
    <div class="watch">
      <div class="head"><h2>${text.live}</h2>${present ? results(app, over) : html`${kinds.size > 1 ? kindsOf(app, live, kinds) : nothing}<a class="button" href="/watch?present">${text.projector}</a>`}</div>
      ${trouble(app, "lobby")} ${problem ? html`<p class="error" role="alert">${problem}</p>` : nothing}
      <ul class="live cards">
        ${lead ? part(leading, app, lead) : today ? nobody(app, today) : nothing}
        ${repeat(cells, (room) => room.room, (room, index) => part(card, app, room, free > 0 && free % 2 === 1 && index === cells.length - 1))}
        ${present && !beside ? nothing : html`<li class="best ${beside ? "beside" : ""}" .style=${`--rest: ${rest > 1 ? rest : COLUMNS}; --rows: ${rows}`}>${best(app)}</li>`}
      </ul>
      ${tiles.length ? html`<section class="computers"><h2>${own.computersPlay}</h2><ul class="cards">${tiles.map((game) => tile(app, game))}</ul></section>` : nothing}
      ${present ? nothing : byId(app)}
    </div>`;
}

/**
 * Games of people first: those among computers stand still unless somebody watches.
 * @param {Listing[]} games
 */
function byCompany(games) {
  return [...games.filter((room) => !isAmongComputers(room)), ...games.filter(isAmongComputers)];
}

/** @param {Listing} room */
function strength({ seats }) {
  return (seats.first?.rating ?? 0) + (seats.second?.rating ?? 0);
}

/**
 * The game that is shown large: the one that was, until it is over for a while; then that of the strongest players. One
 * without a move is large only as long as none has any.
 * @param {Listing[]} all
 * @param {Listing[]} live
 */
function leader(all, live) {
  const before = all.find((room) => room.room === led.room);
  if (before?.status === "over") led.endedAt ??= Date.now();
  const begun = live.filter(({ room }) => page.app.boards.get(room)?.state?.ply !== 0); // or not known yet
  const some = begun.length ? begun : live;
  const stays = before && (before.status === "over" ? Date.now() - (led.endedAt ?? 0) < LINGERS_MS : some.includes(before));
  const one = stays ? before : some.reduce((/** @type {Listing | undefined} */ best, room) =>
    best && (isAmongComputers(room) || strength(room) <= strength(best)) ? best : room, undefined);
  if (one?.room !== led.room) led = { room: one?.room ?? null, endedAt: null };
  return one;
}

/**
 * The games that are played, of which one can be chosen.
 * @param {App} app
 * @param {Listing[]} live
 * @param {Set<string>} kinds
 */
function kindsOf(app, live, kinds) {
  const choice = (/** @type {string | null} */ key, /** @type {string} */ title, /** @type {number} */ count) => html`<label
    ><input type="radio" name="kind" .checked=${kind === key} @change=${() => choose(key)} />${title} <span class="note small">${count}</span></label
  >`;
  const choose = (/** @type {string | null} */ key) => {
    kind = key;
    app.actions.redraw();
  };
  return html`<div class="chips" role="radiogroup" aria-label=${own.kinds}>
    ${choice(null, own.all, live.length)}
    ${[...kinds].map((key) => choice(key, app.games.get(key)?.title ?? key, live.filter((room) => room.game === key).length))}
  </div>`;
}

/**
 * A player of a game: the mark, the name, and the clock or the points.
 * @param {App} app
 * @param {Listing} room
 * @param {Side} side
 */
function seatOf(app, room, side) {
  const game = app.games.get(room.game);
  const state = app.boards.get(room.room)?.state;
  const seat = room.seats[side];
  const winner = room.outcome?.winner;
  return html`<span class="seat ${room.outcome && winner !== side ? "beaten" : ""}"
    >${game ? markOf(game, side) : nothing}<span class="names"><bdi>${seat ? nameOf(seat) : text.openSeat}</bdi></span
    >${seat?.rating === undefined ? nothing : html`<span class="note rated">${seat.rating}${seat.provisional ? "?" : ""}</span>`}
    ${room.outcome
      ? html`<b class="got">${winner ? (winner === side ? "1" : "0") : "½"}</b>`
      : state?.clock ? html`<span class="left" data-room=${room.room} data-side=${side}></span>`
        : state?.to_move === side ? html`<i class="here"></i>` : nothing}</span>`;
}

/**
 * Who is to move, or how it ended.
 * @param {App} app
 * @param {Listing} room
 */
function word(app, room) {
  const side = room.outcome ? room.outcome.winner : app.boards.get(room.room)?.state?.to_move;
  const name = side ? (app.games.get(room.game)?.sides[side].name ?? "") : "";
  return room.outcome ? (side ? own.won(name) : own.drawn) : side ? own.toMove(name) : "";
}

/**
 * The game that is shown large.
 * @param {App} app
 * @param {Listing} room
 */
function leading(app, room) {
  const shown = app.boards.get(room.room);
  const game = gameOf(app, { game: room.game, drawn: shown?.drawn });
  if (!game) return nothing;
  const [, , wide, high = wide] = cropped({ game, rows: shown?.rows ?? game.layout.map((row) => ".".repeat(row.length)), tight: true });
  const bottom = game.board?.bottom ?? "first";
  const top = bottom === "first" ? "second" : "first";
  const who = (/** @type {Side} */ side) => (room.seats[side] ? nameOf(room.seats[side]) : text.openSeat);
  const moves = shown?.state?.moves ?? [];
  const from = Math.max(0, moves.length + (moves.length % 2) - LISTED);
  const number = (/** @type {number} */ ply) => (turnsIn(game, ply + 1) > turnsIn(game, ply) ? turnsIn(game, ply + 1) : "");
  return html`<li class="card lead" data-live=${room.room} .style=${`--ratio: ${(wide / high).toFixed(4)}`}>
    <a href="/rooms/${room.room}" aria-label=${own.watchGame(who("first"), who("second"), titleOf(app, room.game, room.options.setup))}>
      ${smallBoard(app, room, undefined, true)} ${seatOf(app, room, top)}
      <span class="told">
        <span class="name">${titleOf(app, room.game, room.options.setup)}<span class="note small">${terms(room.options)}</span></span>
        <span class="played"><span>${moves.length
          ? moves.slice(from).map((move, index) => html`<span class=${from + index === moves.length - 1 ? "now" : ""}><i>${number(from + index)}</i>${shown?.state?.names?.[from + index] ?? move}</span>`)
          : html`<span class="note">${own.noMoves}</span>`}</span></span>
        <span class="word ${room.outcome ? "call" : ""}">${word(app, room)}</span>
      </span>
      ${seatOf(app, room, bottom)}
    </a>
  </li>`;
}

/**
 * A game under way, or just finished: its board, and the players with their clocks or points.
 * @param {App} app
 * @param {Listing} room
 * @param {boolean} alone whether a place beside it would be empty
 */
function card(app, room, alone) {
  return html`<li class="card ${room.outcome ? "over" : ""} ${alone ? "alone" : ""}" data-live=${room.room}>
    <a href="/rooms/${room.room}">
      ${smallBoard(app, room)}
      <span class="text">
        ${seatOf(app, room, "first")} ${seatOf(app, room, "second")}
        <span class="note small">${room.outcome ? `${own.finished} · ` : ""}${titleOf(app, room.game, room.options.setup)}${room.outcome ? "" : terms(room.options)}</span>
      </span>
    </a>
  </li>`;
}

/**
 * The last results, on a projector.
 * @param {App} app
 * @param {Listing[]} over
 */
function results(app, over) {
  if (!over.length) return nothing;
  return html`<p class="results"><span class="note">${own.finished}</span> ${over.slice(0, RESULTS).map(({ game, seats, outcome }) => {
    const names = (/** @type {Side} */ side) => html`<bdi>${seats[side] ? nameOf(seats[side]) : text.openSeat}</bdi>`;
    return html`<span>${names("first")} <b>${outcome?.winner ? (outcome.winner === "first" ? "1–0" : "0–1") : "½–½"}</b> ${names("second")} <span class="note">${app.games.get(game)?.title ?? game}</span></span>`;
  })}</p>`;
}

/** Bring the clocks up to date. @param {App} app */
function tick(app) {
  if (app.view !== "watch") {
    clearInterval(ticking);
    ticking = undefined;
    return;
  }
  if (led.endedAt !== null && Date.now() - led.endedAt >= LINGERS_MS) app.actions.redraw();
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
 * An example, even if such a game is under way, which is shown beside it.
 * @param {App} app
 * @param {GameInfo} game
 */
const example = (app, game) => app.examples[game.key] ?? { rows: game.layout.map((row) => ".".repeat(row.length)) };

/**
 * Nobody plays: computers do, at one click on a board.
 * @param {App} app
 * @param {GameInfo} game
 */
function nobody(app, game) {
  const shown = example(app, game);
  const [, , wide, high = wide] = cropped({ ...shown, game, tight: true });
  return html`<li class="card lead none" .style=${`--ratio: ${(wide / high).toFixed(4)}`}>
    ${board({ ...shown, game, tight: true })}
    <div class="told">
      <h3>${[...app.rooms.values()].some((room) => room.status === "playing" && isMine(app, room)) ? own.noOthers : own.noGames}</h3>
      <p class="note">${own.noGamesHelp}</p>
      <button class="main" @click=${() => computers(game)}>${own.watchComputers(game.title)}</button>
    </div>
  </li>`;
}

/**
 * Two computers play this at one click.
 * @param {App} app
 * @param {GameInfo} game
 */
function tile(app, game) {
  return html`<li class="tile">
    <button class="go" aria-label=${own.watchComputers(game.title)} @click=${() => computers(game)}>
      ${board({ ...example(app, game), game })}<span class="start" aria-hidden="true">${text.watch}</span>
      <span class="text"><span class="name">${game.title}</span></span>
    </button>
  </li>`;
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
  return html`<div class="head">
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
        : html`<p class="empty">${own.noRatings}</p>`}`;
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
