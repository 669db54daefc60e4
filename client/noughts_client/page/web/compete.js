// The view of those who compete: the list of tournaments, a form to open one, and at /tournaments/ID one of them.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { CONTROLS, control } from "./clock.js";
import { competeText as own, FORMATS } from "./compete_texts.js";
import { Lost, Refused } from "./connection.js";
import { formOf, newKey } from "./lobby.js";
import { text } from "./texts.js";
import { tournament } from "./tournament.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./tournament.js").Terms} Terms
 */

/** How often the list is asked for again, in ms: nothing of it is pushed. */
const AGAIN_MS = 10_000;

export let title = own.title;

/** @type {Page} */
let page;
/** @type {number | undefined} */
let again;

const list = {
  /** @type {Terms[] | null} */
  all: null,
  /** @type {string | null} */
  problem: null,
};

const form = {
  format: "round_robin",
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
  if (id === null) load();
}

export function leave() {
  clearTimeout(again);
  tournament.leave();
}

/** @param {import("./connection.js").Message} message a `tournament` */
export function onPush(message) {
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
  } catch (error) {
    if (!(error instanceof Refused)) return; // a new connection asks again
    list.problem = error.message;
  }
  if (app.view !== "compete" || idOf() !== null) return;
  clearTimeout(again);
  again = setTimeout(load, AGAIN_MS);
  app.actions.redraw();
}

/** @param {App} app */
export function view(app) {
  const id = idOf();
  title = id === null ? own.title : tournament.title(id);
  return id === null ? listView(app) : tournament.view(app, id);
}

/** @param {App} app */
function listView(app) {
  const groups = /** @type {("open" | "running" | "finished")[]} */ (["running", "open", "finished"]);
  const { all, problem } = list;
  return html`<div class="compete">
    <h1>${own.title}</h1>
    <div class="lists">
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : nothing}
      ${all === null ? html`<p class="note" role="status">${own.loading}</p>` : all.length ? nothing : html`<p class="empty">${own.none}</p>`}
      ${groups.map((status) => group(app, own.groups[status], (all ?? []).filter((one) => one.status === status)))}
    </div>
    ${app.may ? nothing : opening(app)}
  </div>`;
}

/**
 * @param {App} app
 * @param {string} heading
 * @param {Terms[]} some
 */
function group(app, heading, some) {
  if (!some.length) return nothing;
  return html`<section>
    <h2>${heading}</h2>
    <ul class="panel tournaments">
      ${repeat(
        some,
        (one) => one.tournament,
        (one) => html`<li>
          <a class="name" href="/tournaments/${one.tournament}"><bdi>${one.name}</bdi></a>
          <span class="note small"
            >${own.meet(one.format, one.rounds, one.minutes)} · ${app.games.get(one.game)?.title ?? one.game}${one.clock ? ` · ${control(one.clock)}` : ""} ·
            ${own.players(one.players)}${one.status === "running" && one.format !== "arena" ? ` · ${own.round(one.round, one.rounds)}` : ""}</span
          >
        </li>`,
      )}
    </ul>
  </section>`;
}

/** @param {App} app */
function opening(app) {
  const choose = (/** @type {string} */ format) => {
    form.format = format;
    form.problem = null;
    app.actions.redraw();
  };
  if (!app.me?.registered) {
    return html`<section class="panel opening">
      <h2>${own.open}</h2>
      <p class="note">${own.needsName}</p>
      <p><button @click=${app.actions.account}>${own.register}</button></p>
    </section>`;
  }
  const games = [...app.games.values()].filter(({ key }) => app.offered?.includes(key) ?? true);
  return html`<section class="panel opening">
    <h2>${own.open}</h2>
    <form @submit=${open}>
      <label>${own.name} <input name="name" required maxlength="32" autocomplete="off" /></label>
      <label>${text.game} <select name="game">${games.map(({ key, title }) => html`<option value=${key}>${title}</option>`)}</select></label>
      <div class="segments" role="radiogroup" aria-label=${own.format}>
        ${Object.entries(FORMATS).map(
          ([format, name]) => html`<label><input type="radio" name="format" value=${format} .checked=${format === form.format} @change=${() => choose(format)} />${name}</label>`,
        )}
      </div>
      <p class="note small">${own.help[form.format]}</p>
      ${length()}
      <label>${text.clock} <select name="clock">${[...CONTROLS.keys()].filter(Boolean).map((name) => html`<option value=${name} .selected=${name === "3+2"}>${name}</option>`)}</select></label>
      <label class="switch">${text.rated} <input type="checkbox" name="rated" /></label>
      <label class="switch">${own.unlisted} <input type="checkbox" name="private" /></label>
      <button class="main" ?disabled=${form.sending}>${own.openIt}</button>
      ${form.problem ? html`<p class="error" role="alert">${form.problem}</p>` : nothing}
    </form>
  </section>`;
}

/** How long it goes on, by its format. */
function length() {
  switch (form.format) {
    case "arena":
      return html`<label>${own.minutes} <input name="minutes" type="number" required min="1" max="720" value="30" /></label>`;
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
  const count = chosen.has("minutes") ? { minutes: Number(word("minutes")) } : { rounds: Number(word("rounds")) };
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
