// The player's name, and how to register it.

import { html, nothing } from "./vendor/lit-html/lit-html.js";
import { lasting } from "./storage.js";
import { deviceTexts as text } from "./devices_texts.js";
import { accountTexts } from "./account_texts.js";

/** @param {import("./app.js").App} app */
export function nameView(app) {
  if (!app.me) return nothing;
  return html`${app.me.registered
      ? html`<h2 class="spoken">${text.yourName}</h2>
          <div class="own"><span class="here"></span><p><bdi class="known-as">${app.me.name}</bdi> <span class="note">${text.registeredAs} ${lasting ? nothing : accountTexts.forgets}</span></p></div>`
      : html`<form @submit=${app.actions.register} class="inline">
            <label>${text.yourName} <input name="name" placeholder=${app.me.name} required maxlength="32" autocomplete="nickname" /></label>
            <button class="main">${text.register}</button>
          </form>
          <p class="note">${lasting ? text.registerHelp : accountTexts.forgets}</p>`}
    ${app.error ? html`<p class="error" role="alert">${app.error}</p>` : nothing}`;
}
