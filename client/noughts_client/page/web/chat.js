// Chat in a room, and what can be done about somebody who spoils it: to mute, which only this player notices, or to report.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { chatText as text } from "./chat_texts.js";
import { isMuted, mute, mutedBy } from "./muting.js";
import { linesOf } from "./panels.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./types.js").Side} Side
 * @typedef {import("./muting.js").Player} Player
 */

/**
 * What is going on: which name is open, who is about to be reported, and what was done last.
 * @type {{room: string | null, open: string | null, reporting: Player | null, done: string, error: string | null}}
 */
let now = { room: null, open: null, reporting: null, done: "", error: null };

/**
 * @param {App} app
 * @param {Partial<typeof now>} changes
 */
function set(app, changes) {
  now = { ...now, ...changes };
  app.actions.redraw();
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {Side | null} mine
 */
export function chatPanel(app, table, mine) {
  if (now.room !== table.room) now = { room: table.room, open: null, reporting: null, done: "", error: null };
  const lines = linesOf(app, table).filter((line) => !isMuted(app, line.id));
  const { first, second } = table.state.seats;
  const others = [first, second].filter((seat) => seat !== null && seat.id !== app.me?.id && seat.kind !== "computer");
  return html`<div class="chat">
    ${lines.length ? nothing : html`<p class="note">${mine === null ? text.ofSpectators : text.empty}</p>`}
    <ul aria-live="polite">
      ${lines.map((line, index) => {
        const [player, place] = [{ id: line.id, name: line.from, kind: "human" }, `line ${index}`];
        return html`<li>${speaker(app, player, place)} <bdi>${line.text}</bdi> ${deeds(app, player, place)}</li>`;
      })}
    </ul>
    ${now.done ? html`<p class="note" role="status">${now.done}</p>` : nothing} ${now.error ? html`<p class="error" role="alert">${now.error}</p>` : nothing}
    ${now.reporting ? reportForm(app, table, now.reporting) : nothing} ${aside(app, /** @type {Player[]} */ (others))}
    <form @submit=${(/** @type {SubmitEvent} */ event) => say(app, event)}>
      <input name="line" maxlength="280" autocomplete="off" aria-label=${text.say} placeholder=${text.say} />
      <button>${text.send}</button>
    </form>
  </div>`;
}

/**
 * Who plays here, who may be reported without having said anything, and who is muted.
 * @param {App} app
 * @param {Player[]} others
 */
function aside(app, others) {
  const muted = mutedBy(app);
  const here = others.filter(({ id }) => !isMuted(app, id));
  if (!here.length && !muted.length) return nothing;
  return html`<div class="aside">
    ${here.length ? html`<div>${text.here} ${here.map((player) => html`${speaker(app, player, player.id)} ${deeds(app, player, player.id)}`)}</div>` : nothing}
    ${muted.length
      ? html`<div>${text.muted}</div>
          <ul>
            ${muted.map((player) => html`<li><bdi>${player.name}</bdi> <button class="bare" @click=${() => turn(app, player, false)}>${text.unmute}</button></li>`)}
          </ul>`
      : nothing}
  </div>`;
}

/**
 * A name that opens what can be done about the player.
 * @param {App} app
 * @param {Player} player
 * @param {string} place where the name stands: one place is open at a time
 */
function speaker(app, player, place) {
  if (player.id === app.me?.id) return html`<bdi class="who">${player.name}</bdi>`;
  const open = now.open === place;
  return html`<button class="who" aria-expanded=${open ? "true" : "false"} title=${text.about(player.name)} @click=${() => set(app, { open: open ? null : place })}>
    <bdi>${player.name}</bdi>
  </button>`;
}

/**
 * @param {App} app
 * @param {Player} player
 * @param {string} place
 */
function deeds(app, player, place) {
  if (now.open !== place || player.id === app.me?.id) return nothing;
  return html`<div class="deeds" role="group" aria-label=${text.about(player.name)}>
    <a class="button" href="/players/${encodeURIComponent(player.id)}">${text.profile}</a>
    <button @click=${() => turn(app, player, true)}>${text.mute}</button>
    <button @click=${() => report(app, player)}>${text.report}</button>
  </div>`;
}

/**
 * @param {App} app
 * @param {Player} player
 * @param {boolean} on
 */
async function turn(app, player, on) {
  const error = await mute(app, player, on);
  if (error === null && !on) app.actions.recallChat(); // the server left out what was said meanwhile
  set(app, { error, open: null, done: error === null ? (on ? text.isMuted : text.isHeard)(player.name) : "" });
}

/**
 * Ask what is wrong.
 * @param {App} app
 * @param {Player} player
 */
function report(app, player) {
  set(app, { reporting: player, open: null, done: "", error: null });
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(".report input"))?.focus());
}

/**
 * @param {App} app
 * @param {Table} table
 * @param {Player} player
 */
function reportForm(app, table, player) {
  const send = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const reason = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("reason")).trim();
    if (!reason || !(await app.actions.ask("report", { room: table.room, player: player.id, reason }))) return;
    set(app, { reporting: null, done: text.reported(player.name) });
  };
  return html`<form class="report" aria-label=${text.reportOf(player.name)} @submit=${send}>
    <b>${text.reportOf(player.name)}</b>
    <label>${text.reason} <input name="reason" required maxlength="280" autocomplete="off" /></label>
    <p class="note small">${text.reportHelp}</p>
    <div class="deeds">
      <button class="main">${text.sendReport}</button> <button type="button" @click=${() => set(app, { reporting: null })}>${text.cancel}</button>
    </div>
  </form>`;
}

/**
 * @param {App} app
 * @param {SubmitEvent} event
 */
async function say(app, event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const line = String(new FormData(form).get("line")).trim();
  if (line && (await app.actions.ask("chat", { room: app.room, text: line }))) form.reset();
}
