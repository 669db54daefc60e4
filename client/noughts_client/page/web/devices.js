// Who the player is, on which devices, and how another device gets in: the panel behind the name in the header.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { repeat } from "./vendor/lit-html/directives/repeat.js";
import { forgetToken, Lost, Refused, storedToken } from "./connection.js";
import { deviceTexts as text } from "./devices_texts.js";
import { copy, linkBox, select } from "./link.js";
import { toggleSound } from "./listening.js";
import { mute, mutedBy } from "./muting.js";
import { nameView } from "./name.js";
import { notifyView } from "./notify.js";
import { accountTexts, text as common } from "./texts.js";

/**
 * @typedef {{id: string, name: string, kind: string, registered?: boolean}} Player
 * @typedef {{connection: import("./connection.js").Connection, me: Player | null, error: string | null, webhooks: boolean, sound: boolean,
 *            actions: {register: (event: SubmitEvent) => void, announce: (words: string) => void, redraw: () => void}}} App
 * @typedef {{device: string, label: string, added_at: string | null, used_at: string | null, this: boolean}} Device
 */

/** How often the list is asked for while a code is shown: another device may have joined. */
const REFRESH_MS = 5000;

const FRAGMENT = /^#join=([A-Za-z0-9-]{1,64})$/;

/**
 * The panel's state, which is kept as `devices`, and what can be done in it.
 * @param {App} app
 * @param {(changes: {devices: any}) => void} change
 * @param {import("./listening.js").Page} page
 */
export function makeDevices(app, change, page) {
  let panel = {
    shown: false,
    /** @type {Device[] | null} */
    list: null,
    /** @type {string | null} */
    recoveryAt: null,
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

    sound: () => toggleSound(page),
    toggle: () => (panel.shown ? panel.close() : panel.open()),
    open() {
      set({ shown: true });
      return load();
    },
    close: () => set({ shown: false, adding: null, recovery: null, asking: null, joining: null, error: null, wrongCode: false }),
    /** Say who made the code that this page was opened with. */
    onWelcome() {
      if (panel.joining && !panel.joining.player) look(panel.joining.code);
      else if (panel.shown) load();
    },
    /** @param {SubmitEvent} event */
    async enterCode(event) {
      event.preventDefault();
      const typed = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("code")).trim();
      const code = FRAGMENT.exec(typed.slice(Math.max(0, typed.indexOf("#"))))?.[1] ?? typed;
      if (!code) return;
      await look(code.slice(0, 64));
      if (!panel.joining) /** @type {HTMLElement | null} */ (document.querySelector(".devices [name=code]"))?.focus();
    },
    async join() {
      if (!panel.joining) return;
      const answer = await ask("redeem", { code: panel.joining.code, client: app.connection.label });
      if (answer === null) return;
      const before = app.connection;
      before.request("sign_out", { device: "this" }).catch(() => {}); // nobody has this token any more
      panel.close();
      before.signIn(answer.token);
    },
    async add() {
      const answer = await ask("add_device", {});
      if (answer) set({ adding: { code: answer.code, until: Date.parse(answer.expires_at) } });
    },
    async makeRecovery() {
      const answer = await ask("recovery_code", {});
      if (answer === null) return;
      set({ recovery: answer.code, asking: null });
      load();
    },
    /** @param {string | null} device */
    askToSignOut: (device) => set({ asking: device }),
    /** @param {string} device */
    async signOut(device) {
      const here = device === "this";
      const token = storedToken();
      if ((await ask("sign_out", { device })) === null) return;
      set({ asking: null });
      if (!here) return load();
      forgetToken(token);
      panel.close();
    },
  };

  /** @param {Partial<typeof panel>} changes */
  function set(changes) {
    panel = { ...panel, ...changes };
    change({ devices: panel });
  }

  /**
   * @param {string} type
   * @param {Record<string, unknown>} fields
   */
  async function ask(type, fields) {
    try {
      set({ error: null, wrongCode: false });
      return await app.connection.request(type, fields);
    } catch (error) {
      const linked = panel.joining !== null && panel.joining.player === null; // by a link, so no code was typed
      const used = linked && error instanceof Refused && error.code === "bad_code";
      set({ error: used ? text.oldLink : error instanceof Lost ? text.lost : /** @type {Error} */ (error).message });
      return null;
    }
  }

  async function load() {
    const answer = await app.connection.request("devices").catch(() => null);
    if (answer === null) return;
    const joined = panel.adding !== null && panel.list !== null && answer.devices.length > panel.list.length;
    set({ list: answer.devices, recoveryAt: answer.recovery_at, ...(joined ? { adding: null } : {}) });
    if (joined) app.actions.announce(text.joined);
  }

  /** @param {string} code */
  async function look(code) {
    const typed = panel.joining === null;
    const answer = await ask("redeem", { code, preview: true });
    set({ shown: true, joining: answer && { code, player: answer.player }, wrongCode: typed && answer === null });
    if (answer === null) load();
  }

  /** Take the code out of the address bar and the history, before anything else is done. */
  function takeFragment() {
    const code = FRAGMENT.exec(location.hash)?.[1];
    if (code === undefined) return;
    history.replaceState(null, "", location.pathname + location.search);
    set({ shown: true, joining: { code, player: null } });
    if (app.connection.welcomed) look(code);
  }

  addEventListener("hashchange", takeFragment);
  addEventListener("keydown", (event) => event.key === "Escape" && panel.shown && panel.close());
  let refreshed = 0;
  setInterval(() => {
    if (!panel.adding) return;
    if (panel.adding.until <= app.connection.now()) return set({ adding: null });
    if (Date.now() - refreshed > REFRESH_MS) {
      refreshed = Date.now();
      load();
    }
    set({}); // the seconds that are left
  }, 1000);
  set({});
  takeFragment();
  return panel;
}

/** @typedef {ReturnType<typeof makeDevices>} Panel */

/**
 * @param {App} app
 * @param {Panel} panel
 */
export function devicesView(app, panel) {
  const content = panel.joining ? joinView(app, panel, panel.joining.player) : own(app, panel);
  return html`<section class="devices" aria-label=${text.title}>
    <div class="head"><h1>${text.title}</h1> <button @click=${panel.close}>${panel.joining ? text.cancel : text.close}</button></div>
    ${panel.error && !panel.wrongCode ? html`<p class="error" role="alert">${panel.error}</p>` : nothing} ${content}
  </section>`;
}

/**
 * @param {App} app
 * @param {Panel} panel
 * @param {Player | null} player
 */
function joinView(app, panel, player) {
  if (!player) return html`<p class="note" role="status">${text.looking}</p>`;
  const { me } = app;
  if (me && me.id === player.id) return html`<p>${text.already} <bdi>${player.name}</bdi>.</p>`;
  return html`<div class="panel">
    <h2>${text.joinAs} <bdi>${player.name}</bdi> ${text.onThisDevice}</h2>
    ${me?.registered ? html`<p class="warning">${text.leaving} <bdi>${me.name}</bdi>. ${text.leavingHelp}</p>` : nothing}
    <button class="main" @click=${panel.join}>${text.join}</button>
  </div>`;
}

/**
 * @param {App} app
 * @param {Panel} panel
 */
function own(app, panel) {
  return html`<div class="panel">
      ${nameView(app)}
      <p><a class="button" href="/players/${encodeURIComponent((app.me?.registered && app.me.name) || (app.me?.id ?? ""))}">${text.profile}</a></p>
    </div>
    <div class="panel">${deviceList(app, panel)} ${adding(app, panel)}</div>
    <div class="panel">${recovery(panel)}</div>
    <div class="panel">${notifyView(app)}</div>
    <div class="panel">
      <label class="switch"><b>${text.sounds}</b> <input type="checkbox" aria-describedby="sounds-help" .checked=${app.sound} @change=${panel.sound} /></label>
      <p class="note" id="sounds-help">${text.soundsHelp}</p>
    </div>
    ${mutedBy(app).length ? html`<div class="panel">${mutedList(app)}</div>` : nothing}
    <div class="panel">
      <h2>${accountTexts.haveCode}</h2>
      <form class="inline" @submit=${panel.enterCode}>
        <label>${text.code} <input name="code" aria-describedby="wrong-code" aria-invalid=${panel.wrongCode ? "true" : nothing} autocomplete="off" spellcheck="false" maxlength="200" /></label>
        <button>${text.useCode}</button>
      </form>
      ${panel.wrongCode ? html`<p class="error" id="wrong-code" role="alert">${panel.error}</p>` : nothing}
    </div>`;
}

/**
 * Whom the player has muted, in any room.
 * @param {App} app
 */
function mutedList(app) {
  return html`<h2>${text.muted}</h2>
    <p class="note">${text.mutedHelp}</p>
    <ul class="plain">
      ${mutedBy(app).map((player) => html`<li><span><bdi>${player.name}</bdi></span> <button @click=${() => mute(app, player, false)}>${text.unmute}</button></li>`)}
    </ul>`;
}

/**
 * Whether the registered name would be lost to everybody with this device.
 * @param {App} app
 * @param {Panel} panel
 */
function isLast(app, panel) {
  return Boolean(app.me?.registered) && panel.list?.length === 1 && panel.recoveryAt === null;
}

/**
 * @param {App} app
 * @param {Panel} panel
 */
function deviceList(app, panel) {
  const list = panel.list ?? [];
  return html`<h2>${text.devices}</h2>
    ${isLast(app, panel) && panel.asking === null ? html`<p class="warning">${text.onlyDevice}</p>` : nothing}
    <ul class="plain">
      ${repeat(
        list,
        (one) => one.device,
        (one) => html`<li>
          <span><bdi>${one.label || text.unnamed}</bdi></span>
          <span class="note">${one.this ? text.thisDevice : text.used(one.used_at)}</span>
          <button @click=${() => panel.askToSignOut(one.this ? "this" : one.device)}>${text.signOut}</button>
        </li>`,
      )}
    </ul>
    ${panel.asking === null ? nothing : question(app, panel, panel.asking)}
    ${list.length > 1 ? html`<button @click=${() => panel.askToSignOut("others")}>${text.signOutOthers}</button>` : nothing}`;
}

/**
 * @param {App} app
 * @param {Panel} panel
 * @param {string} device
 */
function question(app, panel, device) {
  const last = device === "this" && isLast(app, panel);
  const label = panel.list?.find((one) => one.device === device)?.label || text.unnamed;
  const here = last ? text.askLast : app.me?.registered ? text.askThis : text.askGuest;
  const words = device === "others" ? text.askOthers : device === "this" ? here : null;
  return html`<div class="warning" role="group" aria-label=${text.signOutAsk}>
    <p role="alert">${words ?? html`${text.askOne} <bdi>${label}</bdi>?`}</p>
    ${last ? html`<button class="main" @click=${panel.makeRecovery}>${text.makeRecovery}</button>` : nothing}
    <button class=${last ? "" : "main"} @click=${() => panel.signOut(device)}>${last ? text.signOutAnyway : text.signOut}</button>
    <button @click=${() => panel.askToSignOut(null)}>${text.cancel}</button>
  </div>`;
}

/**
 * @param {App} app
 * @param {Panel} panel
 */
function adding(app, panel) {
  if (panel.adding === null) return html`<button @click=${panel.add}>${text.add}</button>`;
  const left = Math.max(0, Math.floor((panel.adding.until - app.connection.now()) / 1000));
  return html`<h3>${text.add}</h3>
    <p>${text.addHelp}</p>
    ${linkBox(app, { link: `${location.origin}/#join=${panel.adding.code}`, label: text.add, open: true })}
    <p>${text.orType} <code class="to-type">${panel.adding.code.replace(/.{4}(?=.)/g, "$&-")}</code></p>
    <p class="note" role="timer">${text.valid(left)}</p>`;
}

/** @param {Panel} panel */
function recovery(panel) {
  const { recovery, recoveryAt } = panel;
  return html`<h2>${text.recovery}</h2>
    ${recovery
      ? html`<p class="warning">${text.writeDown}</p>
          <div class="row code">
            <input readonly aria-label=${text.recovery} .value=${recovery} size=${recovery.length} @focus=${select} />
            <button @click=${(/** @type {Event} */ event) => copy(event, recovery)}>${common.copy}</button>
          </div>`
      : html`<p class="note">${recoveryAt ? text.recoveryMade(recoveryAt) : text.recoveryHelp}</p>
          <button @click=${panel.makeRecovery}>${recoveryAt ? text.replaceRecovery : text.makeRecovery}</button>`}`;
}
