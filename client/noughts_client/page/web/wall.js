// A wall of all boards of a tournament, for a projector: the busiest is the largest, and the small places take turns.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { competeText as own } from "./compete_texts.js";
import { fitSoon } from "./fitting.js";
import { qrOf } from "./link_box.js";
import { called, half, hasRounds } from "./standings.js";
import { boardOf, crowned, ending, inWords, liveRooms, wantLast } from "./tournament_parts.js";
import { barOf, wordsOf } from "./worth.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./tournament.js").Shown} Shown
 * @typedef {import("./liveboards.js").LiveBoards} LiveBoards
 * @typedef {import("./standings.js").Names} Names
 */

/** How many boards are on the wall, and how many of those keep a larger place while others take turns. */
const [PLACES, LARGE] = [9, 3];

/** With so many games or fewer all boards are of one size. */
const ALIKE = 6;

/** How many of the first have room beside so many boards, and how many entrants where there is none yet. */
const [LEADERS, ENTRANTS] = [new Map([[0, 10], [1, 10], [5, 5]]), 20];

/** How many games besides are watched, of which the busiest may come to a large place. */
const SPARE = 24;

/** No board moves within this time, in ms; then the small places take turns. */
const STAYS_MS = 20_000;

/** A clock below this is busy, in ms. */
const BUSY_MS = 20_000;

const now = { turnsAt: 0, turned: 0, ended: new Set() };

/** @type {ReturnType<typeof setTimeout> | undefined} */
let turning;

/** @type {import("./tournament.js").Screen} */
export const screen = { view, changed, leave, want };

/** @type {{shown: Shown, page: import("./app.js").Page} | null} */
let last = null;

/**
 * @param {Shown} shown
 * @param {import("./app.js").Page} page
 */
function changed(shown, page) {
  last = { shown, page };
}

function leave() {
  clearTimeout(turning);
  turning = undefined;
  last = null;
  Object.assign(now, { turnsAt: 0, turned: 0 });
}

/**
 * Give the places: the first to the busiest, the small ones in turn.
 * @param {Shown} shown
 * @param {LiveBoards} boards
 */
function want(shown, boards) {
  if (crowned(shown)) return wantLast(shown, boards);
  const rooms = liveRooms(shown);
  const anew = Date.now() >= now.turnsAt;
  if (anew) {
    now.turnsAt = Date.now() + STAYS_MS;
    clearTimeout(turning);
    turning = setTimeout(() => {
      if (!last) return;
      want(last.shown, boards);
      last.page.app.actions.redraw();
    }, STAYS_MS);
  }
  const order = anew ? inTurn(rooms, boards) : rooms;
  boards.want(order, PLACES, { spare: rooms.slice(0, SPARE), fill: hasRounds(shown.tournament.format) ? overRooms(shown) : [], anew: anew && rooms.length > ALIKE });
}

/** The rooms of the games that are over, while others go on or the next round is to come. @param {Shown} shown */
export const overRooms = ({ tournament: { status }, games }) => (status === "running" ? games.filter(({ points }) => points).map(({ room }) => room) : []);

/**
 * The busiest first; behind the large places those that have waited.
 * @param {string[]} rooms
 * @param {LiveBoards} boards
 */
function inTurn(rooms, boards) {
  const least = (/** @type {string} */ room) => Math.min(boards.leastLeft(room), BUSY_MS);
  const watchers = (/** @type {string} */ room) => boards.live.get(room)?.spectators ?? 0;
  const busy = rooms.toSorted((one, other) => least(one) - least(other) || watchers(other) - watchers(one) || rooms.indexOf(one) - rooms.indexOf(other));
  const [large, small] = [busy.slice(0, LARGE), rooms.filter((room) => !busy.slice(0, LARGE).includes(room))];
  const start = small.length > PLACES - LARGE ? now.turned % small.length : 0;
  now.turned = start + PLACES - LARGE;
  return [...large, ...small.slice(start), ...small.slice(0, start)];
}

/**
 * The line above a screen.
 * @param {string} name
 * @param {string} terms
 * @param {unknown} more
 */
export function head(name, terms, more) {
  return html`<div class="s-top">
    <a class="s-mark" href=${location.pathname} aria-label=${own.leaveScreen}></a>
    <div class="s-name"><h1><bdi>${name}</bdi></h1><p class="note">${terms}</p></div>
    ${more}
  </div>`;
}

/**
 * The link by which one enters: with its code while nothing else is shown, otherwise in a line.
 * @param {App} app
 * @param {string} link
 * @param {boolean} large
 */
export function join(app, link, large) {
  return html`<section class="s-join ${large ? "large" : ""}"><h2>${own.join}</h2>${large ? qrOf(app, link) : nothing}<p>${link.replace(/^https?:\/\//, "").split("/").map((part, index) => html`${index ? "/" : nothing}<wbr />${part}`)}</p></section>`;
}

/**
 * The first of the standings, or who has entered, where boards leave room.
 * @param {Shown} shown
 * @param {Names} names
 * @param {number} room for so many
 */
function leaders({ tournament: { status, players }, standings }, names, room) {
  const before = status === "open";
  const rows = standings.slice(0, room);
  if (!rows.length) return nothing;
  return html`<section class="panel s-leaders ${rows.length > ENTRANTS / 2 ? "many" : ""}">
    <h2>${before ? own.entrants : own.standings}</h2>
    <ol>${rows.map((row) => html`<li>${before ? nothing : html`<b class="no">${row.place}</b>`}<span class="named">${called(names(row.player))}</span>${before ? nothing : html`<b>${half(row.points)}</b>`}</li>`)}</ol>
    ${players > rows.length ? html`<p class="note">${before ? own.players(players) : own.ranks(1, rows.length, players)}</p>` : nothing}
  </section>`;
}

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {LiveBoards} boards
 */
function view(app, shown, names, boards) {
  const isOver = (/** @type {import("./tournament.js").Game} */ { room, points }) => Number(points !== null || boards.isOver(room));
  const placed = boards.places.flatMap((room) => shown.games.find((game) => game.room === room) ?? []);
  const games = crowned(shown) ? [] : placed.toSorted((one, other) => isOver(one) - isOver(other) || (placed.length > ALIKE ? 0 : (one.board ?? 0) - (other.board ?? 0)));
  const under = shown.games.filter(({ points }) => points === null).length;
  const { format, round, rounds, status } = shown.tournament;
  const over = status === "finished";
  const counts = [hasRounds(format) && round ? own.running(round, rounds) : "", own.counts(under, shown.games.length - under)].filter(Boolean).join(" · ");
  const before = status === "open";
  const alike = games.length <= ALIKE;
  const first = over || before ? nothing : leaders(shown, names, LEADERS.get(games.length) ?? 0);
  fitSoon();
  return html`<div class="screen wall ${alike ? "alike" : ""} n${games.length} ${first === nothing ? "" : "with-leaders"} ${boards.valued ? "valued" : ""}">
    ${head(shown.tournament.name, over ? own.over : before ? inWords(app, shown.tournament) : counts, under && !over ? html`<span class="s-legend turn"><bdi>${own.toMove}</bdi></span>` : nothing)}
    ${games.length ? nothing : crowned(shown) ? ending(app, shown, names, boards) : before ? html`<div class="s-before">${leaders(shown, names, ENTRANTS)}${join(app, location.origin + location.pathname, true)}</div>` : html`<p class="s-none">${own.noBoards}</p>`}
    <div class="s-wall">
      ${repeat(games, ({ room }) => room, (game, index) => {
        const live = boards.live.get(game.room);
        const large = !alike && index === 0;
        const busy = own.busy(live?.state.ply ?? 0, live?.spectators ?? 0);
        const says = boards.valued ? wordsOf(app, live, names(game.first), names(game.second)) : game.board === undefined ? "" : own.board(game.board);
        return boardOf(app, shown, names, boards, game, {
          bar: boards.valued ? barOf(app, live) : null,
          classes: large ? "largest" : "",
          counted: true,
          below: large || (alike && boards.valued) ? html`<span class="says"><span>${says}</span><span class="note">${busy}</span></span>` : nothing,
        });
      })}
      ${first}
    </div>
  </div>`;
}
