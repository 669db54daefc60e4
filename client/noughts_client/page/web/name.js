// The player's name, and how to register it.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { lasting } from "./storage.js";
import { deviceTexts as text } from "./devices_texts.js";
import { accountTexts } from "./texts.js";

/** @param {import("./devices.js").App} app */
export function nameView(app) {
  if (!app.me) return nothing;
  return html`${app.me.registered
      ? html`<h2>${text.yourName}</h2>
          <p><bdi>${app.me.name}</bdi></p>
          <p class="note">${text.registeredAs} ${lasting ? nothing : accountTexts.forgets}</p>`
      : html`<form @submit=${app.actions.register} class="inline">
            <label>${text.yourName} <input name="name" .value=${app.me.name} maxlength="32" autocomplete="nickname" /></label>
            <button>${text.register}</button>
          </form>
          <p class="note">${lasting ? text.registerHelp : accountTexts.forgets}</p>`}
    ${app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing}`;
}
