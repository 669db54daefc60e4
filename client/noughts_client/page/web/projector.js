// A tournament on a projector: twelve ranks at a time on pages that turn by themselves, ranks that move, the leaders' boards
// and the last results. Rank numbers stand still; after a result the players slide past them, all within one move.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { competeText as own } from "./compete_texts.js";
import { fitSoon } from "./fitting.js";
import { enlivened } from "./places.js";
import { called, formOf, half, hasRounds, haveMoved, hung, kindOf, moved, ring, roundRings } from "./standings.js";
import { boardOf, crowned, ending, inWords, liveRooms, wantLast, when } from "./tournament_parts.js";
import { head, join, overRooms } from "./wall.js";
import { barOf, wordsOf } from "./worth.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./tournament.js").Shown} Shown
 * @typedef {import("./tournament.js").Row} Row
 * @typedef {import("./tournament.js").Game} Game
 * @typedef {import("./liveboards.js").LiveBoards} LiveBoards
 * @typedef {import("./standings.js").Names} Names
 */

/** How many ranks are on a page, how many boards there are, and results at most: as many as have room. */
const [RANKS, BOARDS, RESULTS] = [12, 2, 8];

/** With fewer players the rows are higher, up to as high as of so many. */
const FEWEST = 6;

/** A word of so many letters has no room beside the form. */
const WORDY = /\S{20}/;

/** Rows of so many have room for large letters. */
const HIGH = 8;

/** So few players are all on the podium, or almost. */
const FEW = 4;

/** Beside so few ranks two boards that are all of the round have most of the room. */
const BESIDE = 6;

/** How many games besides are watched: one of them takes the place of a game that stands still. */
const SPARE = 12;

/** How long a full page is shown, and any at least; results that come within the same time make one move; how long a move takes: in ms. */
const [TURN_MS, SHORTEST_MS, GATHER_MS, SLIDE_MS] = [12_000, 5000, 2000, 1100];

/** The wait before the first move of some, in ms: the result is seen first. */
const WAIT_MS = 500;

/** From so many ranks on a row is tinted. */
const FAR = 4;

/** The drawing of lines: its height, and the width of the gutter, with how far it has lines. */
const [HEIGHT, GUTTER, DRAWN] = [780, 100, 55];

const now = {
  /** The rows in the order in which they stand on the screen. @type {Row[]} */
  rows: [],
  /** The order before, while they move. @type {Map<string, number> | null} */
  from: null,
  /** The rows that have come. @type {Shown | null} */
  next: null,
  page: 0,
  turnsAt: 0,
  /** Results in the order in which they came, the last first. @type {Game[]} */
  results: [],
  /** @type {number | undefined} */
  moving: undefined,
  /** @type {number | undefined} */
  turning: undefined,
  /** Looks if a board stands still. */
  look: () => {},
};

/** @type {import("./tournament.js").Screen} */
export const screen = { view, changed, leave, want };

function leave() {
  clearTimeout(now.moving);
  clearInterval(now.turning);
  Object.assign(now, { rows: [], from: null, next: null, page: 0, results: [], moving: undefined, turning: undefined, look: () => {} });
}

/**
 * @param {Shown} shown
 * @param {LiveBoards} boards
 */
function want(shown, boards) {
  if (crowned(shown)) return wantLast(shown, boards);
  const rooms = liveRooms(shown);
  boards.want(rooms, BOARDS, { spare: rooms.slice(0, SPARE), fill: overRooms(shown) });
  now.look = () => {
    const places = enlivened(boards.places, rooms, (room) => boards.live.get(room)?.movedAt, Date.now());
    if (places.every((room, index) => room === boards.places[index])) return;
    boards.places = places;
    boards.soon();
  };
}

/**
 * Standings have come: note the results, and have the ranks move soon.
 * @param {Shown} shown
 * @param {import("./app.js").Page} page
 */
function changed(shown, page) {
  const known = new Set(now.results.map(({ room, points }) => room + points));
  const fresh = shown.games.filter(({ room, points }) => points && !known.has(room + points));
  const rooms = new Set(fresh.map(({ room }) => room));
  now.results = [...fresh.toReversed(), ...now.results.filter(({ room }) => !rooms.has(room))].slice(0, 50);
  if (now.turning === undefined) {
    now.turnsAt = Date.now() + TURN_MS;
    now.turning = setInterval(() => turn(page), 250);
  }
  if (!now.rows.length) {
    now.rows = shown.standings;
    return;
  }
  const first = now.next === null;
  now.next = shown;
  if (first) now.moving = setTimeout(() => move(page), now.from ? GATHER_MS : WAIT_MS);
}

/** The ranks move, all at once. @param {import("./app.js").Page} page */
function move(page) {
  const { next } = now;
  if (next === null) return;
  const before = new Map(now.rows.map((row, index) => [row.player.id, index]));
  const moves = next.standings.some((row, index) => before.has(row.player.id) && before.get(row.player.id) !== index);
  now.next = null;
  now.rows = next.standings;
  if (moves) {
    now.from = before;
    now.turnsAt = Math.max(now.turnsAt, Date.now() + SLIDE_MS + GATHER_MS);
    now.moving = setTimeout(() => {
      now.from = null;
      page.app.actions.redraw();
      if (now.next) now.moving = setTimeout(() => move(page), WAIT_MS);
    }, SLIDE_MS);
  }
  page.app.actions.redraw();
}

/** How long the page is shown, by its rows. */
const stays = () => Math.max(SHORTEST_MS, (TURN_MS * Math.min(RANKS, now.rows.length - now.page * RANKS)) / RANKS);

/** Turn the page when its time has come, never during a move. @param {import("./app.js").Page} page */
function turn(page) {
  const pages = Math.max(1, Math.ceil(now.rows.length / RANKS));
  const left = Math.max(0, Math.ceil((now.turnsAt - Date.now()) / 1000));
  const seconds = document.querySelector(".turns");
  if (seconds && seconds.textContent !== String(left)) seconds.textContent = String(left);
  const arc = document.querySelector(".turn-ring .arc");
  arc?.setAttribute("stroke-dasharray", `${Math.max(0, 100 * (1 - (now.turnsAt - Date.now()) / stays())).toFixed(1)} 100`);
  now.look();
  if (Date.now() < now.turnsAt || now.from) return;
  now.page = (now.page + 1) % pages;
  now.turnsAt = Date.now() + stays();
  if (pages === 1) return;
  page.app.actions.redraw();
}

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {Names} names
 * @param {LiveBoards} boards
 */
function view(app, shown, names, boards) {
  const { tournament: terms } = shown;
  const games = boards.places.flatMap((room) => shown.games.find((game) => game.room === room) ?? []);
  const link = location.origin + location.pathname;
  const before = terms.status === "open";
  const open = before || (terms.status === "running" && (terms.format === "arena" || (terms.format === "swiss" && 2 * terms.round <= (terms.rounds ?? 0))));
  fitSoon();
  const shownRooms = new Set(games.map(({ room }) => room));
  const whole = terms.status === "running" && shown.games.every(({ room, points }) => points || shownRooms.has(room));
  const few = whole && games.length === 2 && now.rows.length <= BESIDE;
  return html`<div class="screen projector ${few ? "few" : ""}">
    ${head(terms.name, inWords(app, terms), terms.status === "finished" ? html`<div class="t-when"><strong role="status">${own.over}</strong></div>` : html`${roundRings(shown, true)} ${when(shown)}`)}
    ${crowned(shown) ? ending(app, shown, names, boards, terms.players > FEW ? ranking(shown, names) : undefined) : html`${ranking(shown, names)}
    <div class="s-right ${terms.status}">
      ${games.length && terms.status === "running"
        ? html`<div class="s-boards">
            ${repeat(games, ({ room }) => room, (game) => boardOf(app, shown, names, boards, game, boards.valued ? { bar: barOf(app, boards.live.get(game.room)), below: html`<span class="says">${wordsOf(app, boards.live.get(game.room), names(game.first), names(game.second))}</span>` } : {}))}
          </div>`
        : nothing}
      ${before ? nothing : results(shown, names, whole)} ${open ? join(app, link, before) : nothing}
    </div>`}
  </div>`;
}

/**
 * @param {string} name
 * @param {boolean} beaten
 */
function named(name, beaten) {
  return html`<span class="named ${beaten ? "beaten" : ""}">${called(name)}</span>`;
}

/**
 * The ranks of the page.
 * @param {Shown} shown
 * @param {Names} names
 */
function ranking({ tournament: { status, format, players }, more }, names) {
  const { rows, from } = now;
  const begun = status !== "open";
  const pages = Math.max(1, Math.ceil(rows.length / RANKS));
  const page = Math.min(now.page, pages - 1);
  const start = page * RANKS;
  const last = Math.min(start + RANKS, rows.length);
  const place = new Map(rows.map((row, index) => [row.player.id, index]));
  const within = (/** @type {number | undefined} */ at) => at !== undefined && at >= start && at < start + RANKS;
  // In an order that stays: a row that was put elsewhere in the document would not slide.
  const seen = rows.toSorted((one, other) => one.number - other.number).filter(({ player: { id } }) => within(place.get(id)) || (from && within(from.get(id))));
  const tie = own.ties.find(([key]) => rows.some((row) => row[key] !== undefined));
  const after = (start + RANKS) % (pages * RANKS);
  const plain = !hasRounds(format) || status !== "running" || !haveMoved(rows);
  const ranks = Math.min(RANKS, Math.max(FEWEST, rows.length));
  return html`<section class="panel s-ranks ${!begun ? "plain entry" : status === "finished" ? "plain final" : plain ? "plain" : ""} ${ranks > HIGH ? "" : "high"} ${rows.some(({ player }) => WORDY.test(names(player))) ? "wordy" : ""}" .style=${`--ranks: ${ranks}`} aria-label=${begun ? own.standings : own.entrants}>
    <div class="s-head"><span class="no">#</span><span></span><span>${begun ? own.player : own.entrants}</span>${begun ? html`<span>${own.form}</span><span class="points">${own.points}</span><span class="tie">${tie ? tie[2] : ""}</span>` : nothing}</div>
    <div class="s-rows">
      ${Array.from({ length: ranks }, (_, index) => html`<b class="no" .style=${`--at: ${index}`} aria-hidden="true">${start + index < rows.length ? (begun ? rows[start + index].place : start + index + 1) : ""}</b>`)}
      ${repeat(
        seen,
        ({ player }) => player.id,
        (row) => {
          const at = (place.get(row.player.id) ?? 0) - start;
          const before = (from?.get(row.player.id) ?? at + start) - start;
          const by = (row.was ?? row.place) - row.place;
          return html`<div class="s-row ${from && before > at ? "climbs" : ""} ${Math.abs(by) >= FAR ? (by > 0 ? "far-up" : "") : ""} ${row.withdrawn ? "gone" : ""}"
              .style=${`--at: ${Math.max(-1, Math.min(RANKS, at))}; --before: ${Math.max(-1, Math.min(RANKS, before))}`}>
            <span class="spoken">${row.place}.</span>
            <span class="moves">${plain ? nothing : moved(row)}</span>
            <span class="entrant"><span class="of">${kindOf(row.player)}${named(names(row.player), false)}</span></span>
            ${begun ? html`<span class="ticks">${formOf(row.form)}</span><span class="points">${hung(row.points)}</span><span class="tie">${tie && row[tie[0]] !== undefined ? half(row[tie[0]]) : ""}</span>` : nothing}
          </div>`;
        },
      )}
      ${from || plain ? nothing : lines(rows, start, ranks)}
    </div>
    <div class="s-foot">
      <span>${!rows.length ? own.nobody : begun ? own.ranks(start + 1, last, more === undefined ? rows.length : players) : own.players(players)}</span>
      ${pages > 1 ? html`<span class="turn">${own.nextRanks(after + 1, Math.min(after + RANKS, rows.length))} <span class="turns"></span> s ${ring(0.001, nothing, "turn-ring")}</span>` : nothing}
    </div>
  </section>`;
}

/**
 * Lines from the ranks before the round to those of now.
 * @param {Row[]} rows
 * @param {number} start
 * @param {number} ranks how many have room
 */
function lines(rows, start, ranks) {
  const drawn = rows.map((row, index) => ({ by: (row.was ?? row.place) - row.place, from: (row.was ?? 0) - 1 - start, to: index - start, known: row.was !== undefined }))
    .filter(({ known, to }) => known && to >= 0 && to < RANKS);
  if (!drawn.length) return nothing;
  const y = (/** @type {number} */ at) => (at + 0.5) * (HEIGHT / ranks);
  return html`<svg class="s-lines" viewBox="0 0 ${GUTTER} ${HEIGHT}" aria-hidden="true">
    ${drawn.toSorted((one, other) => one.by - other.by).map(({ by, from, to }) => {
      const kind = by > 0 ? "up" : by < 0 ? "down" : "same";
      const start = Math.max(-0.5, Math.min(RANKS - 0.5, by === 0 ? to : from));
      return svg`<g class=${kind}><path pathLength="1" d="M4 ${y(start)}C${DRAWN * 0.55} ${y(start)} ${DRAWN * 0.5} ${y(to)} ${DRAWN} ${y(to)}"></path><circle cx=${DRAWN} cy=${y(to)} r="7"></circle></g>`;
    })}
  </svg>`;
}

/**
 * The games of the round, those first that are over; without rounds the last results.
 * @param {Shown} shown
 * @param {Names} names
 * @param {boolean} whole whether the boards show all that are under way
 */
function results({ tournament: { format }, games }, names, whole) {
  const round = hasRounds(format) && games.length ? Math.max(...games.map((game) => game.round)) : null;
  const last = now.results.filter((game) => round === null || game.round === round);
  const over = new Set(last.map(({ room }) => room));
  const listed = [...last, ...games.filter((game) => !whole && (round === null ? !last.length : game.round === round) && !over.has(game.room))].slice(0, RESULTS);
  if (!listed.length) return nothing;
  return html`<section class="panel s-results">
    <h2>${last.length && round !== null ? own.resultsOf(round) : round !== null ? own.gamesOf(round) : last.length ? own.lastResults : own.games}</h2>
    <ul>
      ${repeat(listed, ({ first, second, room, points }) => [first.id, second.id, room, points].join(), ({ first, second, points, played }) => {
        const [one, other] = points ?? [0, 0];
        return html`<li>${named(names(first), one < other)} <b>${points ? `${half(one)}–${half(other)}` : "–"}</b> ${named(names(second), other < one)}${played === false ? html`<small class="note">${own.noGame}</small>` : nothing}</li>`;
      })}
    </ul>
  </section>`;
}
