// Classes: the list of one's own, a form to make one, and at /classes/ID one of them, for its teacher or for a student.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { leave, now, onPush, show } from "./class_state.js";
import { namesIn, teacherView } from "./class_teacher.js";
import { studentView } from "./class_student.js";
import { classText as own } from "./class_texts.js";
import { Lost, Refused } from "./connection.js";
import { nameOf } from "./games.js";
import { formOf, newKey } from "./lobby.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./app.js").Page} Page
 * @typedef {import("./class_state.js").Listing} Listing
 */

/** The most bytes of a message that a server takes, as far as the list of names goes. */
const LONGEST = 14_000;

/** For so many names there is a ring. */
const MOST_DOTS = 60;

export { leave, onPush };

export let title = own.title;

/** @type {Page} */
let page;

const list = {
  /** @type {Listing[] | null} */
  all: null,
  /** @type {string | null} */
  problem: null,
  key: newKey(),
  sending: false,
  /** How many names are typed. */
  typed: 0,
};

/** Ask for what the address says. @param {Page} from */
export function enter(from) {
  page = from;
  const id = idOf();
  show(page, id);
  if (id === null) loadList();
}

/** The class in the address. */
function idOf() {
  return location.pathname.startsWith("/classes/") ? location.pathname.slice("/classes/".length) : null;
}

async function loadList() {
  try {
    list.all = (await page.app.connection.request("classes")).classes;
    list.problem = null;
  } catch (error) {
    if (!(error instanceof Refused)) return;
    list.problem = error.message;
  }
  page.app.actions.redraw();
}

/** @param {App} app */
export function view(app) {
  const id = idOf();
  title = id === null ? own.title : now.shown?.listing.title ?? own.title;
  if (id === null) return listView(app);
  if (now.unknown) {
    return html`<section class="panel nothing">
      <h1>${own.unknown}</h1>
      <p>${own.unknownHelp}</p>
      <p><a class="button main" href="/classes">${own.all}</a></p>
    </section>`;
  }
  if (!now.shown || now.id !== id) return html`<h1 class="spoken">${own.title}</h1><p class="note" role="status">${now.problem ?? own.loading}</p>`;
  return now.shown.students ? teacherView(page, now.shown, now.shown.students) : studentView(app, now.shown);
}

/** @param {App} app */
function listView(app) {
  const { all, problem } = list;
  const mine = (all ?? []).filter(({ name }) => name === undefined);
  const others = (all ?? []).filter(({ name }) => name !== undefined);
  return html`<div class="compete classes">
    <h1>${own.title}</h1>
    <div class="lists">
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : nothing}
      ${all === null ? html`<p class="note" role="status">${own.loading}</p>` : all.length ? nothing : html`<p class="empty">${own.none}</p>`}
      ${group(own.yours, mine)} ${group(own.joined, others)}
    </div>
    ${app.may ? nothing : making(app)}
  </div>`;
}

/**
 * @param {string} heading
 * @param {Listing[]} some
 */
function group(heading, some) {
  if (!some.length) return nothing;
  return html`<section>
    <h2>${heading}</h2>
    <ul class="contests">
      ${repeat(some, (one) => one.class_id, (one) => html`<li class="card panel">
        <a class="name" href="/classes/${one.class_id}"><bdi>${one.title}</bdi></a>
        <span class="note small">${one.name === undefined ? own.students(one.names) : html`<bdi>${one.name}</bdi> · ${own.teacher(nameOf(one.by))}`}</span>
        ${one.name === undefined ? html`<span class="k-dots" aria-hidden="true">${Array.from({ length: Math.min(one.names, MOST_DOTS) }, () => html`<i class="presence"></i>`)}</span>` : nothing}
      </li>`)}
    </ul>
  </section>`;
}

/** @param {App} app */
function making(app) {
  if (!app.me?.registered) {
    return html`<section class="panel opening">
      <h2>${own.make}</h2>
      <p>${own.help}</p>
      <p class="note">${own.needsName}</p>
      <p><button class="main" @click=${app.actions.account}>${own.register}</button></p>
    </section>`;
  }
  return html`<section class="panel opening">
    <h2>${own.make}</h2>
    <p class="note">${own.help}</p>
    <form @submit=${make}>
      <label>${own.name} <input name="title" required maxlength="32" autocomplete="off" /></label>
      <label class="k-list">${own.names} <textarea name="names" required rows="8" autocomplete="off" spellcheck="false" @input=${count}></textarea></label>
      <div class="k-counts" role="status"><div class="k-dots" aria-hidden="true">${Array.from({ length: Math.min(list.typed, MOST_DOTS) }, () => html`<i class="presence is-here"></i>`)}</div>
        <span class="note small">${list.typed ? own.students(list.typed) : own.namesHelp}</span></div>
      <button class="main" ?disabled=${list.sending}>${own.makeIt}</button>
      ${list.problem ? html`<p class="error" role="alert">${list.problem}</p>` : nothing}
    </form>
  </section>`;
}

/** Show how many names are typed. @param {Event} event */
function count(event) {
  list.typed = namesIn(/** @type {HTMLTextAreaElement} */ (event.target).value).length;
  page.app.actions.redraw();
}

/** @param {SubmitEvent} event */
async function make(event) {
  const form = formOf(event);
  const names = namesIn(form.get("names"));
  Object.assign(list, { problem: null, sending: true });
  page.app.actions.redraw();
  try {
    if (new Blob([JSON.stringify(names)]).size > LONGEST) throw new Error(own.tooLong);
    const answer = await page.app.connection.request("make_class", { title: String(form.get("title")).trim(), names, key: list.key });
    list.key = newKey();
    page.go(`/classes/${answer.listing.class_id}`);
  } catch (error) {
    list.problem = error instanceof Lost ? text.notSent : /** @type {Error} */ (error).message;
  }
  list.sending = false;
  page.app.actions.redraw();
}
