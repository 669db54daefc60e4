// Names and devices: on which devices the player is signed in, how another one gets in, and the codes for it.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { forgetToken, Lost, Refused, storedToken } from "./connection.js";
import { deviceTexts as text } from "./devices_texts.js";
import { copy, select } from "./link.js";
import { linkBox } from "./link_box.js";
import { text as common } from "./texts.js";

/**
 * @typedef {import("./app.js").App} App
 * @typedef {{id: string, name: string, kind: string, registered?: boolean}} Player
 * @typedef {{device: string, label: string, added_at: string | null, used_at: string | null, this: boolean}} Device
 */

/** How often the list is asked for while a code is shown: another device may have joined. */
const REFRESH_MS = 5000;

const FRAGMENT = /^#join=([A-Za-z0-9-]{1,64})$/;

/** What is shown only once, or asked, and is gone when the settings are left. */
const CLOSED = {
  /** @type {{code: string, until: number} | null} the code with which another device can join */
  adding: null,
  /** @type {string | null} the recovery code, which is shown once */
  recovery: null,
  /** @type {string | null} the device about to be signed out: an id, `this` or `others` */
  asking: null,
  /** @type {{code: string, player: Player | null} | null} the code that this device has been given */
  joining: null,
  /** @type {string | null} */
  error: null,
  /** Whether the error is about a code that was typed, and said at its field. */
  wrongCode: false,
};

export const now = {
  ...CLOSED,
  /** @type {Device[] | null} */
  list: null,
  /** @type {string | null} */
  recoveryAt: null,
};

let page = /** @type {import("./app.js").Page | null} */ (null);
/** @type {number | undefined} */
let ticking;

/** @param {Partial<typeof now>} changes */
function set(changes) {
  Object.assign(now, changes);
  page?.app.actions.redraw();
}

/**
 * The settings are shown, or the connection is there again.
 * @param {import("./app.js").Page} of
 */
export function enter(of) {
  page = of;
  const code = FRAGMENT.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(null, "", location.pathname); // so that it is in no history
    set({ joining: { code, player: null } });
  }
  ticking ??= setInterval(tick, 1000);
  if (!page.app.connection.welcomed) return;
  if (now.joining && !now.joining.player) look(now.joining.code);
  else load();
}

export function leave() {
  clearInterval(ticking);
  ticking = undefined;
  set(CLOSED);
}

let refreshed = 0;

/** The seconds that are left of a code. */
function tick() {
  if (!now.adding || !page) return;
  if (now.adding.until <= page.app.connection.now()) return set({ adding: null });
  if (Date.now() - refreshed > REFRESH_MS) {
    refreshed = Date.now();
    load();
  }
  set({});
}

/**
 * @param {string} type
 * @param {Record<string, unknown>} fields
 */
async function ask(type, fields) {
  try {
    set({ error: null, wrongCode: false });
    return /** @type {any} */ (await page?.app.connection.request(type, fields));
  } catch (error) {
    const linked = now.joining !== null && now.joining.player === null; // by a link, so no code was typed
    const used = linked && error instanceof Refused && error.code === "bad_code";
    set({ error: used ? text.oldLink : error instanceof Lost ? text.lost : /** @type {Error} */ (error).message });
    return null;
  }
}

async function load() {
  const answer = await page?.app.connection.request("devices").catch(() => null);
  if (!answer) return;
  const joined = now.adding !== null && now.list !== null && answer.devices.length > now.list.length;
  set({ list: answer.devices, recoveryAt: answer.recovery_at, ...(joined ? { adding: null } : {}) });
  if (joined) page?.app.actions.announce(text.joined);
}

/** @param {string} code */
async function look(code) {
  const typed = now.joining === null;
  const answer = await ask("redeem", { code, preview: true });
  set({ joining: answer && { code, player: answer.player }, wrongCode: typed && answer === null });
  if (answer === null) load();
}

/** @param {SubmitEvent} event */
async function enterCode(event) {
  event.preventDefault();
  const typed = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("code")).trim();
  const code = FRAGMENT.exec(typed.slice(Math.max(0, typed.indexOf("#"))))?.[1] ?? typed;
  if (!code) return;
  await look(code.slice(0, 64));
  if (!now.joining) /** @type {HTMLElement | null} */ (document.querySelector(".settings [name=code]"))?.focus();
}

async function join() {
  if (!now.joining || !page) return;
  const before = page.app.connection;
  const answer = await ask("redeem", { code: now.joining.code, client: before.label });
  if (answer === null) return;
  before.request("sign_out", { device: "this" }).catch(() => {}); // nobody has this token any more
  page.go("/", false);
  before.signIn(answer.token);
}

async function add() {
  const answer = await ask("add_device", {});
  if (answer) set({ adding: { code: answer.code, until: Date.parse(answer.expires_at) } });
}

async function makeRecovery() {
  const answer = await ask("recovery_code", {});
  if (answer === null) return;
  set({ recovery: answer.code, asking: null });
  load();
}

/** @param {string} device */
async function signOut(device) {
  const token = storedToken();
  if ((await ask("sign_out", { device })) === null) return;
  set({ asking: null });
  if (device !== "this") return load();
  page?.go("/", false);
  forgetToken(token);
}

/**
 * Whether this device becomes that of the player whose code it was given.
 * @param {App} app
 * @param {Player | null} player
 */
export function joinView({ me }, player) {
  if (!player) return html`<p class="note" role="status">${text.looking}</p>`;
  if (me?.id === player.id) return html`<p>${text.already} <bdi>${player.name}</bdi>.</p>`;
  return html`<div class="panel">
    <h2>${text.joinAs} <bdi>${player.name}</bdi> ${text.onThisDevice}</h2>
    ${me?.registered ? html`<p class="warning">${text.leaving} <bdi>${me.name}</bdi>. ${text.leavingHelp}</p>` : nothing}
    <button class="main" @click=${join}>${text.join}</button>
  </div>`;
}

/**
 * Whether the registered name would be lost to everybody with this device.
 * @param {App} app
 */
const isLast = (app) => Boolean(app.me?.registered) && now.list?.length === 1 && now.recoveryAt === null;

/** @param {string | null} device */
const askToSignOut = (device) => () => set({ asking: device });

/** @param {App} app */
export function deviceList(app) {
  const list = now.list ?? [];
  return html`${isLast(app) && now.asking === null ? html`<p class="warning">${text.onlyDevice}</p>` : nothing}
    <ul class="plain">
      ${repeat(
        list,
        (one) => one.device,
        (one) => html`<li>
          <span><bdi>${one.label || text.unnamed}</bdi></span>
          <span class="note">${one.this ? text.thisDevice : text.used(one.used_at)}</span>
          <button @click=${askToSignOut(one.this ? "this" : one.device)}>${text.signOut}</button>
        </li>`,
      )}
    </ul>
    ${now.asking === null ? nothing : question(app, now.asking)}
    ${list.length > 1 ? html`<button @click=${askToSignOut("others")}>${text.signOutOthers}</button>` : nothing}`;
}

/**
 * @param {App} app
 * @param {string} device
 */
function question(app, device) {
  const last = device === "this" && isLast(app);
  const label = now.list?.find((one) => one.device === device)?.label || text.unnamed;
  const here = last ? text.askLast : app.me?.registered ? text.askThis : text.askGuest;
  const words = device === "others" ? text.askOthers : device === "this" ? here : null;
  return html`<div class="warning" role="group" aria-label=${text.signOutAsk}>
    <p role="alert">${words ?? html`${text.askOne} <bdi>${label}</bdi>?`}</p>
    ${last ? html`<button class="main" @click=${makeRecovery}>${text.makeRecovery}</button>` : nothing}
    <button class=${last ? "" : "main"} @click=${() => signOut(device)}>${last ? text.signOutAnyway : text.signOut}</button>
    <button @click=${askToSignOut(null)}>${text.cancel}</button>
  </div>`;
}

/** @param {App} app */
export function adding(app) {
  if (now.adding === null) return html`<button @click=${add}>${text.add}</button>`;
  const left = Math.max(0, Math.floor((now.adding.until - app.connection.now()) / 1000));
  return html`${linkBox(app, { link: `${location.origin}/#join=${now.adding.code}`, label: text.add, open: true })}
    <p>${text.orType} <code class="to-type">${now.adding.code.replace(/.{4}(?=.)/g, "$&-")}</code></p>
    <p class="note" role="timer">${text.valid(left)}</p>`;
}

/** The recovery code, once it is made. */
export function recovery() {
  const { recovery, recoveryAt } = now;
  if (!recovery) return html`<button @click=${makeRecovery}>${recoveryAt ? text.replaceRecovery : text.makeRecovery}</button>`;
  return html`<p class="warning">${text.writeDown}</p>
    <div class="row code">
      <input readonly aria-label=${text.recovery} .value=${recovery} size=${recovery.length} @focus=${select} />
      <button @click=${(/** @type {Event} */ event) => copy(event, recovery)}>${common.copy}</button>
    </div>`;
}

/** Where a code from another device, or a recovery code, is typed. */
export function codeForm() {
  return html`<form class="inline" @submit=${enterCode}>
      <label>${text.code} <input name="code" aria-describedby="wrong-code" aria-invalid=${now.wrongCode ? "true" : nothing} autocomplete="off" spellcheck="false" maxlength="200" /></label>
      <button>${text.useCode}</button>
    </form>
    ${now.wrongCode ? html`<p class="error" id="wrong-code" role="alert">${now.error}</p>` : nothing}`;
}
