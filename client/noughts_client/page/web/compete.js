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
import { icon } from "./icons.js";
import { called, formOf as ticks, half, ring } from "./standings.js";
import { text } from "./texts.js";
import { position } from "./home.js";
import { tournament } from "./tournament.js";
import { inWords, lastGame, liveRooms, winners } from "./tournament_parts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./tournament.js").Terms} Terms
 */

/** How often the list is asked for again, in ms: nothing of it is pushed. */
const AGAIN_MS = 10_000;

/** Of how many tournaments under way the leaders and their board are shown, and how many leaders. */
const [LED, LEADERS] = [3, 3];

/** So many names are told of those who have entered the first that is open. */
const ENTERED = 7;

/** Of how many that are over the card is shown at first, and how many more each time. */
const OVER = 3;

/** The board of so many of its first games is shown: one that has begun, if there is any. */
const SOME = 3;

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
  /** What is known of those that are over, which stays. @type {Map<string, import("./tournament.js").Shown>} */
  ended: new Map(),
  /** The last positions of their winners' last games, by room: null until they come. @type {Map<string, {rows: string[], counts?: number[][]} | null>} */
  finals: new Map(),
  /** How many that are over are shown. */
  over: OVER,
  /** @type {string | null} */
  problem: null,
};

const form = {
  /** Whether the form is shown. */
  shows: false,
  format: "round_robin",
  game: "",
  /** The same for a request that is sent again. */
  key: newKey(),
  /** @type {string | null} */
  problem: null,
  /** The field that cannot be sent, and why. @type {{name: string, words: string} | null} */
  wrong: null,
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
  if (message.type === "room" && list.finals.get(message.room) === null) {
    list.finals.set(message.room, message.state);
    page.app.actions.redraw();
  }
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
    app.actions.redraw();
    await conclude();
  } catch (error) {
    if (!(error instanceof Refused)) return; // a new connection asks again
    list.problem = error.message;
  }
  if (app.view !== "compete" || idOf() !== null) return;
  clearTimeout(again);
  again = setTimeout(load, AGAIN_MS);
  app.actions.redraw();
}

/** Ask how those under way stand, and who has entered the first that is open. */
async function lead() {
  const asked = [...of("running").slice(0, LED), ...of("open").slice(0, 1)];
  const shown = await Promise.all(asked.map(({ tournament: id }) => page.app.connection.request("tournament", { tournament: id })));
  list.led = new Map(shown.map((/** @type {any} */ one) => [one.tournament.tournament, one]));
  boards?.want([...list.led.values()].flatMap((one) => liveRooms(one).slice(0, SOME)), LED * SOME);
}

/** Ask how those ended that are over: who has won, and the last board. */
async function conclude() {
  const { connection } = page.app;
  for (const { tournament: id } of of("finished").slice(0, list.over)) {
    if (list.ended.has(id) || !boards) continue; // or the list is left
    const shown = /** @type {any} */ (await connection.request("tournament", { tournament: id }));
    list.ended.set(id, shown);
    const room = lastGame(shown)?.room;
    if (!room) continue;
    list.finals.set(room, null);
    await connection.request("watch", { room, preview: true }).catch(() => {}); // then its card has the usual board
    connection.request("leave", { room }).catch(() => {});
  }
}

/** The tournaments that have come so far. @param {Terms["status"]} status */
const of = (status) => (list.all ?? []).filter((one) => one.status === status);

/** @param {App} app */
export function view(app) {
  const id = idOf();
  title = id === null ? own.title : tournament.title(id);
  return id === null ? listView(app) : tournament.view(app, id);
}

/** @param {App} app */
function listView(app) {
  const { all, problem } = list;
  const [first] = of("open");
  return html`<div class="compete">
    <h1>${own.title}</h1>
    ${problem ? html`<p class="error" role="alert">${problem}</p>` : nothing}
    ${all === null ? html`<p class="note" role="status">${own.loading}</p>` : nothing}
    <div class="groups">${first ? leading(app, first) : nothing}${(/** @type {const} */ (["running", "open", "finished"])).map((status) => group(app, status))}</div>
    ${all === null || form.shows || (all.length && app.may) ? nothing : inviting(app, all.length > 0)}
    ${form.shows && all && !app.may ? opening(app) : nothing}
    ${app.may || all?.length !== 0 ? nothing : html`<ol class="howto">${own.steps.map(([what, how]) => html`<li><h2>${what}</h2><p class="note">${how}</p></li>`)}</ol>`}
  </div>`;
}

/**
 * What there can be, and the way to it.
 * @param {App} app
 * @param {boolean} some whether there are tournaments already
 */
function inviting(app, some) {
  return html`<section class="panel inviting">
    <div><h2>${some ? own.openOne : own.none}</h2>${some ? nothing : html`<p class="note">${own.about}</p>`}</div>
    ${app.may ? nothing : html`<ul class="formats">
      ${Object.keys(FORMATS).map((format) => html`<li><button @click=${() => unfold(app, { format })}>${sketch(format)}</button></li>`)}
    </ul><p><button class="main" @click=${() => unfold(app)}>${own.open}</button></p>`}
  </section>`;
}

/**
 * Show the form, or fold it again.
 * @param {App} app
 * @param {Partial<typeof form>} [changes]
 */
function unfold(app, changes) {
  Object.assign(form, { shows: true, problem: null, wrong: null }, changes);
  app.actions.redraw();
  requestAnimationFrame(() => document.querySelector(".opening")?.scrollIntoView({ block: "nearest" }));
}

/**
 * @param {App} app
 * @param {"running" | "open" | "finished"} status
 */
function group(app, status) {
  const all = status === "open" ? of(status).slice(1) : of(status);
  const some = status === "finished" ? all.slice(0, list.over) : all;
  if (!some.length) return nothing;
  const more = () => {
    list.over += OVER;
    load();
  };
  return html`<section class=${status}>
    <div class="head"><h2>${own.groups[status]}</h2>${some.length < all.length ? html`<button class="bare" @click=${more}>${own.more}</button>` : nothing}</div>
    <ul class="contests">
      ${repeat(some, (one) => one.tournament, (one) => card(app, one))}
    </ul>
  </section>`;
}

/**
 * The first tournament that one can enter: its board, its terms in words, who has entered, and the way in.
 * @param {App} app
 * @param {Terms} one
 */
function leading(app, one) {
  const { tournament: id, format, game: key, clock, starts_at } = one;
  const game = app.games.get(key);
  const rows = list.led.get(id)?.standings ?? [];
  const entered = rows.some(({ player, withdrawn }) => player.id === app.me?.id && !withdrawn);
  const path = `/tournaments/${id}`;
  const enters = app.me?.registered && !entered && !app.may;
  const press = async () => {
    await page.app.connection.request("enter_tournament", { tournament: id }).catch(() => {}); // its page says why not
    page.go(path);
  };
  return html`<section class="panel leading">
    <a class="picture" href=${path} tabindex="-1" aria-hidden="true">${game ? board({ ...position(app, game), game }) : nothing}</a>
    <div class="says">
      <p class="turn-of call">${own.starts(starts_at)}</p>
      <h2><a href=${path}><bdi>${one.name}</bdi></a></h2>
      <p class="note">${inWords(app, one)} · ${own.by} <bdi>${nameOf(one.by)}</bdi></p>
      ${one.players ? nothing : html`<p><b>${own.beFirst}.</b></p>`}
      <p>${own.help[format]} ${clock && "initial_s" in clock ? own.clockIs(clock.initial_s ?? 0, clock.increment_s ?? 0) : nothing}</p>
      <p class="acts">${enters ? html`<button class="main" @click=${press}>${own.enter}</button>` : html`<a class="button main" href=${path}>${entered || app.may ? own.toIt : own.enter}</a>`}</p>
    </div>
    ${rows.length ? html`<div class="who"><h3>${own.players(one.players)}</h3>
      <ol>${rows.slice(0, ENTERED).map(({ player }) => html`<li>${called(nameOf(player))}</li>`)}${one.players > ENTERED && rows.length > ENTERED ? html`<li class="note">${own.andMore(one.players - ENTERED)}</li>` : nothing}</ol>
    </div>` : nothing}
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
  const lives = shown ? liveRooms(shown).slice(0, SOME).map((room) => boards?.live.get(room)) : [];
  const live = lives.find((one) => one?.state.ply) ?? lives[0];
  const ended = list.ended.get(one.tournament);
  const final = list.finals.get(ended ? lastGame(ended)?.room ?? "" : "");
  const open = one.status === "open";
  return html`<li class="card panel">
    <span class="picture" aria-hidden="true">${game ? board({ ...(live ?? final ?? position(app, game)), game }) : nothing}</span>
    <span class="turn-of ${open ? "" : "call"}">${ended ? html`${icon("compete")}<span>${winners(ended) || own.over}</span>` : how(one)}</span>
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
  if (status !== "running") return status === "open" ? own.starts(starts_at) : own.over;
  const share = rounds ? (round - 0.5) / rounds : 0;
  return html`${share > 0 ? ring(share, nothing, "now") : html`<span class="here"></span>`}${round && rounds !== null ? own.running(round, rounds) : own.groups.running}`;
}

/** The formats, drawn in a square of 40. @type {Record<string, string>} */
const SKETCHES = {
  round_robin: "M20 5 35 16 29 34H11L5 16zL35 16 11 34 20 5 29 34z",
  arena: "M20 10a13 13 0 1 0 .01 0zM20 10V4M15.5 4h9M30.5 11.5l2.5-2.5M20 23v-7M20 23l5 3",
  swiss: "M9 5a3 3 0 1 0 .01 0zM31 5a3 3 0 1 0 .01 0zM12 8h16M9 17a3 3 0 1 0 .01 0zM31 17a3 3 0 1 0 .01 0zM12 20h16M9 29a3 3 0 1 0 .01 0zM31 29a3 3 0 1 0 .01 0zM12 32h16",
  gauntlet: "M6 20 34 7M6 20h28M6 20l28 13",
  ladder: "M12 4v32M28 4v32M12 11h16M12 20h16M12 29h16",
};

/** @param {string} format */
const sketch = (format) => html`<svg viewBox="0 0 40 40" aria-hidden="true">${svg`<path d=${SKETCHES[format]}></path>`}</svg>
  <span class="name">${FORMATS[format]}</span><span class="small" id="how-${format}">${own.help[format]}</span>`;

/** @param {App} app */
function opening(app) {
  const choose = (/** @type {"format" | "game"} */ what, /** @type {string} */ value) => {
    form[what] = value;
    form.problem = form.wrong = null;
    app.actions.redraw();
  };
  const registered = app.me?.registered;
  return html`<section class="panel opening">
    <div class="head">
      <h2>${own.open}</h2>
      <button class="bare" aria-label=${text.close} @click=${() => unfold(app, { shows: false })}>${icon("close")}</button>
    </div>
    ${registered ? nothing : html`<p class="note">${own.needsName}</p>
      <form class="inline" @submit=${app.actions.register}><input name="name" aria-label=${own.yourName} placeholder=${own.yourName} required maxlength="32" autocomplete="nickname" /><button class="main">${own.register}</button></form>`}
    ${app.error && !registered ? html`<p class="error" role="alert">${app.error}</p>` : nothing}
    ${registered ? html`<form novalidate @submit=${open}>
      <div class="formats" role="radiogroup" aria-label=${own.format}>
        ${Object.entries(FORMATS).map(
          ([format, name]) => html`<label
            ><input type="radio" name="format" value=${format} .checked=${format === form.format} aria-describedby="how-${format}" aria-label=${name} @change=${() => choose("format", format)} />
            ${sketch(format)}</label
          >`,
        )}
      </div>
      ${fields(app, choose)}
      ${form.problem ? html`<p class="error" role="alert">${form.problem}</p>` : nothing}
    </form>` : nothing}
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
    ${asked("name", own.name, { value: game ? own.suggested(game.title) : "", maxlength: 32 })}
    <label>${text.game} <select name="game" @change=${(/** @type {Event} */ event) => choose("game", /** @type {HTMLSelectElement} */ (event.target).value)}>${games.map(({ key, title }) => html`<option value=${key} .selected=${key === game?.key}>${title}</option>`)}</select></label>
    <label>${text.clock} <select name="clock">${[...CONTROLS.keys()].filter(Boolean).map((name) => html`<option value=${name} .selected=${name === "3+2"}>${name}</option>`)}</select></label>
    ${length()}
    <label class="switch">${text.rated} <input type="checkbox" name="rated" /></label>
    <label class="switch">${own.unlisted} <input type="checkbox" name="private" /></label>
    <button class="main" ?disabled=${form.sending}>${own.openIt}</button>
  </div>`;
}

/**
 * A field that must be filled, a number from 1 to `max` or else words, with why it cannot be sent.
 * @param {string} name
 * @param {string} label
 * @param {{value: string | number, max?: number, maxlength?: number}} terms `value` is what it begins with
 */
function asked(name, label, { value, max, maxlength }) {
  const wrong = form.wrong?.name === name ? form.wrong.words : null;
  return html`<div class="asked"><label>${label} <input name=${name} type=${max ? "number" : "text"} required min=${max ? 1 : nothing} max=${max ?? nothing} maxlength=${maxlength ?? nothing}
    .defaultValue=${String(value)} autocomplete="off" spellcheck="false" aria-invalid=${wrong ? "true" : nothing} aria-describedby="wrong-${name}" /></label>
    ${wrong ? html`<p class="error" id="wrong-${name}" role="alert">${wrong}</p>` : nothing}</div>`;
}

/** How long it goes on, by its format. */
function length() {
  switch (form.format) {
    case "arena":
      return html`${asked("minutes", own.minutes, { value: 30, max: 720 })}`;
    case "ladder":
      return html`${asked("budget", own.budget, { value: 500, max: 10_000 })}`;
    case "swiss":
      return html`${asked("rounds", own.rounds, { value: 5, max: 50 })}`;
    default:
      return html`${form.format === "gauntlet" ? asked("opponents", own.opponents, { value: "computer:hard", maxlength: 500 }) : nothing}
        ${asked("rounds", own.twice, { value: 1, max: 2 })}`;
  }
}

/** @param {SubmitEvent} event */
async function open(event) {
  const { app, go } = page;
  const chosen = formOf(event);
  const invalid = /** @type {HTMLInputElement | null} */ (/** @type {Element} */ (event.target).querySelector("input:invalid"));
  Object.assign(form, { problem: null, wrong: invalid && { name: invalid.name, words: invalid.max ? own.numberTo(Number(invalid.max)) : own.needed } });
  if (invalid) {
    invalid.focus();
    return app.actions.redraw();
  }
  const word = (/** @type {string} */ name) => String(chosen.get(name) ?? "").trim();
  const count = Object.fromEntries(["minutes", "budget", "rounds"].filter((name) => chosen.has(name)).map((name) => [name, Number(word(name))]));
  const opponents = word("opponents").split(",").map((name) => name.trim()).filter(Boolean);
  form.sending = true;
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
    Object.assign(form, { key: newKey(), shows: false });
    go(`/tournaments/${answer.tournament}`);
  } catch (error) {
    form.problem = error instanceof Lost ? text.notSent : /** @type {Error} */ (error).message;
  }
  form.sending = false;
  app.actions.redraw();
}
