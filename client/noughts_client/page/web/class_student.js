// A class as a student sees it: take a name, then what there is to do.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { opensAt } from "./called.js";
import { act, now, set } from "./class_state.js";
import { classText as own } from "./class_texts.js";
import { competeText as words } from "./compete_texts.js";
import { nameOf } from "./games.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./class_state.js").Shown} Shown
 */

/** From so many names on they can be searched. */
const MANY = 12;

/**
 * @param {App} app
 * @param {Shown} shown
 */
export function studentView(app, shown) {
  const { listing } = shown;
  const problem = now.problem ? html`<p class="error" role="alert">${now.problem}</p>` : nothing;
  return html`<div class="pupil">${listing.name === undefined ? joining(shown, problem) : member(app, shown, problem)}</div>`;
}

/**
 * @param {Shown} shown
 * @param {unknown} problem
 */
function joining({ listing, free = [] }, problem) {
  const { name, find } = now.taking;
  if (name !== null) {
    return html`<section class="panel">
      <h1>${own.join(listing.title)}</h1>
      ${problem}
      <p class="chosen"><bdi>${name}</bdi></p>
      <p class="both"><button class="main" @click=${() => act("join_class", { name })}>${own.iAm(name)}</button><button @click=${() => set({ taking: { name: null, find }, problem: null })}>${own.back}</button></p>
    </section>`;
  }
  const wanted = find.trim().toLowerCase();
  const some = free.filter((one) => one.toLowerCase().includes(wanted));
  return html`<section class="panel">
    <h1>${own.join(listing.title)}</h1>
    <p class="note">${own.teacher(nameOf(listing.by))}</p>
    ${problem}
    ${free.length ? html`<h2>${own.who}</h2>` : html`<p>${own.noneFree}</p>`}
    ${free.length > MANY ? html`<input type="search" aria-label=${own.find} placeholder=${own.find} .value=${find} @input=${(/** @type {Event} */ event) => set({ taking: { name: null, find: /** @type {HTMLInputElement} */ (event.target).value } })} />` : nothing}
    <ul class="names-of">${some.map((one) => html`<li><button @click=${() => set({ taking: { name: one, find }, problem: null })}><bdi>${one}</bdi></button></li>`)}</ul>
    <p class="note small">${own.whoHelp}</p>
  </section>`;
}

/**
 * @param {App} app
 * @param {Shown} shown
 * @param {unknown} problem
 */
function member(app, { listing, room, asks = false }, problem) {
  const { title, name = "", puzzle_set, tournament } = listing;
  const link = location.origin + location.pathname;
  return html`${room ? band(app, listing, room) : nothing}
    <section class="panel">
      <h1>${own.youAre(name, title)}</h1>
      <p class="note">${own.teacher(nameOf(listing.by))} · ${own.shownAs(app.me?.name ?? "")}</p>
      ${problem}
      ${room ? nothing : html`<p>${own.stay}</p>`}
      <p class="both">
        <a class="button ${puzzle_set || !tournament ? "main" : ""}" href=${puzzle_set ? `/puzzles?set=${puzzle_set}` : "/puzzles"}>${puzzle_set ? own.toSet : own.toPuzzles}</a>
        ${tournament ? html`<a class="button main" href="/tournaments/${tournament}">${own.toTournament}</a>` : html`<a class="button" href="/">${own.play}</a>`}
      </p>
      <p class="help both" role="status">${asks ? html`<span>${own.asked}</span> ` : nothing}<button @click=${() => ask(!asks)}>${asks ? own.askNoMore : own.ask}</button></p>
    </section>
    <details class="panel">
      <summary>${own.handIn}</summary>
      <p>${own.handInHelp}</p>
      <p><code>noughts bot my_bot.py --url ${app.connection.url} --class ${link.split("/").at(-1)} --as ${quoted(name)}</code></p>
    </details>
    ${now.asking === "leave"
      ? html`<div class="panel"><p>${own.giveUpAsk}</p><p class="both"><button class="main" @click=${leave}>${text.yes}</button><button @click=${() => set({ asking: null })}>${text.no}</button></p></div>`
      : html`<p class="note small">${own.notYou} <button class="bare link-like" @click=${() => set({ asking: "leave" })}>${own.giveUp}</button></p>`}`;
}

/**
 * "You play your teacher now", with the way to the board.
 * @param {App} app
 * @param {import("./class_state.js").Listing} listing
 * @param {string} room
 */
function band(app, { by }, room) {
  const opens = opensAt(room) !== null;
  return html`<section class="call-band" aria-label=${words.yourGame}>
    <span class="here"></span>
    <div><h2>${words.youPlay(nameOf(by))}</h2>${opens ? html`<p>${words.opensItself}</p>` : nothing}</div>
    <a class="button go" href="/rooms/${room}">${words.toBoard}</a>
  </section>`;
}

/** Ask the teacher for help, or no more. @param {boolean} asks */
async function ask(asks) {
  const { shown } = now;
  if ((await act("ask_help", { asks })) !== null && now.shown === shown) set({ shown: { .../** @type {Shown} */ (shown), asks } });
}

/** A name as a shell takes it. @param {string} name */
function quoted(name) {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

async function leave() {
  if ((await act("leave_class")) !== null) location.reload();
}
