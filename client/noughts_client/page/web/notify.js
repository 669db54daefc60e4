// How a player is told that it is their move: by a notification of the browser, and at an address that the server calls.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { Lost, Refused } from "./connection.js";
import { select } from "./link.js";
import { notifyText as text } from "./notify_texts.js";
import { text as common } from "./texts.js";

/**
 * @typedef {{url: string | null, secret: string | null, tried_at: string | null, outcome: string | null}} Webhook
 * @typedef {{connection: import("./connection.js").Connection, webhooks: boolean, actions: {redraw: () => void}}} App
 */

/** How often, and how many times, it is looked whether the address was called, in ms. */
const [LOOK_MS, LOOKS] = [1000, 20];

const state = {
  /** Whose webhook is known. @type {string | null} */
  token: null,
  /** @type {Webhook | null} */
  hook: null,
  /** @type {string | null} */
  error: null,
  done: "",
  trying: 0,
};

/** @param {App} app */
export function notifyView(app) {
  return html`<p class="note">${text.help}</p>
    <div class="setting"><div><h3>${text.here}</h3><p class="note">${text.hereHelp}</p></div>${permission(app)}</div>
    ${app.webhooks ? html`<div class="setting wide">${webhook(app)}</div>` : nothing}`;
}

/** @param {App} app */
function permission(app) {
  if (!("Notification" in window) || !isSecureContext) return html`<p class="note">${text.unsupported}</p>`;
  if (Notification.permission === "granted") return html`<p role="status">${text.granted}</p>`;
  if (Notification.permission === "denied") return html`<p class="note">${text.denied}</p>`;
  const ask = () => Notification.requestPermission().then(() => app.actions.redraw());
  return html`<p><button @click=${ask}>${text.ask}</button></p>`;
}

/** @param {App} app */
function webhook(app) {
  if (state.token !== app.connection.token) load(app);
  const { hook, error, done, trying } = state;
  const outcome = hook?.outcome === "told" ? text.told : hook?.outcome ? text.failed(hook.outcome) : "";
  return html`<h3>${text.webhook}</h3>
    <p class="note">${text.webhookHelp}</p>
    <form @submit=${(/** @type {SubmitEvent} */ event) => save(app, event)}>
      <label>${text.url} <input name="url" type="url" required maxlength="200" .value=${hook?.url ?? ""} placeholder="https://" autocomplete="off" spellcheck="false" /></label>
      <div class="row">
        <button ?disabled=${trying > 0}>${hook?.url ? text.test : text.set}</button>
        ${hook?.url ? html`<button type="button" @click=${() => send(app, null)}>${text.remove}</button>` : nothing}
      </div>
    </form>
    ${error ? html`<p class="error" role="alert">${error}</p>` : nothing}
    <p class="note" role="status">${trying ? text.trying : hook?.url ? outcome : done}</p>
    ${hook?.secret
      ? html`<details>
          <summary>${text.secret}</summary>
          <div class="row code"><input readonly aria-label=${text.secret} .value=${hook.secret} size=${hook.secret.length} @focus=${select} /></div>
        </details>`
      : nothing}`;
}

/** @param {App} app */
async function load(app) {
  state.token = app.connection.token;
  const hook = await app.connection.request("webhook").catch(() => null);
  if (hook) Object.assign(state, { hook, error: null, done: "" });
  app.actions.redraw();
}

/**
 * @param {App} app
 * @param {SubmitEvent} event
 */
function save(app, event) {
  event.preventDefault();
  send(app, String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("url")).trim());
}

/**
 * Set the address, which the server calls at once, or remove it; and look how the call went.
 * @param {App} app
 * @param {string | null} url
 */
async function send(app, url) {
  try {
    const hook = /** @type {any} */ (await app.connection.request("set_webhook", { url }));
    Object.assign(state, { hook, error: null, done: url === null ? text.removed : "", trying: url === null ? 0 : LOOKS });
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Lost)) throw error;
    state.error = error instanceof Lost ? common.notSent : error.message;
  }
  app.actions.redraw();
  while (state.trying > 0) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const hook = /** @type {any} */ (await app.connection.request("webhook").catch(() => null));
    if (hook) state.hook = hook;
    state.trying = hook?.tried_at ? 0 : state.trying - 1;
    app.actions.redraw();
  }
}
