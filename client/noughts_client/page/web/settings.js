// The settings: who the player is, how the page looks and sounds on this device, how the player is called, and the devices.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { accountTexts } from "./account_texts.js";
import { adding, codeForm, deviceList, enter as enterDevices, joinView, leave, now, recovery } from "./devices.js";
import { deviceTexts } from "./devices_texts.js";
import { icon } from "./icons.js";
import { toggleSound } from "./listening.js";
import { mute, mutedBy } from "./muting.js";
import { nameView } from "./name.js";
import { notifyView } from "./notify.js";
import { settingsText as text } from "./settings_texts.js";
import { store, stored } from "./storage.js";
import { text as common } from "./texts.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {keyof typeof text.parts} PartName */

export const title = text.title;

export { leave };

/** Where the browser keeps the colours that were chosen; theme.js reads them before anything is drawn. */
const THEME = "noughts.theme";

let page = /** @type {import("./app.js").Page | null} */ (null);

/** @param {import("./app.js").Page} of */
export function enter(of) {
  if (page === null) addEventListener("keydown", (event) => event.key === "Escape" && of.app.view === "settings" && close());
  page = of;
  enterDevices(of);
  if (location.hash) requestAnimationFrame(() => document.getElementById(location.hash.slice(1))?.scrollIntoView());
}

/** To where the player came from. */
function close() {
  if (history.state === "within") history.back();
  else page?.go("/");
}

/** @param {App} app */
export function view(app) {
  return html`<div class="settings">
    <div class="head">
      ${now.joining ? nothing : html`<button class="bare to-back" aria-label=${text.back} title=${text.back} @click=${close}>${icon("back")}</button>`}
      <h1>${text.title}</h1> ${now.joining ? html`<button @click=${close}>${deviceTexts.cancel}</button>` : nothing}
    </div>
    ${now.error && !now.wrongCode ? html`<p class="error" role="alert">${now.error}</p>` : nothing}
    ${now.joining ? joinView(app, now.joining.player) : own(app)}
  </div>`;
}

/** @param {App} app */
function own(app) {
  const muted = mutedBy(app);
  const shown = /** @type {[PartName, unknown][]} */ ([
    ["look", html`${setting(text.theme, text.themeHelp, themes())} ${sounds(app)}`],
    ["play", setting(text.level, text.levelHelp, levels(app))],
    ["telling", notifyView(app)],
    ["devices", devices(app)],
    ...(muted.length ? [["muted", mutedList(app, muted)]] : []),
  ]);
  return html`<aside class="panel">
      ${nameView(app)}
      <p><a class="button" href="/players/${encodeURIComponent((app.me?.registered && app.me.name) || (app.me?.id ?? ""))}">${text.profile}</a></p>
      <nav aria-label=${text.title}><h2>${text.contents}</h2>${shown.map(([name]) => html`<a href="/settings#${name}" @click=${jump}>${text.parts[name]}</a>`)}</nav>
    </aside>
    <div class="groups">
      ${shown.map(([name, content]) => html`<section class="panel" id=${name} aria-label=${text.parts[name]}><h2>${text.parts[name]}</h2>${content}</section>`)}
    </div>`;
}

/**
 * Go to a part of the settings, which then is in the address.
 * @param {MouseEvent} event
 */
function jump(event) {
  const { hash } = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  event.preventDefault();
  event.stopPropagation();
  history.replaceState(history.state, "", location.pathname + hash);
  document.getElementById(hash.slice(1))?.scrollIntoView();
}

/**
 * A setting, what it does, and what changes it.
 * @param {string} name
 * @param {unknown} help
 * @param {unknown} control
 */
export function setting(name, help, control) {
  return html`<div class="setting">
    <div><h3>${name}</h3><p class="note">${help}</p></div>
    ${control}
  </div>`;
}

/** The colours: small pictures of the page. */
function themes() {
  const chosen = stored(THEME) ?? "system";
  const choose = (/** @type {string} */ theme) => {
    store(THEME, theme);
    document.documentElement.dataset.theme = theme;
    dispatchEvent(new Event("theme"));
    page?.app.actions.redraw();
  };
  return html`<div class="themes" role="radiogroup" aria-label=${text.theme}>
    ${text.themes.map(
      ([theme, label]) => html`<label>
        <input type="radio" name="theme" value=${theme} .checked=${theme === chosen} @change=${() => choose(theme)} />
        <span class="swatches" aria-hidden="true">${(theme === "system" ? ["light", "dark"] : [theme]).map(swatch)}</span>
        <span>${label}</span>
      </label>`,
    )}
  </div>`;
}

/** @param {string} theme */
function swatch(theme) {
  return html`<svg class="swatch ${theme}" viewBox="0 0 96 60" preserveAspectRatio="xMidYMid slice">
    <path class="back" d="M0 0h96v60H0z"></path>
    <path class="sheet" d="M0 0h96v10H0zM24 16h48v38H24z"></path>
    <path class="lines" d="M40 19v32m16-32v32M27 29h42M27 41h42"></path>
    <path class="cross" d="m30 20 6 6m0-6-6 6m30 18 6 6m0-6-6 6"></path>
    <circle class="ring" cx="48" cy="35" r="3.8"></circle>
  </svg>`;
}

/** @param {App} app */
function sounds(app) {
  const hear = (/** @type {import("./sounds.js").Sound} */ one) => import("./sounds.js").then(({ sound }) => sound([one]));
  return html`<div class="setting">
    <div><h3 id="sounds">${text.sounds}</h3><p class="note" id="sounds-help">${text.soundsHelp}</p></div>
    <label class="switch"><input type="checkbox" aria-labelledby="sounds" aria-describedby="sounds-help" .checked=${app.sound} @change=${() => page && toggleSound(page)} /></label>
    <div class="samples"><span class="note">${text.hear}</span> ${text.samples.map(([one, label]) => html`<button @click=${() => hear(one)}>${label}</button>`)}</div>
  </div>`;
}

/** @param {App} app */
function levels(app) {
  return html`<div class="segments" role="radiogroup" aria-label=${text.level}>
    ${common.levels.map(
      ([level, label]) => html`<label><input type="radio" name="level" value=${level} .checked=${app.level === level} @change=${() => app.actions.setLevel(level)} />${label}</label>`,
    )}
  </div>`;
}

/** @param {App} app */
function devices(app) {
  const { recoveryAt } = now;
  return html`<div class="setting wide"><div><h3>${text.signedIn}</h3><p class="note">${text.signedInHelp}</p></div> ${deviceList(app)}</div>
    <div class="setting ${now.adding ? "wide" : ""}"><div><h3>${deviceTexts.add}</h3><p class="note">${now.adding ? deviceTexts.addHelp : text.addHelp}</p></div> ${adding(app)}</div>
    <div class="setting ${now.recovery ? "wide" : ""}">
      <div><h3>${deviceTexts.recovery}</h3><p class="note">${recoveryAt && !now.recovery ? deviceTexts.recoveryMade(recoveryAt) : deviceTexts.recoveryHelp}</p></div>
      ${recovery()}
    </div>
    <div class="setting wide"><h3>${accountTexts.haveCode}</h3>${codeForm()}</div>`;
}

/**
 * Whom the player has muted, in any room.
 * @param {App} app
 * @param {import("./muting.js").Player[]} muted
 */
function mutedList(app, muted) {
  return html`<p class="note">${text.mutedHelp}</p>
    <ul class="plain">
      ${muted.map((player) => html`<li><span><bdi>${player.name}</bdi></span> <button @click=${() => mute(app, player, false)}>${text.unmute}</button></li>`)}
    </ul>`;
}
