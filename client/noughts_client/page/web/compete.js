// The view of those who compete: the list of tournaments, a form to open one, and at /tournaments/ID one of them.

import { html, nothing, svg } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { board } from "./board.js";
import { CONTROLS } from "./clock.js";
import { competeText as own, FORMATS } from "./compete_texts.js";
import { Lost, Refused } from "./connection.js";
import { nameOf } from "./games.js";
import { LiveBoards } from "./liveboards.js";
import { formOf, newKey } from "./lobby.js";
import { called, formOf as ticks, half, ring } from "./standings.js";
import { text } from "./texts.js";
import { position } from "./home.js";
import { tournament } from "./tournament.js";
import { inWords, liveRooms } from "./tournament_parts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./tournament.js").Terms} Terms
 */

/** How often the list is asked for again, in ms: nothing of it is pushed. */
const AGAIN_MS = 10_000;

/** Of how many tournaments under way the leaders and their board are shown, and how many leaders. */
const [LED, LEADERS] = [3, 3];

export let title = own.title;

/** @type {Page} */
let page;
/** @type {number | undefined} */
let again;
/** The leaders' boards. @type {LiveBoards | null} */
let boards = null;

const list = {
  /** @type {Terms[] | null} */
  all: null,
  /** What is known of those under way. @type {Map<string, import("./tournament.js").Shown>} */
  led: new Map(),
  /** @type {string | null} */
  problem: null,
};

const form = {
  format: "round_robin",
  game: "",
  /** The same for a request that is sent again. */
  key: newKey(),
  /** @type {string | null} */
  problem: null,
  sending: false,
};

/** Ask for what the address says. @param {Page} from */
export function enter(from) {
  page = from;
  clearTimeout(again);
  const id = idOf();
  tournament.show(page, id);
  if (id !== null) return void still();
  boards ??= new LiveBoards(page);
  boards.fresh();
  load();
}

/** The list is left. */
function still() {
  boards?.close();
  boards = null;
}

export function leave() {
  clearTimeout(again);
  still();
  tournament.leave();
}

/** @param {import("./connection.js").Message} message of any type */
export function onPush(message) {
  boards?.onPush(message);
  tournament.onPush(message);
}

/** The tournament in the address. */
function idOf() {
  return location.pathname.startsWith("/tournaments/") ? location.pathname.slice("/tournaments/".length) : null;
}

async function load() {
  const { app } = page;
  try {
    list.all = (await app.connection.request("tournaments")).tournaments;
    list.problem = null;
    await lead();
  } catch (error) {
    if (!(error instanceof Refused)) return; // a new connection asks again
    list.problem = error.message;
  }
  if (app.view !== "compete" || idOf() !== null) return;
  clearTimeout(again);
  again = setTimeout(load, AGAIN_MS);
  app.actions.redraw();
}

/** Ask how those under way stand. */
async function lead() {
  const running = (list.all ?? []).filter(({ status }) => status === "running").slice(0, LED);
  const shown = await Promise.all(running.map(({ tournament: id }) => page.app.connection.request("tournament", { tournament: id })));
  list.led = new Map(shown.map((/** @type {any} */ one) => [one.tournament.tournament, one]));
  boards?.want([...list.led.values()].flatMap((one) => liveRooms(one).slice(0, 1)), LED);
}

/** @param {App} app */
export function view(app) {
  const id = idOf();
  title = id === null ? own.title : tournament.title(id);
  return id === null ? listView(app) : tournament.view(app, id);
}

/** @param {App} app */
function listView(app) {
  const { all, problem } = list;
  const some = (/** @type {Terms["status"]} */ status) => (all ?? []).filter((one) => one.status === status);
  const over = some("finished");
  return html`<div class="compete">
    <h1>${own.title}</h1>
    ${problem ? html`<p class="error" role="alert">${problem}</p>` : nothing}
    ${all === null ? html`<p class="note" role="status">${own.loading}</p>` : all.length ? nothing : html`<p class="empty">${own.none} ${own.about}</p>`}
    <div class="groups">${(/** @type {const} */ (["running", "open"])).map((status) => group(app, status, some(status)))}</div>
    ${app.may || all === null ? nothing : opening(app)}
    ${over.length
      ? html`<section>
          <h2>${own.groups.finished}</h2>
          <ul class="rows">
            ${repeat(over, (one) => one.tournament, (one) => html`<li><a class="name" href="/tournaments/${one.tournament}"><bdi>${one.name}</bdi></a> <span class="note small">${inWords(app, one)} · ${own.players(one.players)}</span></li>`)}
          </ul>
        </section>`
      : nothing}
  </div>`;
}

/**
 * @param {App} app
 * @param {"running" | "open"} status
 * @param {Terms[]} some
 */
function group(app, status, some) {
  if (!some.length) return nothing;
  return html`<section class=${status}>
    <h2>${own.groups[status]}</h2>
    <ul class="contests">
      ${repeat(some, (one) => one.tournament, (one) => card(app, one))}
    </ul>
  </section>`;
}

/**
 * @param {App} app
 * @param {Terms} one
 */
function card(app, one) {
  void app.boards; // what is drawn anew when a move has come
  const game = app.games.get(one.game);
  const shown = list.led.get(one.tournament);
  const live = shown && boards?.live.get(liveRooms(shown)[0]);
  const open = one.status === "open";
  return html`<li class="card panel">
    <span class="picture" aria-hidden="true">${game ? board({ ...(live ?? position(app, game)), game }) : nothing}</span>
    <span class="turn-of ${open ? "" : "call"}">${how(one)}</span>
    <a class="name" href="/tournaments/${one.tournament}"><bdi>${one.name}</bdi></a>
    <span class="note small">${inWords(app, one)}</span>
    <span class="note small">${one.players || !open ? own.players(one.players) : own.beFirst} · ${own.by} <bdi>${nameOf(one.by)}</bdi></span>
    ${shown?.tournament.round ? leaders(shown) : nothing}
  </li>`;
}

/** Who leads, and how they have played. @param {import("./tournament.js").Shown} shown */
function leaders({ standings }) {
  return html`<ol class="leaders">
    ${standings.slice(0, LEADERS).map(({ place, player, form, points }) => html`<li><span class="no">${place}</span><span class="named">${called(nameOf(player))}</span>${ticks(form)}<b>${half(points)}</b></li>`)}
  </ol>`;
}

/**
 * How far a tournament has come.
 * @param {Terms} one
 */
function how({ status, round, rounds, starts_at }) {
  if (status === "open") return own.starts(starts_at);
  const share = rounds ? (round - 0.5) / rounds : 0;
  return html`${share > 0 ? ring(share, nothing, "now") : html`<span class="here"></span>`}${round && rounds !== null ? own.running(round, rounds) : own.groups.running}`;
}

/** The formats, drawn in a square of 40. @type {Record<string, string>} */
const SKETCHES = {
  round_robin: "M20 5 35 16 29 34H11L5 16zL35 16 11 34 20 5 29 34z",
  arena: "M33 13A15 15 0 1 0 35 22M34 5v9h-9M14 20h12",
  swiss: "M6 9h28M6 20h28M6 31h28M6 9v.01M34 9v.01M12 20v.01M28 20v.01",
  gauntlet: "M6 20 34 7M6 20h28M6 20l28 13",
  ladder: "M12 4v32M28 4v32M12 11h16M12 20h16M12 29h16",
};

/** @param {App} app */
function opening(app) {
  const choose = (/** @type {"format" | "game"} */ what, /** @type {string} */ value) => {
    form[what] = value;
    form.problem = null;
    app.actions.redraw();
  };
  return html`<section class="panel opening">
    <h2>${own.open}</h2>
    <form @submit=${open}>
      <div class="formats" role="radiogroup" aria-label=${own.format}>
        ${Object.entries(FORMATS).map(
          ([format, name]) => html`<label
            ><input type="radio" name="format" value=${format} .checked=${format === form.format} aria-describedby="how-${format}" aria-label=${name} @change=${() => choose("format", format)} />
            <svg viewBox="0 0 40 40" aria-hidden="true">${svg`<path d=${SKETCHES[format]}></path>`}</svg>
            <span class="name">${name}</span><span class="small" id="how-${format}">${own.help[format]}</span></label
          >`,
        )}
      </div>
      ${app.me?.registered ? fields(app, choose) : html`<p class="note">${own.needsName}</p><p><button type="button" class="main" @click=${app.actions.account}>${own.register}</button></p>`}
      ${form.problem ? html`<p class="error" role="alert">${form.problem}</p>` : nothing}
    </form>
  </section>`;
}

/**
 * @param {App} app
 * @param {(what: "game", value: string) => void} choose
 */
function fields(app, choose) {
  const games = [...app.games.values()].filter(({ key }) => app.offered?.includes(key) ?? true);
  const game = games.find(({ key }) => key === form.game) ?? games[0];
  return html`<div class="fields">
    <span class="picture" aria-hidden="true">${game ? board({ ...position(app, game), game }) : nothing}</span>
    <label>${own.name} <input name="name" required maxlength="32" autocomplete="off" /></label>
    <label>${text.game} <select name="game" @change=${(/** @type {Event} */ event) => choose("game", /** @type {HTMLSelectElement} */ (event.target).value)}>${games.map(({ key, title }) => html`<option value=${key} .selected=${key === game?.key}>${title}</option>`)}</select></label>
    <label>${text.clock} <select name="clock">${[...CONTROLS.keys()].filter(Boolean).map((name) => html`<option value=${name} .selected=${name === "3+2"}>${name}</option>`)}</select></label>
    ${length()}
    <label class="switch">${text.rated} <input type="checkbox" name="rated" /></label>
    <label class="switch">${own.unlisted} <input type="checkbox" name="private" /></label>
    <button class="main" ?disabled=${form.sending}>${own.openIt}</button>
  </div>`;
}

/** How long it goes on, by its format. */
function length() {
  switch (form.format) {
    case "arena":
      return html`<label>${own.minutes} <input name="minutes" type="number" required min="1" max="720" value="30" /></label>`;
    case "ladder":
      return html`<label>${own.budget} <input name="budget" type="number" required min="1" max="10000" value="500" /></label>`;
    case "swiss":
      return html`<label>${own.rounds} <input name="rounds" type="number" required min="1" max="50" value="5" /></label>`;
    default:
      return html`${form.format === "gauntlet" ? html`<label>${own.opponents} <input name="opponents" required maxlength="500" value="computer:hard" autocomplete="off" spellcheck="false" /></label>` : nothing}
        <label>${own.twice} <input name="rounds" type="number" required min="1" max="2" value="1" /></label>`;
  }
}

/** @param {SubmitEvent} event */
async function open(event) {
  const { app, go } = page;
  const chosen = formOf(event);
  const word = (/** @type {string} */ name) => String(chosen.get(name) ?? "").trim();
  const count = Object.fromEntries(["minutes", "budget", "rounds"].filter((name) => chosen.has(name)).map((name) => [name, Number(word(name))]));
  const opponents = word("opponents").split(",").map((name) => name.trim()).filter(Boolean);
  Object.assign(form, { problem: null, sending: true });
  app.actions.redraw();
  try {
    const answer = await app.connection.request("open_tournament", {
      name: word("name"),
      format: word("format"),
      game: word("game"),
      clock: CONTROLS.get(word("clock")),
      ...count,
      ...(opponents.length ? { opponents } : {}),
      rated: chosen.has("rated"),
      private: chosen.has("private"),
      key: form.key,
    });
    form.key = newKey();
    go(`/tournaments/${answer.tournament}`);
  } catch (error) {
    form.problem = error instanceof Lost ? text.notSent : /** @type {Error} */ (error).message;
  }
  form.sending = false;
  app.actions.redraw();
}
