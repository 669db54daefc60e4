// A game in a frame of another site: its board, players, clocks and result. Nothing is stored, and nobody says hello.

import { html, nothing, render } from "./vendor/lit-html/lit-html.js";
import { isTurned, markOf } from "./board.js";
import { lasts, left, shown } from "./clock.js";
import { grid } from "./grid.js";
import { gameOf } from "./looks.js";
import { fromRoom, lastCells } from "./table.js";
import { ended, text } from "./room_texts.js";
import { levelName } from "./texts.js";

/**
 * @typedef {import("./types.js").GameInfo} GameInfo
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./types.js").Ending} Ending
 * @typedef {import("./table.js").Table} Table
 * @typedef {{table: Table, game: GameInfo, ending: Ending | null}} Shown
 */

/** How long to wait after an answer that says nothing about it. */
const RETRY_S = 15;

const LATE = "The server does not answer. Trying again …";
const NONE = "There is no game here.";

const path = location.pathname;
const root = /** @type {HTMLElement} */ (document.querySelector("#embed"));

/** @type {Shown | null} */
let game = null;

/** What is wrong, if anything is. */
let trouble = "";

/** The server's time less this machine's, in ms. */
let ahead = 0;

/** When to ask again, by `performance.now()`; infinite once the game is over. */
let askAt = 0;

let asking = false;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

async function ask() {
  asking = true;
  let again = RETRY_S;
  try {
    const answer = await fetch(`${path}.json`, { credentials: "omit", cache: "no-cache" });
    if (answer.status === 404) {
      [trouble, again] = [NONE, Infinity];
    } else if (!answer.ok) {
      trouble = game ? "" : LATE;
    } else {
      const { room, game: info, ending, again_s } = await answer.json();
      trouble = "";
      again = again_s || Infinity;
      ahead = Date.parse(answer.headers.get("Noughts-Now") ?? "") - Date.now();
      const table = fromRoom(room, game?.table ?? null);
      const drawn = gameOf({ games: new Map([[info.key, info]]) }, table);
      if (drawn) game = { table, game: drawn, ending };
    }
  } catch {
    trouble = LATE;
  }
  asking = false;
  askAt = performance.now() + again * 1000;
  draw();
}

function draw() {
  render(view(), root);
  next();
}

/** Wait until a clock shows something else, or the server is to be asked. A frame that nobody sees waits until it is seen. */
function next() {
  clearTimeout(timer);
  if (document.hidden) return;
  const wait = asking ? Infinity : askAt - performance.now();
  if (wait <= 0) return void ask();
  const clock = game?.table.state.clock;
  const ticks = clock?.running ? lasts(left(clock, clock.running, Date.now() + ahead)) : Infinity;
  const soonest = Math.min(wait, ticks);
  if (soonest < Infinity) timer = setTimeout(draw, soonest);
}

function view() {
  if (!game) return html`<p class="note" role="status">${trouble || text.connecting}</p>`;
  const { table, game: info } = game;
  const bottom = info.board?.bottom ?? "first";
  const top = bottom === "second" ? "first" : "second";
  const { rows, counts, outcome, to_move } = table.state;
  return html`${player(table, info, top)}
    ${grid({ game: info, rows, counts, turned: isTurned(info, bottom), last: lastCells(table, info), line: outcome?.cells, over: outcome !== null, mover: to_move })}
    ${player(table, info, bottom)}
    <div class="foot">
      <p class="status" role="status">${status(game)}</p>
      <a href="/rooms/${table.room}" target="_blank" rel="noopener">${info.title}, ${text.name}</a>
    </div>
    ${trouble ? html`<p class="note" role="status">${trouble}</p>` : nothing}`;
}

/**
 * @param {Table} table
 * @param {GameInfo} info
 * @param {Side} side
 */
function player({ state }, info, side) {
  const { clock, score, seats, to_move } = state;
  const [seat, { name }] = [seats[side], info.sides[side]];
  const counted = score?.[side === "first" ? 0 : 1];
  const what = counted === undefined ? name : `${name} ${counted}`;
  const level = seat?.kind === "computer" ? `, ${levelName(seat.id)}` : "";
  return html`<div class="player ${side} ${to_move === side ? "turn" : ""}">
    ${markOf(info, side)}
    <span class="who"><bdi>${seat ? seat.name : text.openSeat}</bdi></span>
    <span class="what">${what}${level}</span>
    ${clock ? html`<span class="time ${clock.running === side ? "running" : ""}" role="timer">${shown(left(clock, side, Date.now() + ahead))}</span>` : nothing}
  </div>`;
}

/** @param {Shown} shown */
function status({ table: { state }, game: info, ending }) {
  const name = (/** @type {Side} */ side) => state.seats[side]?.name ?? info.sides[side].name;
  const { outcome, to_move } = state;
  if (outcome) {
    const words = { endings: { [outcome.reason]: ending ?? {} }, unrated: {}, marks: {}, rules_changed: "" };
    return ended(words, outcome.winner === null ? null : text.won(name(outcome.winner)), outcome, state, info.block);
  }
  if (state.status === "waiting") return text.waiting;
  return to_move === null ? "" : text.turnOf(name(to_move));
}

document.addEventListener("visibilitychange", draw);
ask();
